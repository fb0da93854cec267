"""How sure the gain kept is: an interval from the holdout's tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.differences import Difference, seeds_difference, token_difference
from bench.evaluation.columns import floats, units_of
from bench.results import Audited, CellFile
from bench.statistics import Interval


def gain_interval(cells: Sequence[CellFile], spec: str) -> Interval | None:
    """The 95 % interval of a defense's gain kept, over the holdout's people, paired with the base model.

    As the gain is itself, it is of the loss a token, so that a long record weighs more than a short one.
    What undefended fine-tuning gains at best is taken as given: cells keep that loss as one number.
    None where a cell or the interval of a seed is lacking.
    """
    base = {cell.seed: cell for cell in cells if cell.defense == "base"}
    best = {cell.seed: cell.utility.best_nll for cell in cells if cell.undefended}
    own = {cell.seed: cell for cell in cells if cell.spec == spec}

    def gained(floor: CellFile, cell: CellFile) -> Difference | None:
        most = best.get(cell.seed)
        if most is None or floor.utility.nll <= most:
            return None
        found = _token_difference(floor.audited, cell.audited)
        whole = floor.utility.nll - most
        if found is None:
            return None
        ends = (found.interval.low / whole, found.interval.high / whole)
        return Difference(found.estimate / whole, Interval(*ends))

    if spec == "base" or not own.keys() <= base.keys():
        return None
    found = seeds_difference(gained, base, own)
    return None if found is None else found.interval


def _token_difference(one: Audited, other: Audited) -> Difference | None:
    """Holdout loss of one model less the other's, nats a token, paired by record."""
    outside = ~np.array(one.member, dtype=bool)
    if one.ids != other.ids or None in one.nll or None in other.nll:
        return None
    tokens = np.where(outside, np.array(one.n_tokens, dtype=np.int64), 0)
    return token_difference(floats(one.nll), floats(other.nll), tokens, units_of(one))

"""How sure the gain kept is: an interval from the holdout's records."""

from __future__ import annotations

from collections.abc import Sequence

from bench.differences import Difference, seeds_difference, utility_difference
from bench.results import Audited, CellFile
from bench.statistics import Interval


def gain_interval(cells: Sequence[CellFile], spec: str) -> Interval | None:
    """The 95 % interval of a defense's gain kept, over the holdout's records, paired with the base model.

    What undefended fine-tuning gains at best is taken as given: cells keep that loss as one number.
    None where a cell or the interval of a seed is lacking.
    """
    base = {cell.seed: cell for cell in cells if cell.defense == "base"}
    best = {cell.seed: cell.utility.best_nll for cell in cells if cell.undefended}
    own = {cell.seed: cell for cell in cells if cell.spec == spec}

    def gained(floor: CellFile, cell: CellFile) -> Difference | None:
        most = best.get(cell.seed)
        found = utility_difference(floor.audited, cell.audited)
        if found is None or most is None or floor.utility.nll <= most:
            return None
        whole = (floor.utility.nll - most) * _tokens_a_record(cell.audited)
        ends = (found.interval.low / whole, found.interval.high / whole)
        return Difference(found.estimate / whole, Interval(*ends))

    if spec == "base" or not own.keys() <= base.keys():
        return None
    found = seeds_difference(gained, base, own)
    return None if found is None else found.interval


def _tokens_a_record(audited: Audited) -> float:
    counts = [count for count, member in zip(audited.n_tokens, audited.member, strict=True) if not member]
    return sum(counts) / len(counts)

"""Whether two defenses differ on the same records: from the evidence of their cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from bench.comparisons import (
    auc_difference_interval,
    mean_difference_interval,
    over_seeds,
    rate_difference_interval,
)
from bench.evaluation import calibration_half
from bench.results import Audited, CellFile, ExtractionEvidence, MembershipEvidence, Row
from bench.statistics import Interval

Kept = TypeVar("Kept")


def utility_difference(one: Audited, other: Audited) -> Interval | None:
    """Holdout loss of one model less the other's, nats a record, paired by record."""
    outside = ~np.array(one.member, dtype=bool)
    if one.ids != other.ids or None in one.nll or None in other.nll:
        return None
    mine, theirs = (np.array(audited.nll, dtype=np.float64)[outside] for audited in (one, other))
    return mean_difference_interval(mine, theirs, np.array(one.units, dtype=object)[outside])


def leakage_difference(one: Row, other: Row, cells: Sequence[CellFile]) -> Interval | None:
    """What the strongest attack gets from one defense less what it gets from another, on the evaluation half.

    Paired by record where both are strongest under the same attack; else from the two intervals, as if
    they were of other records, which is wider.
    """
    if (one.attack_spec, one.unit) == (other.attack_spec, other.unit):
        mine, theirs = (
            {
                cell.seed: cell
                for cell in cells
                if (cell.spec, cell.attack_spec) == (row.spec, row.attack_spec)
            }
            for row in (one, other)
        )
        return seeds_difference(lambda a, b: _paired(a, b, one.unit), mine, theirs)
    return _apart(one, other)


def _paired(one: CellFile, other: CellFile, unit: str) -> Interval | None:
    if one.audited.ids != other.audited.ids:
        return None
    if isinstance(one.evidence, ExtractionEvidence) and isinstance(other.evidence, ExtractionEvidence):
        record = np.array(one.evidence.record, dtype=np.int64)
        of_span = np.array(one.audited.units, dtype=object)[record]
        chosen = ~np.array(one.evidence.in_prefix or [False] * len(record), dtype=bool)
        chosen &= ~calibration_half(one.audited)[record]
        rates = [_floats(cell.evidence.rate) for cell in (one, other)]  # type: ignore[union-attr]
        chosen &= np.isfinite(rates[0]) & np.isfinite(rates[1])
        if not chosen.any():
            return None
        return rate_difference_interval(rates[0][chosen], rates[1][chosen], of_span[chosen])
    if isinstance(one.evidence, MembershipEvidence) and isinstance(other.evidence, MembershipEvidence):
        return _auc_difference(one.evidence, other.evidence, one.audited, unit)
    return None


def _auc_difference(
    one: MembershipEvidence, other: MembershipEvidence, audited: Audited, unit: str
) -> Interval | None:
    """Of 2 AUC - 1."""
    member, units = np.array(audited.member, dtype=bool), np.array(audited.units, dtype=object)
    held = ~calibration_half(audited)
    if unit == "record":
        scores = [_floats(evidence.records) for evidence in (one, other)]
    else:
        counts = [len(row) for row in one.spans]
        member, units, held = (np.repeat(column, counts) for column in (member, units, held))
        scores = [_floats([s for row in evidence.spans for s in row]) for evidence in (one, other)]
    kept = np.isfinite(scores[0]) & np.isfinite(scores[1]) & held
    inside, outside = kept & member, kept & ~member
    if not inside.any() or not outside.any():
        return None
    mine, theirs = scores
    interval = auc_difference_interval(
        mine[inside], mine[outside], theirs[inside], theirs[outside], units[inside], units[outside]
    )
    return None if interval is None else Interval(2 * interval.low, 2 * interval.high)


def _apart(one: Row, other: Row) -> Interval | None:
    """From intervals of their own: the difference, give or take the root of the summed squares."""
    mine, theirs = one.leakage, other.leakage
    if (
        mine.evaluation is None
        or theirs.evaluation is None
        or not mine.evaluation_ci
        or not theirs.evaluation_ci
    ):
        return None
    difference = mine.evaluation - theirs.evaluation
    below = np.hypot(mine.evaluation - mine.evaluation_ci[0], theirs.evaluation_ci[1] - theirs.evaluation)
    above = np.hypot(mine.evaluation_ci[1] - mine.evaluation, theirs.evaluation - theirs.evaluation_ci[0])
    return Interval(difference - float(below), difference + float(above))


def seeds_difference(
    difference: Callable[[Kept, Kept], Interval | None], one: Mapping[int, Kept], other: Mapping[int, Kept]
) -> Interval | None:
    """The difference over all seeds that both have; None where a seed does not tell."""
    intervals = [difference(one[seed], other[seed]) for seed in one if seed in other]
    told = [interval for interval in intervals if interval is not None]
    if not told or len(told) < len(intervals):
        return None
    return over_seeds([(interval.low + interval.high) / 2 for interval in told], told)


def _floats(column: Sequence[float | None]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([np.nan if value is None else value for value in column], dtype=np.float64)

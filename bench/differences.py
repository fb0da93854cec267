"""Whether two defenses differ on the same records: from the evidence of their cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bench.comparisons import (
    auc_difference_interval,
    mean_difference_interval,
    over_seeds,
    rate_difference_interval,
)
from bench.evaluation.columns import calibration_half, floats, units_of
from bench.results import Audited, CellFile, Ends, ExtractionEvidence, MembershipEvidence, Row
from bench.statistics import Floats, Interval, Ints, auc, mean_interval

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Difference:
    """How far two figures lie apart, and the 95 % interval of that."""

    estimate: float
    interval: Interval


def _known(estimate: float, interval: Interval | None) -> Difference | None:
    return None if interval is None else Difference(estimate, interval)


def utility_difference(one: Audited, other: Audited) -> Difference | None:
    """Holdout loss of one model less the other's, nats a record, paired by record."""
    outside = ~np.array(one.member, dtype=bool)
    if one.ids != other.ids or None in one.nll or None in other.nll:
        return None
    mine, theirs = (floats(audited.nll)[outside] for audited in (one, other))
    interval = mean_difference_interval(mine, theirs, units_of(one)[outside])
    return _known(float(np.mean(mine - theirs)), interval)


def memorization_difference(one: CellFile, other: CellFile) -> Difference | None:
    """Mean TRA of the members' personal information in one model less that in another, paired by record."""
    mine, theirs = one.memorization_evidence, other.memorization_evidence
    if mine is None or theirs is None or one.audited.ids != other.audited.ids:
        return None
    tokens = np.where(one.audited.member, mine.n_pii_tokens, 0)
    return token_difference(floats(mine.tra_pii), floats(theirs.tra_pii), tokens, units_of(one.audited))


def token_difference(mine: Floats, theirs: Floats, tokens: Ints, units: NDArray[Any]) -> Difference | None:
    """The difference of two means over tokens, paired by record, so that a long record weighs more.

    mine, theirs: (n,) sums over each record's tokens; tokens: (n,) how many those are, 0 where a record
    does not count; units: (n,). None where no record counts, or there is no interval.
    """
    held = tokens > 0
    if not held.any():
        return None
    per_token = (mine - theirs)[held] / tokens[held]
    differences, whose = (np.repeat(each, tokens[held]) for each in (per_token, units[held]))
    return _known(float(differences.mean()), mean_interval(differences, whose))


def leakage_difference(one: Row, other: Row, cells: Sequence[CellFile]) -> Difference | None:
    """What the strongest attack gets from one defense less what it gets from another, on the evaluation half.

    Paired by record where both attacks judge the same: records, or spans. Extraction against membership
    is told from the two intervals, as if they were of other records, which is wider.
    """
    mine, theirs = (
        {cell.seed: cell for cell in cells if (cell.spec, cell.attack_spec) == (row.spec, row.attack_spec)}
        for row in (one, other)
    )
    if one.unit == other.unit and (one.extraction is None) == (other.extraction is None):
        return seeds_difference(lambda a, b: _paired(a, b, one.unit), mine, theirs)
    return _apart(one, other)


def _paired(one: CellFile, other: CellFile, unit: str) -> Difference | None:
    if one.audited.ids != other.audited.ids:
        return None
    if isinstance(one.evidence, ExtractionEvidence) and isinstance(other.evidence, ExtractionEvidence):
        return _rate_difference(one.evidence, other.evidence, one.audited)
    if isinstance(one.evidence, MembershipEvidence) and isinstance(other.evidence, MembershipEvidence):
        return _auc_difference(one.evidence, other.evidence, one.audited, unit)
    return None


def _rate_difference(
    one: ExtractionEvidence, other: ExtractionEvidence, audited: Audited
) -> Difference | None:
    if one.record != other.record:
        return None
    record = np.array(one.record, dtype=np.int64)
    chosen = ~np.array(one.in_prefix or [False] * len(record), dtype=bool)
    chosen &= ~calibration_half(audited)[record]
    mine, theirs = floats(one.rate), floats(other.rate)
    chosen &= np.isfinite(mine) & np.isfinite(theirs)
    if not chosen.any():
        return None
    interval = rate_difference_interval(mine[chosen], theirs[chosen], units_of(audited)[record][chosen])
    return _known(float((mine - theirs)[chosen].mean()), interval)


def _auc_difference(
    one: MembershipEvidence, other: MembershipEvidence, audited: Audited, unit: str
) -> Difference | None:
    """Of 2 AUC - 1."""
    member, units = np.array(audited.member, dtype=bool), units_of(audited)
    held = ~calibration_half(audited)
    if unit == "record":
        mine, theirs = floats(one.records), floats(other.records)
    else:
        counts = [len(row) for row in one.spans]
        member, units, held = (np.repeat(column, counts) for column in (member, units, held))
        mine, theirs = (floats([s for row in evidence.spans for s in row]) for evidence in (one, other))
    kept = np.isfinite(mine) & np.isfinite(theirs) & held
    inside, outside = kept & member, kept & ~member
    if not inside.any() or not outside.any():
        return None
    interval = auc_difference_interval(
        mine[inside], mine[outside], theirs[inside], theirs[outside], units[inside], units[outside]
    )
    if interval is None:
        return None
    estimate = auc(mine[inside], mine[outside]) - auc(theirs[inside], theirs[outside])
    return Difference(2 * estimate, Interval(2 * interval.low, 2 * interval.high))


def _apart(one: Row, other: Row) -> Difference | None:
    mine, theirs = (row.leakage for row in (one, other))
    return apart(mine.evaluation, mine.evaluation_ci, theirs.evaluation, theirs.evaluation_ci)


def apart(
    one: float | None, its_ends: Ends | None, other: float | None, their_ends: Ends | None
) -> Difference | None:
    """From intervals of their own: the difference, give or take the root of the summed squares.

    So for two independent figures; for two that move together it is wider than need be.

    >>> interval = apart(0.8, (0.5, 0.9), 0.2, (0.1, 0.6)).interval
    >>> round(interval.low, 3), round(interval.high, 3)  # 0.6 - hypot(0.3, 0.4), 0.6 + hypot(0.1, 0.1)
    (0.1, 0.741)
    """
    if one is None or other is None or its_ends is None or their_ends is None:
        return None
    below = math.hypot(one - its_ends[0], their_ends[1] - other)
    above = math.hypot(its_ends[1] - one, other - their_ends[0])
    return Difference(one - other, Interval(one - other - below, one - other + above))


def seeds_difference(
    difference: Callable[[Kept, Kept], Difference | None], one: Mapping[int, Kept], other: Mapping[int, Kept]
) -> Difference | None:
    """The mean difference over all seeds that both have; None where a seed does not tell."""
    found = [difference(one[seed], other[seed]) for seed in one if seed in other]
    told = [one for one in found if one is not None]
    if not told or len(told) < len(found):
        return None
    estimates = [one.estimate for one in told]
    interval = over_seeds(estimates, [one.interval for one in told])
    return _known(float(np.mean(estimates)), interval)

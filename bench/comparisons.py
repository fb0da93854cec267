"""Figures set against each other: two attacks or defenses, several seeds, the strongest of many attacks.

Arrays in, numbers out. What two figures share (the records they are judged on, the seeds' split) is kept
in common, so that only what tells them apart makes an interval wide.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit  # type: ignore[import-untyped, unused-ignore]

from bench.resampling import Floats, finite_scores, numbered, resampled_aucs, sample
from bench.statistics import (
    LEAST_UNITS,
    Interval,
    auc,
    mean_interval,
    percentiles,
    rate_interval,
    tail,
    widened,
)


def told_apart(interval: Interval | None) -> bool:
    """Whether an interval of a difference leaves out 0. Without an interval nothing is told apart.

    >>> told_apart(Interval(0.02, 0.3)), told_apart(Interval(-0.1, 0.3)), told_apart(None)
    (True, False, False)
    """
    return interval is not None and not interval.low <= 0 <= interval.high


def auc_difference_interval(
    members_a: ArrayLike,
    nonmembers_a: ArrayLike,
    members_b: ArrayLike,
    nonmembers_b: ArrayLike,
    member_units: Iterable[object],
    nonmember_units: Iterable[object],
    *,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Interval | None:
    """Percentile bootstrap interval of AUC_a - AUC_b, both taken of the same resampled units.

    members_*: (m,) scores of the same texts by two attacks, or of one attack on two models, higher = more
    member-like; nonmembers_*: (n,); `*_units`: one hashable a score. None where a side has fewer than
    `LEAST_UNITS`. Where every resample gives the same difference (of two perfect attacks, say), the
    interval is that of `widened` for the bounds -1 and 1. Efron and Tibshirani 1993, chapter 13.

    >>> best, chance, records = range(20, 40), [0] * 20, range(20)
    >>> interval = auc_difference_interval(best, range(20), chance, chance, records, records)  # 1 - 0.5
    >>> round(interval.low, 3), round(interval.high, 3)  # s = 0.025 ** (1/20): 1.5 s - 1, 1 - 0.5 s
    (0.247, 0.584)
    """
    inside, outside = list(member_units), list(nonmember_units)
    sides = [
        (sample("members", members, inside), sample("nonmembers", nonmembers, outside))
        for members, nonmembers in ((members_a, nonmembers_a), (members_b, nonmembers_b))
    ]
    if (units := min(side.units for side in sides[0])) < LEAST_UNITS:
        return None
    of_a, of_b = (resampled_aucs(*side, resamples, seed) for side in sides)
    differences = of_a - of_b
    if np.ptp(differences) > 1e-12:
        return percentiles(differences, units, level)
    difference = auc(members_a, nonmembers_a) - auc(members_b, nonmembers_b)
    return _of_rates(widened(_as_rates(differences), (1 + difference) / 2, units, level))


def mean_difference_interval(
    values_a: ArrayLike,
    values_b: ArrayLike,
    units: Iterable[object],
    *,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Interval | None:
    """Interval of mean(a) - mean(b) of unbounded values (TRA, NLL): `mean_interval` of their differences.

    values_*: (n,), two models' figures of the same texts in the same order; units: one hashable a value.
    None as there, and so where the two are always equally far apart.

    >>> better = mean_difference_interval([value + value % 3 for value in range(30)], range(30), range(30))
    >>> round(better.low, 1), round(better.high, 1), told_apart(better)  # mean of 0, 1, 2
    (0.7, 1.3, True)
    """
    differences = _differences(values_a, values_b)
    return mean_interval(differences, units, level=level, resamples=resamples, seed=seed)


def rate_difference_interval(
    values_a: ArrayLike,
    values_b: ArrayLike,
    units: Iterable[object],
    *,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Interval | None:
    """Interval of mean(a) - mean(b) of values in [0, 1]: extraction rates of two models on the same spans.

    values_*: (n,), in the same order; units: one hashable a value. A difference d lies in [-1, 1]: this
    is `rate_interval` of (1 + d) / 2, widened there by what the units may have missed. None as there.
    ValueError on a value outside [0, 1].

    >>> interval = rate_difference_interval([0] * 100, [0] * 100, range(100))
    >>> round(interval.low, 4), round(interval.high, 4)  # not 0 to 0
    (-0.0362, 0.0362)
    """
    differences = _differences(values_a, values_b)
    for values in (values_a, values_b):
        if np.min(values) < 0 or np.max(values) > 1:
            raise ValueError(
                f"a rate lies in [0, 1], got {np.min(values):g} to {np.max(values):g}; "
                "see mean_difference_interval"
            )
    found = rate_interval(_as_rates(differences), units, level=level, resamples=resamples, seed=seed)
    return found and _of_rates(found)


def over_seeds(
    estimates: ArrayLike,
    intervals: Sequence[Interval | None],
    *,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
) -> Interval | None:
    """Interval of the mean of a figure over S seeds, given each seed's estimate and interval over units.

    estimates: (S,); intervals: one a seed, of `level`. With t the quantile of Student's distribution
    with S - 1 degrees of freedom and sd the standard deviation of the estimates, the ends lie at

        mean - sqrt(below^2 + (t sd / sqrt(S))^2)   and   mean + sqrt(above^2 + (t sd / sqrt(S))^2)

    where below and above are the means over seeds of how far an interval reaches to either side of its
    estimate; cut to `bounds`. One seed has its own interval. None where a seed has none.

    All seeds share one split, so the first part, which records were drawn, does not shrink with S. The
    second, what training leaves to chance, does. They are added as independent: Howe 1974; Zou and
    Donner 2008 for lopsided intervals. A seed's interval also holds what training does to single records
    by chance, and that is counted twice: such an interval is too wide rather than too narrow.

    >>> thirds = [Interval(0.5, 0.75), Interval(0.6, 0.85), Interval(0.7, 0.95)]
    >>> combined = over_seeds([0.6, 0.7, 0.8], thirds)  # t = 4.303, sd = 0.1: 0.7 - sqrt(0.1^2 + 0.248^2)
    >>> round(combined.low, 3), round(combined.high, 3)
    (0.432, 0.99)
    """
    figures, found = finite_scores("estimates", estimates), [one for one in intervals if one is not None]
    if len(intervals) != figures.size:
        raise ValueError(f"{len(intervals)} intervals for {figures.size} estimates: give one a seed")
    if len(found) < len(intervals):
        return None
    if len(found) == 1:
        return found[0]
    below = float(np.mean(figures - [one.low for one in found]))
    above = float(np.mean([one.high for one in found] - figures))
    t = stdtrit(figures.size - 1, 1 - tail(level))
    training = t * float(figures.std(ddof=1)) / math.sqrt(figures.size)
    low, high = bounds or (-math.inf, math.inf)
    mean = float(figures.mean())
    return Interval(
        max(low, mean - math.hypot(max(below, 0), training)),
        min(high, mean + math.hypot(max(above, 0), training)),
    )


def halves(units: Iterable[object], seed: int) -> NDArray[np.bool_]:
    """Which scores are for choosing an attack, (n,) bool; the others are for reporting on the chosen one.

    units: one hashable a score. Units are split, seeded and whatever their order; all scores of one go
    to the same half. With an odd number the half reported on has one more. Split members and non-members
    each by a call of their own. ValueError with fewer than two units.

    >>> calibration = halves(["a", "a", "b", "c", "d"], seed=0)
    >>> bool(calibration[0] == calibration[1]), len({*"abcd"} - {*np.array([*"aabcd"])[calibration]})
    (True, 2)
    """
    unit, count = numbered(units)
    if count < 2:
        raise ValueError(f"{count} units cannot be halved: give two or more")
    chosen: NDArray[np.bool_] = np.random.default_rng(seed).permutation(count) < count // 2
    return chosen[unit]


def calibrated_choice(calibration: ArrayLike, evaluation: ArrayLike) -> tuple[int, float]:
    """The attack that is strongest on one half of the units, and its figure on the other half.

    calibration, evaluation: (K,), the figure (AUC, leakage) of each of K attacks on either half. Of
    equally strong ones the first is taken. The best of K on the same records would be biased upwards: of
    20 null attacks on 50 + 50 records, it has an AUC of 0.61. The other half took no part in the choice.

    >>> calibrated_choice([0.55, 0.7, 0.7], [0.6, 0.65, 0.8])
    (1, 0.65)
    """
    strengths, reported = finite_scores("calibration", calibration), finite_scores("evaluation", evaluation)
    if strengths.size != reported.size:
        raise ValueError(f"{reported.size} evaluations for {strengths.size} calibrations: give one an attack")
    best = int(np.argmax(strengths))
    return best, float(reported[best])


def _differences(values_a: ArrayLike, values_b: ArrayLike) -> Floats:
    one, other = finite_scores("values_a", values_a), finite_scores("values_b", values_b)
    if one.size != other.size:
        raise ValueError(f"{one.size} values against {other.size}: a pair needs one of each")
    return one - other


def _as_rates(differences: Floats) -> Floats:
    return (1 + differences) / 2


def _of_rates(interval: Interval) -> Interval:
    return Interval(2 * interval.low - 1, 2 * interval.high - 1)

"""Arrays in, numbers out: how well scores tell members from non-members, and how sure that is.

A score is higher for what looks more like a member, by contract: nothing here flips a direction.
An interval resamples units (records, or groups where given), never the spans or tokens within one;
fewer than `LEAST_UNITS` get none.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtr, stdtrit  # type: ignore[import-untyped, unused-ignore]

from bench.resampling import finite_scores, resampled_aucs, resampled_means, sample, studentized_means

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_UNITS = 20
"""Units (records, groups) that an interval needs: resampling fewer says little about all others."""

FARTHEST = 100.0
"""Standard errors from the mean at which the end of an interval says no more than that it is unknown."""


@dataclass(frozen=True)
class Interval:
    """A two-sided confidence interval, both ends included."""

    low: float
    high: float


def split_finite(scores: ArrayLike) -> tuple[NDArray[np.bool_], int]:
    """Which scores can be ranked, and how many cannot (NaN, infinite), to be shown beside the figure.

    scores: (n,). Returns the mask of finite scores, (n,) bool, and the number of the others. All
    functions below raise ValueError on empty input and on a score that is not finite.

    >>> finite, excluded = split_finite([0.5, float("nan"), float("-inf")])
    >>> finite.tolist(), excluded
    ([True, False, False], 2)
    """
    finite = np.isfinite(np.asarray(scores, dtype=np.float64))
    return finite, int(finite.size - finite.sum())


def auc(members: ArrayLike, nonmembers: ArrayLike) -> float:
    """Probability that a random member outscores a random non-member, a tie counting one half.

    members: (m,) scores, higher = more member-like; nonmembers: (n,). Mann and Whitney 1947, U / (m n).

    >>> auc([3, 2], [2, 1])  # wins: 1 + 1 + 0.5 + 1, of 4 pairs
    0.875
    """
    ahead, behind = finite_scores("members", members), np.sort(finite_scores("nonmembers", nonmembers))
    below, not_above = np.searchsorted(behind, ahead, "left"), np.searchsorted(behind, ahead, "right")
    return float(below.sum() + not_above.sum()) / (2 * ahead.size * behind.size)


def nonmembers_needed(fpr: float) -> int:
    """The least number of non-members that resolves a false positive rate: 1/fpr, rounded up.

    >>> nonmembers_needed(0.001), nonmembers_needed(0.03)
    (1000, 34)
    """
    return math.ceil(1 / _fraction("fpr", fpr))


def tpr_at_fpr(members: ArrayLike, nonmembers: ArrayLike, fpr: float) -> float | None:
    """The highest true positive rate over all thresholds whose realised FPR is at most `fpr`.

    members: (m,) scores, higher = more member-like; nonmembers: (n,). Equal scores fall on one side
    of a threshold together. None with fewer than `nonmembers_needed(fpr)` non-members.

    >>> tpr_at_fpr([9, 5, 1], [5, 4, 3, 2], fpr=0.25)  # one false positive allowed: scores above 4
    0.6666666666666666
    """
    ahead, behind = finite_scores("members", members), np.sort(finite_scores("nonmembers", nonmembers))
    allowed = math.floor(_fraction("fpr", fpr) * behind.size)
    return float(np.mean(ahead > behind[-1 - allowed])) if allowed else None


def auc_interval(
    members: ArrayLike,
    nonmembers: ArrayLike,
    member_units: Iterable[object],
    nonmember_units: Iterable[object],
    *,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Interval | None:
    """Percentile bootstrap interval of the AUC, resampling each side's units independently.

    members: (m,) scores, higher = more member-like; nonmembers: (n,); `*_units`: one hashable a
    score, equal for scores of one unit. None where a side has fewer than `LEAST_UNITS`. Never degenerate:
    `widened` on the smaller number of units, so that an AUC of 1 gets a Clopper-Pearson limit (u
    disjoint pairs of units are u independent trials, all won). Efron and Tibshirani 1993, chapter 13.

    >>> interval = auc_interval(range(20, 40), range(20), range(20, 40), range(20))
    >>> round(interval.low, 4), interval.high  # 0.025 ** (1/20)
    (0.8316, 1.0)
    """
    ahead = sample("members", members, member_units)
    behind = sample("nonmembers", nonmembers, nonmember_units)
    if (units := min(ahead.units, behind.units)) < LEAST_UNITS:
        return None
    return widened(resampled_aucs(ahead, behind, resamples, seed), auc(members, nonmembers), units, level)


def mean_interval(
    values: ArrayLike, units: Iterable[object], *, level: float = 0.95, resamples: int = 1000, seed: int = 0
) -> Interval | None:
    """Bootstrap-t interval over units of the mean of unbounded `values` (TRA, NLL, ...).

    values: (n,), any unit; units: one hashable a value. The mean is sum / count over the drawn units,
    so that a unit weighs as many values as it has. Percentiles would be too narrow for a mean that the
    few records that leak most have skewed. None with fewer than `LEAST_UNITS`, where all units have one
    mean, and where so few differ that an end would lie over `FARTHEST` standard errors away: without
    bounds or a spread, nothing says how far off the mean could be. Efron and Tibshirani 1993, section 12.5.

    >>> interval = mean_interval(range(40), [value // 2 for value in range(40)])  # mean 19.5, 20 units
    >>> round(interval.low), round(interval.high)  # Student's t with 19 degrees of freedom: 14 to 25
    (14, 25)
    """
    drawn = sample("values", values, units)
    if drawn.units < LEAST_UNITS:
        return None
    error, distances = studentized_means(drawn, resamples, seed)
    low, high = np.quantile(distances, [tail(level), 1 - tail(level)])
    if error == 0 or max(abs(low), abs(high)) > FARTHEST:
        return None
    mean = drawn.values.mean()
    return Interval(float(mean - high * error), float(mean - low * error))


def rate_interval(
    values: ArrayLike, units: Iterable[object], *, level: float = 0.95, resamples: int = 1000, seed: int = 0
) -> Interval | None:
    """Percentile bootstrap interval over units of the mean of `values` in [0, 1]: extraction rates, chances.

    values: (n,); units: one hashable a value. None with fewer than `LEAST_UNITS`. Never degenerate:
    bounds say how far off a rate can be, and one of 0 or 1 gets the Clopper-Pearson interval over units
    (`widened`). ValueError on a value outside [0, 1].

    >>> interval = rate_interval([0] * 100, range(100))
    >>> interval.low, round(interval.high, 4)  # 1 - 0.025 ** (1/100); about 3.7/100
    (0.0, 0.0362)
    """
    drawn = sample("values", values, units)
    if (low := drawn.values.min()) < 0 or (high := drawn.values.max()) > 1:
        raise ValueError(f"a rate lies in [0, 1], got {low:g} to {high:g}; see mean_interval")
    if drawn.units < LEAST_UNITS:
        return None
    return widened(resampled_means(drawn, resamples, seed), float(drawn.values.mean()), drawn.units, level)


def epsilon_lower_bound(
    members: ArrayLike, nonmembers: ArrayLike, *, delta: float = 0.0, confidence: float = 0.95, seed: int = 0
) -> float:
    """Empirical lower bound on the epsilon of (epsilon, delta)-differential privacy.

    members: (m,) scores, higher = more member-like, one per independent record (with groups: one per
    group); nonmembers: (n,). Any threshold of an (epsilon, delta)-private mechanism obeys
    `TPR <= e^epsilon FPR + delta` and `TNR <= e^epsilon FNR + delta`. The threshold is chosen on a
    seeded half of the records; two Clopper-Pearson bounds on the other half (Bonferroni) then give

        epsilon >= max(0, log((TPR_low - delta) / FPR_high), log((1 - FPR_high - delta) / (1 - TPR_low)))

    The records of one trained model stand in for retrained models, so this is evidence, not proof.
    Sources: Jagielski, Ullman and Oprea 2020; Nasr et al. 2021.

    >>> round(epsilon_lower_bound([1] * 500, [0] * 500), 2)  # the most that 250 + 250 can show
    4.21
    """
    if not 0 <= delta < 1:
        raise ValueError(f"delta must lie in [0, 1), got {delta}")
    alpha = (1 - float(_fraction("confidence", confidence))) / 2
    rng = np.random.default_rng(seed)
    ahead = rng.permutation(np.sort(finite_scores("members", members)))
    behind = rng.permutation(np.sort(finite_scores("nonmembers", nonmembers)))
    m, n = (ahead.size + 1) // 2, (behind.size + 1) // 2
    seen = np.unique(np.concatenate([ahead[:m], behind[:n]]))
    thresholds = np.append(seen[0], seen[:-1] / 2 + seen[1:] / 2)
    chosen = thresholds[[np.argmax(_epsilons(ahead[:m], behind[:n], thresholds, delta, alpha))]]
    return max(0.0, float(_epsilons(ahead[m:], behind[n:], chosen, delta, alpha)[0]))


def _epsilons(ahead: Floats, behind: Floats, thresholds: Floats, delta: float, alpha: float) -> Floats:
    """The bound of `epsilon_lower_bound` at each threshold, before it is cut at 0: (thresholds,)."""
    misses, rejections = (np.searchsorted(np.sort(scores), thresholds) for scores in (ahead, behind))
    tpr_low = _clopper_pearson_low(ahead.size - misses, ahead.size, alpha)
    tnr_low = _clopper_pearson_low(rejections, behind.size, alpha)
    ratios = np.maximum((tpr_low - delta) / (1 - tnr_low), (tnr_low - delta) / (1 - tpr_low))
    return np.log(np.maximum(ratios, np.finfo(np.float64).tiny))


def _clopper_pearson_low(successes: Ints, trials: int, alpha: float) -> Floats:
    """The rate below the true one with probability 1 - alpha: Clopper and Pearson 1934. (k,) -> (k,)."""
    low = betaincinv(np.maximum(successes, 1), trials - successes + 1, alpha).astype(np.float64)
    return np.where(successes > 0, low, 0.0)


def widened(estimates: Floats, estimate: float, units: int, level: float) -> Interval:
    """The percentile interval in [0, 1], widened by what `units` draws may have missed altogether.

    Units of a kind with a share of 1 - seen, seen = (alpha/2)^(1/units), are all missed with probability
    alpha/2. Were they all at 0, or all at 1, the estimate would move to the ends used here. Where it
    is 0 or 1 that is the Clopper-Pearson interval; far from there the bootstrap is wider.
    """
    inner = percentiles(estimates, units, level)
    seen = tail(level) ** (1 / units)
    return Interval(min(inner.low, seen * estimate), max(inner.high, 1 - seen * (1 - estimate)))


def percentiles(estimates: Floats, units: int, level: float) -> Interval:
    """The percentile interval, expanded for few units: Hesterberg 2015, The American Statistician 69(4).

    Percentiles of u units fall short as a variance divided by u does, and as normal quantiles do. The
    tails are cut further out, where dividing by u - 1 and Student's t with u - 1 degrees of freedom would.
    """
    further = ndtr(-math.sqrt(units / (units - 1)) * stdtrit(units - 1, 1 - tail(level)))
    low, high = np.quantile(estimates, [further, 1 - further])
    return Interval(float(low), float(high))


def tail(level: float) -> float:
    """What a two-sided interval of this level leaves out on either side: 0.025 of 0.95."""
    return (1 - float(_fraction("level", level))) / 2


def _fraction(name: str, share: float) -> Fraction:
    """A share as the fraction that is meant: 0.29 * 100 falls short of 29 in floats, 1/3 of a third."""
    if not 1e-9 <= share < 1:
        raise ValueError(f"{name} must be at least 1e-9 and below 1, got {share}")
    return Fraction(float(share)).limit_denominator(10**9)

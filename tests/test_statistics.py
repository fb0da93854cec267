import doctest
import math
import random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm, t
from sklearn.metrics import roc_auc_score

from bench import statistics
from bench.statistics import (
    LEAST_UNITS,
    auc,
    auc_interval,
    epsilon_lower_bound,
    mean_interval,
    nonmembers_needed,
    rate_interval,
    split_finite,
    tpr_at_fpr,
)

NAN, INF = float("nan"), float("inf")
TIED = st.lists(st.integers(0, 6), min_size=1, max_size=25)
ENOUGH = st.lists(st.integers(0, 6), min_size=LEAST_UNITS, max_size=30)
RATES = st.integers(1, 30).flatmap(lambda n: st.integers(1, n).map(lambda k: k / (n + 1)))


def slow_auc(members, nonmembers):
    wins = [1.0 if a > b else 0.5 if a == b else 0.0 for a in members for b in nonmembers]
    return sum(wins) / len(wins)


def slow_tpr(members, nonmembers, fpr):
    best = 0.0
    for threshold in [*members, *nonmembers]:
        false_positives = sum(score >= threshold for score in nonmembers)
        if false_positives <= fpr * len(nonmembers) + 1e-9:  # integers against a product off by an ulp
            best = max(best, sum(score >= threshold for score in members) / len(members))
    return best


def slow_resamples(rngs, units, resamples):
    """For each resample and side, the indices of the scores of the units that were really drawn."""
    names = [sorted(set(side), key=repr) for side in units]
    for _ in range(resamples):
        drawn = [
            [side[i] for i in rng.integers(len(side), size=len(side))]
            for rng, side in zip(rngs, names, strict=True)
        ]
        yield [
            [i for name in draw for i, unit in enumerate(side) if unit == name]
            for draw, side in zip(drawn, units, strict=True)
        ]


def expanded(tail, units):
    """Where a percentile interval over so few units is cut, by SciPy's distributions."""
    return norm.cdf(-math.sqrt(units / (units - 1)) * t.isf(tail, units - 1))


def test_docstring_examples_run():
    results = doctest.testmod(statistics)
    assert results.failed == 0
    assert results.attempted >= 8


# AUC


@given(TIED, TIED)
def test_auc_equals_a_loop_over_pairs_and_scikit_learn(members, nonmembers):
    labels = [1] * len(members) + [0] * len(nonmembers)
    assert auc(members, nonmembers) == pytest.approx(slow_auc(members, nonmembers), abs=1e-12)
    assert auc(members, nonmembers) == pytest.approx(roc_auc_score(labels, members + nonmembers), abs=1e-12)


@given(TIED, TIED)
def test_swapping_the_sides_mirrors_the_auc(members, nonmembers):
    assert auc(members, nonmembers) + auc(nonmembers, members) == pytest.approx(1)


@given(TIED, TIED, RATES, st.randoms(use_true_random=False))
def test_figures_depend_neither_on_input_order_nor_on_the_scale(members, nonmembers, fpr, shuffle):
    mixed, others = members.copy(), nonmembers.copy()
    shuffle.shuffle(mixed)
    shuffle.shuffle(others)
    stretched, stretched_others = [math.exp(x) - 9 for x in mixed], [math.exp(x) - 9 for x in others]
    assert auc(members, nonmembers) == auc(mixed, others) == auc(stretched, stretched_others)
    expected = tpr_at_fpr(members, nonmembers, fpr)
    assert expected == tpr_at_fpr(mixed, others, fpr) == tpr_at_fpr(stretched, stretched_others, fpr)


def test_equal_scores_give_an_auc_of_one_half_and_no_true_positive():
    assert auc([7.0] * 30, [7.0] * 200) == 0.5
    assert tpr_at_fpr([7.0] * 30, [7.0] * 200, 0.01) == 0.0


def test_an_auc_below_one_half_is_not_flipped():
    assert auc([0, 1], [2, 3]) == 0.0


# TPR at an FPR


@given(TIED, TIED, RATES)
def test_tpr_is_the_best_over_all_thresholds_within_the_fpr(members, nonmembers, fpr):
    assume(fpr * len(nonmembers) > 1 - 1e-9)
    assert tpr_at_fpr(members, nonmembers, fpr) == slow_tpr(members, nonmembers, fpr)


@given(TIED, TIED, RATES, RATES)
def test_tpr_grows_with_the_fpr(members, nonmembers, one, other):
    low = tpr_at_fpr(members, nonmembers, min(one, other))
    assert low is None or low <= tpr_at_fpr(members, nonmembers, max(one, other))


@pytest.mark.parametrize(
    ("fpr", "needed"),
    [(0.01, 100), (0.001, 1000), (1e-4, 10_000), (0.1, 10), (0.3, 4), (1 / 3, 3), (1 / 49, 49)],
)
def test_too_few_nonmembers_refuse_the_figure(fpr, needed):
    assert nonmembers_needed(fpr) == needed
    assert tpr_at_fpr([1], [0] * (needed - 1), fpr) is None
    assert tpr_at_fpr([1], [0] * needed, fpr) == 1.0


def test_the_allowed_false_positives_are_counted_without_float_error():
    # 0.29 * 100 is 28.999999999999996 in floats: a member at rank 29 from above is still within reach.
    assert tpr_at_fpr([71], range(1, 101), 0.29) == 0.0  # ties with the 30th non-member from above
    assert tpr_at_fpr([71.5], range(1, 101), 0.29) == 1.0


def test_a_tie_block_that_breaks_the_fpr_is_left_out_as_a_whole():
    # One false positive is allowed of 100; the top block holds two non-members.
    assert tpr_at_fpr([5, 5, 6, 1], [5, 5, *[0] * 98], 0.01) == 0.25


# Intervals


def test_auc_interval_equals_a_bootstrap_that_really_resamples():
    rng = np.random.default_rng(1)
    members, nonmembers = rng.integers(1, 7, 60), rng.integers(0, 6, 70)
    units = [rng.integers(30, size=60).tolist(), rng.integers(40, size=70).tolist()]
    draws = slow_resamples(np.random.default_rng(3).spawn(2), units, 60)
    aucs = [slow_auc(members[ahead], nonmembers[behind]) for ahead, behind in draws]
    tail = expanded(0.05, len(set(units[0])))
    got = auc_interval(members, nonmembers, *units, level=0.9, resamples=60, seed=3)
    assert got.low == pytest.approx(np.quantile(aucs, tail))
    assert got.high == pytest.approx(np.quantile(aucs, 1 - tail))


def test_rate_interval_equals_a_bootstrap_that_really_resamples():
    rng = np.random.default_rng(12)
    hits, units = rng.random(90) < 0.5, rng.integers(25, size=90).tolist()
    rates = [hits[drawn].mean() for (drawn,) in slow_resamples([np.random.default_rng(4)], [units], 60)]
    tail = expanded(0.1, 25)
    got = rate_interval(hits, units, level=0.8, resamples=60, seed=4)
    assert got.low == pytest.approx(np.quantile(rates, tail))
    assert got.high == pytest.approx(np.quantile(rates, 1 - tail))


def test_mean_interval_equals_a_bootstrap_t_that_really_resamples():
    def mean_and_error(values, units):
        """By the definition: the spread of the units' sums around what the mean makes of their sizes."""
        rests = [(values[units == unit] - values.mean()).sum() for unit in np.unique(units)]
        return values.mean(), math.sqrt(np.var(rests, ddof=1) * len(rests)) / len(values)

    rng = np.random.default_rng(2)
    units = np.append(np.arange(24), rng.integers(24, size=60))
    values = rng.exponential(size=24)[units] + rng.normal(size=84)
    mean, error = mean_and_error(values, units)
    distances, draws = [], np.random.default_rng(4)
    for _ in range(60):
        drawn = draws.integers(24, size=24)  # a unit that is drawn twice is two units
        resample = [values[units == unit] for unit in drawn]
        sizes = [len(part) for part in resample]
        other, spread = mean_and_error(np.concatenate(resample), np.repeat(np.arange(24), sizes))
        distances.append((other - mean) / spread)
    got = mean_interval(values, [f"{unit:02}" for unit in units], level=0.8, resamples=60, seed=4)
    assert got.low == pytest.approx(mean - error * np.quantile(distances, 0.9))
    assert got.high == pytest.approx(mean - error * np.quantile(distances, 0.1))


def test_an_interval_of_a_mean_moves_and_stretches_with_the_values():
    rng = np.random.default_rng(13)
    values, units = rng.exponential(size=80), [n // 3 for n in range(80)]
    found = mean_interval(values, units)
    moved, turned = mean_interval(1000 + 2 * values, units), mean_interval(-values, units)
    assert [moved.low, moved.high] == pytest.approx([1000 + 2 * found.low, 1000 + 2 * found.high])
    assert [turned.low, turned.high] == pytest.approx([-found.high, -found.low])


def test_an_interval_of_a_skewed_mean_reaches_further_to_where_more_may_be():
    leaks = [3.0] * 6 + [0.0] * 54  # one record in ten
    spread = np.random.default_rng(14).normal(0, 0.1, 60)
    found = mean_interval(leaks + spread, range(60))
    assert found.high - 0.3 > 1.5 * (0.3 - found.low)


def test_intervals_depend_on_the_seed_and_not_on_the_input_order():
    rng = np.random.default_rng(5)
    members, nonmembers, units = rng.normal(1, 1, 80), rng.normal(0, 1, 80), [f"r{i // 4}" for i in range(80)]
    order = rng.permutation(80)
    mixed = [units[i] for i in order]
    first = auc_interval(members, nonmembers, units, units)
    assert first == auc_interval(members[order], nonmembers[order], mixed, mixed)
    assert first != auc_interval(members, nonmembers, units, units, seed=1)
    assert mean_interval(members, units).low == pytest.approx(mean_interval(members[order], mixed).low)


def test_units_may_be_any_hashable():
    units = [("essays", 1), None, "1", "1", *range(17)]
    assert rate_interval([0] * 21, units).high == pytest.approx(binomtest(0, 20).proportion_ci(0.95).high)


def test_fewer_than_twenty_units_have_no_interval_however_many_scores_they_have():
    assert LEAST_UNITS == 20
    scores, few, enough = list(range(60)), [n % 19 for n in range(60)], [n % 20 for n in range(60)]
    rates = [score / 60 for score in scores]
    assert auc_interval(scores, scores, few, enough) is None
    assert auc_interval(scores, scores, enough, few) is None
    assert rate_interval(rates, few) is None
    assert mean_interval(scores, few) is None
    assert auc_interval(scores, scores, enough, enough) is not None
    assert rate_interval(rates, enough) is not None
    assert mean_interval(scores, enough) is not None


def test_a_rate_of_nil_or_all_gets_clopper_pearson_over_units_not_over_spans():
    units = np.arange(120) // 3
    for value, successes in ((0, 0), (1, 40)):
        exact = binomtest(successes, 40).proportion_ci(0.95)
        got = rate_interval([value] * 120, units)
        assert (got.low, got.high) == (pytest.approx(exact.low), pytest.approx(exact.high))


def test_one_hit_does_not_give_a_lower_upper_limit_than_none():
    none, one = ([0] * 100, [1] + [0] * 99)
    assert rate_interval(one, range(100)).high > rate_interval(none, range(100)).high


def test_a_perfect_auc_gets_clopper_pearson_on_the_fewer_units():
    exact = binomtest(20, 20).proportion_ci(0.95)
    ahead, behind = list(range(100, 130)), list(range(20))
    perfect = auc_interval(ahead, behind, ahead, behind)
    mirrored = auc_interval(behind, ahead, behind, ahead)
    assert (perfect.low, perfect.high) == (pytest.approx(exact.low), 1.0)
    assert (mirrored.low, mirrored.high) == (0.0, pytest.approx(1 - exact.low))


def test_equal_scores_give_no_certainty_about_the_auc():
    interval = auc_interval([7] * 50, [7] * 50, range(50), range(50))
    assert 0.4 < interval.low < 0.49
    assert 0.51 < interval.high < 0.6


def test_a_constant_of_unknown_bounds_has_no_interval():
    assert mean_interval([0.1] * 30, range(30)) is None
    assert mean_interval([0.0] * 30, range(30)) is None
    assert mean_interval([0.1, 0.3] * 20, [i // 2 for i in range(40)]) is None  # spread within units only


def test_a_mean_that_one_unit_in_thirty_sets_apart_has_no_interval():
    # A resample without that unit, of which there are e^-1, has no spread: nothing bounds the mean above.
    assert mean_interval([3.0] + [0.0] * 29, range(30)) is None
    assert mean_interval([3.0] * 10 + [0.0] * 20, range(30)) is not None


@given(ENOUGH, ENOUGH)
def test_an_interval_holds_its_estimate_and_is_never_degenerate(members, nonmembers):
    interval = auc_interval(members, nonmembers, range(len(members)), range(len(nonmembers)), resamples=20)
    assert 0 <= interval.low <= auc(members, nonmembers) <= interval.high <= 1
    assert interval.low < interval.high


# Epsilon


def test_perfect_separation_shows_what_the_evaluated_half_can_show():
    # 250 of 250 above and 0 of 250 above: both limits are 0.025 ** (1 / 250) from their ends.
    limit = 0.025 ** (1 / 250)
    for ahead, behind in ((range(10_000, 10_500), range(500)), ([1] * 500, [0] * 500)):
        assert epsilon_lower_bound(ahead, behind) == pytest.approx(math.log(limit / (1 - limit)))
    lower = epsilon_lower_bound([1] * 500, [0] * 500, delta=0.1)
    assert lower == pytest.approx(math.log((limit - 0.1) / (1 - limit)))


def test_epsilon_uses_exact_limits_of_both_rates():
    # Members score 1 in three of four records, non-members in one of four; the only threshold is 0.5.
    members, nonmembers = [1] * 300 + [0] * 100, [1] * 100 + [0] * 300
    rng = np.random.default_rng(8)
    tested = [rng.permutation(np.sort(side))[200:] for side in (members, nonmembers)]
    tpr, fpr = (binomtest(int(side.sum()), 200).proportion_ci(0.95) for side in tested)
    expected = max(math.log(tpr.low / fpr.high), math.log((1 - fpr.high) / (1 - tpr.low)))
    assert epsilon_lower_bound(members, nonmembers, seed=8) == pytest.approx(expected)
    assert 0 < expected < math.log(3)


def test_epsilon_sees_a_leak_of_few_records_and_a_few_certain_nonmembers():
    rng = random.Random(9)
    noise = [rng.random() for _ in range(2000)]
    leaked = noise[:900] + [2.0] * 100  # a tenth of the members stands out: only a low FPR shows it
    cleared = noise[1000:1900] + [-1.0] * 100  # a tenth of the non-members: only the other direction does
    assert epsilon_lower_bound(leaked, noise[1000:]) > 1
    assert epsilon_lower_bound(noise[:1000], cleared) > 1


def test_chance_scores_show_no_epsilon():
    rng = np.random.default_rng(10)
    runs = [epsilon_lower_bound(rng.normal(size=200), rng.normal(size=150), seed=i) for i in range(400)]
    assert sum(bound > 0 for bound in runs) <= 0.05 * len(runs)


def test_epsilon_bound_holds_for_randomized_response():
    # One bit told truly with e^1 / (1 + e^1) is exactly 1-private: at most 5 % of bounds exceed 1.
    rng = np.random.default_rng(11)
    truth = math.e / (1 + math.e)
    runs = [epsilon_lower_bound(rng.random(400) < truth, rng.random(400) > truth, seed=i) for i in range(400)]
    assert sum(bound > 1 for bound in runs) <= 0.05 * len(runs)
    assert np.median(runs) > 0.3


@given(TIED, TIED, st.randoms(use_true_random=False))
def test_epsilon_is_never_negative_and_does_not_depend_on_input_order(members, nonmembers, shuffle):
    mixed = members.copy()
    shuffle.shuffle(mixed)
    bound = epsilon_lower_bound(members, nonmembers)
    assert bound >= 0
    assert bound == epsilon_lower_bound(mixed, nonmembers)


# Refusals


def test_nonfinite_scores_are_told_apart_and_counted():
    finite, excluded = split_finite([1.0, NAN, INF, -INF, 0.0])
    assert finite.tolist() == [True, False, False, False, True]
    assert excluded == 3


@pytest.mark.parametrize("bad", [[], [1.0, NAN], [1.0, INF], [-INF, 0.0], [[1.0, 2.0]]])
@pytest.mark.parametrize(
    "figure",
    [
        lambda bad: auc(bad, [1, 2]),
        lambda bad: auc([1, 2], bad),
        lambda bad: tpr_at_fpr(bad, [1, 2], 0.5),
        lambda bad: tpr_at_fpr([1, 2], bad, 0.5),
        lambda bad: auc_interval(bad, [1, 2], [1, 2], [3, 4]),
        lambda bad: auc_interval([1, 2], bad, [1, 2], [3, 4]),
        lambda bad: mean_interval(bad, [1, 2]),
        lambda bad: rate_interval(bad, [1, 2]),
        lambda bad: epsilon_lower_bound(bad, [1, 2]),
        lambda bad: epsilon_lower_bound([1, 2], bad),
    ],
)
def test_empty_and_nonfinite_scores_are_refused_in_one_line(figure, bad):
    with pytest.raises(ValueError, match=r"^(members|nonmembers|values) .*(non-empty|non-finite)[^\n]*$"):
        figure(bad)


def test_settings_that_mean_nothing_are_refused():
    with pytest.raises(ValueError, match="fpr must be at least 1e-9 and below 1, got 1"):
        tpr_at_fpr([1], [0], 1)
    with pytest.raises(ValueError, match="fpr must be at least 1e-9 and below 1, got nan"):
        nonmembers_needed(NAN)
    with pytest.raises(ValueError, match="level must be at least 1e-9 and below 1, got 95"):
        rate_interval([0, 1] * 10, range(20), level=95)
    with pytest.raises(ValueError, match="confidence must be at least 1e-9 and below 1, got 0"):
        epsilon_lower_bound([1], [0], confidence=0)
    with pytest.raises(ValueError, match=r"delta must lie in \[0, 1\), got 1"):
        epsilon_lower_bound([1], [0], delta=1)
    with pytest.raises(ValueError, match="1 units for 2 scores"):
        mean_interval([1, 2], ["a"])
    with pytest.raises(ValueError, match=r"a rate lies in \[0, 1\], got 0 to 2"):
        rate_interval([0, 2], "ab")

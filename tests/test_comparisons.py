import doctest
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, t

from bench import comparisons
from bench.comparisons import (
    auc_difference_interval,
    calibrated_choice,
    halves,
    mean_difference_interval,
    over_seeds,
    rate_difference_interval,
    told_apart,
)
from bench.statistics import Interval, auc, auc_interval, mean_interval, rate_interval

SEEDS = st.integers(0, 10_000)


def pair(seed, leak=1.0, noise=0.5):
    """Scores of two attacks that see the same 24 + 30 records, two texts each, and the units."""
    rng = np.random.default_rng(seed)
    members, nonmembers = rng.normal(leak, 1, 48), rng.normal(0, 1, 60)
    others = [np.round(side + rng.normal(0, noise, side.size), 1) for side in (members, nonmembers)]
    units = [f"m{i // 2}" for i in range(48)], [f"n{i // 2}" for i in range(60)]
    return members, nonmembers, *others, *units


def ends(interval):
    return [interval.low, interval.high]


def mirrored(interval):
    return [-interval.high, -interval.low]


def test_docstring_examples_run():
    results = doctest.testmod(comparisons)
    assert results.failed == 0
    assert results.attempted >= 10


# Two attacks, two defenses


def test_a_difference_of_aucs_is_taken_of_the_same_resamples():
    members, nonmembers, others, other_nonmembers, inside, outside = pair(1)
    inside, outside, differences = np.array(inside), np.array(outside), []
    rngs = np.random.default_rng(5).spawn(2)
    for _ in range(80):
        sides = []
        for rng, units in zip(rngs, (inside, outside), strict=True):
            names = sorted(set(units))
            drawn = [names[i] for i in rng.integers(len(names), size=len(names))]
            sides.append(np.concatenate([np.flatnonzero(units == name) for name in drawn]))
        ahead, behind = sides
        differences.append(
            auc(members[ahead], nonmembers[behind]) - auc(others[ahead], other_nonmembers[behind])
        )
    got = auc_difference_interval(*pair(1), resamples=80, seed=5)
    tail = norm.cdf(-math.sqrt(24 / 23) * t.isf(0.025, 23))  # the smaller side has 24 units
    assert ends(got) == pytest.approx(np.quantile(differences, [tail, 1 - tail]))


def test_a_paired_interval_is_narrower_than_two_apart():
    members, nonmembers, others, other_nonmembers, *units = pair(2)
    paired = auc_difference_interval(members, nonmembers, others, other_nonmembers, *units)
    first, second = auc_interval(members, nonmembers, *units), auc_interval(others, other_nonmembers, *units)
    apart = math.hypot(first.high - first.low, second.high - second.low)
    assert paired.high - paired.low < 0.7 * apart


@settings(max_examples=20)
@given(SEEDS)
def test_swapping_two_attacks_mirrors_their_difference(seed):
    one, two, three, four, *units = pair(seed)
    forward = auc_difference_interval(one, two, three, four, *units, resamples=100)
    backward = auc_difference_interval(three, four, one, two, *units, resamples=100)
    assert ends(backward) == pytest.approx(mirrored(forward))


@settings(max_examples=20)
@given(SEEDS, st.integers(-50, 50))
def test_a_constant_added_to_all_scores_of_an_attack_changes_nothing(seed, shift):
    one, two, three, four, *units = pair(seed)
    found = auc_difference_interval(one, two, three * 8, four * 8, *units, resamples=60)
    moved = auc_difference_interval(one, two, three * 8 + shift, four * 8 + shift, *units, resamples=60)
    assert moved == found


@settings(max_examples=20)
@given(SEEDS, st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_no_interval(seed, shuffle):
    one, two, three, four, inside, outside = pair(seed)
    ahead, behind = list(range(48)), list(range(60))
    shuffle.shuffle(ahead)
    shuffle.shuffle(behind)
    mixed = [inside[i] for i in ahead], [outside[i] for i in behind]
    found = auc_difference_interval(one, two, three, four, inside, outside, resamples=60)
    again = auc_difference_interval(one[ahead], two[behind], three[ahead], four[behind], *mixed, resamples=60)
    assert again == found
    for difference in (mean_difference_interval, rate_difference_interval):
        values = [1 / (1 + np.exp(-scores)) for scores in (one, three)]
        found = difference(*values, inside, resamples=60)
        again = difference(values[0][ahead], values[1][ahead], mixed[0], resamples=60)
        assert ends(again) == pytest.approx(ends(found))
        assert ends(difference(*reversed(values), inside, resamples=60)) == pytest.approx(mirrored(found))


def test_attacks_that_no_resample_sets_apart_keep_what_the_units_may_have_missed():
    records, seen = range(50), 0.025 ** (1 / 50)
    perfect, reverse = (range(50, 100), range(50)), (range(50), range(50, 100))
    alike = auc_difference_interval(*perfect, *perfect, records, records)
    assert ends(alike) == pytest.approx([seen - 1, 1 - seen])
    assert not told_apart(alike)
    opposed = auc_difference_interval(*perfect, *reverse, records, records)
    assert ends(opposed) == pytest.approx([2 * seen - 1, 1])
    assert told_apart(opposed)


def test_a_difference_of_means_is_that_of_the_values_and_of_rates_in_twice_the_range():
    rng = np.random.default_rng(3)
    units = [n // 2 for n in range(60)]
    common, ours, theirs = 5 * rng.normal(size=60), rng.normal(1, 1, 60), rng.normal(0, 1, 60)
    got = mean_difference_interval(common + ours, common + theirs, units)
    assert ends(got) == pytest.approx(ends(mean_interval(ours - theirs, units)))
    hits, misses = rng.random(60) < 0.6, rng.random(60) < 0.3
    rates = rate_interval(
        [(1 + int(hit) - int(miss)) / 2 for hit, miss in zip(hits, misses, strict=True)], units
    )
    got = rate_difference_interval(hits, misses, units)
    assert ends(got) == pytest.approx([2 * rates.low - 1, 2 * rates.high - 1])
    assert got.low <= hits.mean() - misses.mean() <= got.high


def test_a_defense_that_stops_a_few_extractions_is_not_told_apart_and_one_that_stops_many_is():
    # The exact test of McNemar: 3 to 0 has p = 0.25, 12 to 0 has p = 0.0005.
    for stopped, expected in ((3, False), (12, True)):
        undefended = [1] * stopped + [0] * (100 - stopped)
        assert told_apart(rate_difference_interval(undefended, [0] * 100, range(100))) is expected


def test_fewer_than_twenty_units_tell_nothing_apart():
    scores, few, enough = (
        np.random.default_rng(4).normal(size=(4, 60)),
        [n % 19 for n in range(60)],
        range(60),
    )
    assert auc_difference_interval(*scores, few, enough) is None
    assert auc_difference_interval(*scores, enough, few) is None
    assert mean_difference_interval(*scores[:2], few) is None
    assert rate_difference_interval([1] * 60, [0] * 60, few) is None
    assert not told_apart(None)


def test_an_interval_that_ends_at_nil_does_not_tell_apart():
    assert not told_apart(Interval(0.0, 0.2))
    assert not told_apart(Interval(-0.2, 0.0))
    assert told_apart(Interval(-0.2, -0.01))


# Several seeds


def test_seeds_are_combined_as_calculated_by_hand():
    # Half-widths 0.06, 0.08, 0.10 below and 0.02 above; mean 0.8, sd 0.1, t with two degrees 4.3027.
    intervals = [Interval(0.64, 0.72), Interval(0.72, 0.82), Interval(0.8, 0.92)]
    got = over_seeds([0.7, 0.8, 0.9], intervals)
    training = t.ppf(0.975, 2) * 0.1 / math.sqrt(3)
    assert got.low == pytest.approx(0.8 - math.hypot(0.08, training))
    assert got.high == pytest.approx(0.8 + math.hypot(0.02, training))
    assert over_seeds([0.7, 0.8, 0.9], intervals, bounds=(0, 1)) == Interval(got.low, 1)
    ninety = over_seeds([0.7, 0.8, 0.9], intervals, level=0.9)
    assert ninety.low == pytest.approx(0.8 - math.hypot(0.08, t.ppf(0.95, 2) * 0.1 / math.sqrt(3)))


def test_one_seed_has_its_own_interval():
    assert over_seeds([0.7], [Interval(0.6, 0.9)]) == Interval(0.6, 0.9)


def test_more_seeds_do_not_shrink_what_the_choice_of_records_leaves_open():
    for seeds in (2, 5, 100):
        assert ends(over_seeds([0.7] * seeds, [Interval(0.6, 0.9)] * seeds)) == pytest.approx([0.6, 0.9])
    widths = []
    for seeds in (2, 4, 20):
        combined = over_seeds(
            [0.6, 0.8] * (seeds // 2), [Interval(0.6, 0.7), Interval(0.75, 0.85)] * (seeds // 2)
        )
        widths.append(combined.high - combined.low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] > 0.1


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0, 2), st.floats(0, 2)), min_size=1, max_size=6))
def test_a_combined_interval_holds_the_mean_and_does_not_depend_on_the_order_of_the_seeds(seeds):
    estimates = [estimate for estimate, _, _ in seeds]
    intervals = [Interval(estimate - below, estimate + above) for estimate, below, above in seeds]
    found = over_seeds(estimates, intervals)
    assert found.low - 1e-9 <= sum(estimates) / len(estimates) <= found.high + 1e-9
    assert ends(over_seeds(estimates[::-1], intervals[::-1])) == pytest.approx(ends(found))
    turned = over_seeds([-each for each in estimates], [Interval(*mirrored(each)) for each in intervals])
    assert ends(turned) == pytest.approx(mirrored(found))


def test_a_seed_without_an_interval_leaves_none():
    assert over_seeds([0.7, 0.8], [Interval(0.6, 0.9), None]) is None
    assert over_seeds([0.7], [None]) is None


# The strongest of many attacks


def test_the_strongest_of_equals_is_the_first():
    assert calibrated_choice([0.6, 0.9, 0.9, 0.2], [1.0, 0.7, 0.8, 0.9]) == (1, 0.7)


def test_halves_split_units_and_never_their_scores():
    units = [f"r{n}" for n in np.random.default_rng(6).integers(31, size=200)]
    names, mask = np.array(units), halves(units, seed=1)
    assert not set(names[mask]) & set(names[~mask])
    assert (len(set(names[mask])), len(set(names[~mask]))) == (15, 16)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 20), min_size=2, max_size=40), SEEDS, st.randoms(use_true_random=False))
def test_halves_depend_on_the_seed_and_the_names_alone(units, seed, shuffle):
    if len(set(units)) < 2:
        units = [*units, 98, 99]
    order = list(range(len(units)))
    shuffle.shuffle(order)
    mask = halves(units, seed)
    assert halves([units[i] for i in order], seed).tolist() == mask[order].tolist()


def test_other_seeds_make_other_halves():
    masks = {tuple(halves(range(30), seed)) for seed in range(10)}
    assert len(masks) == 10


def test_the_best_of_many_null_attacks_looks_strong_and_the_calibrated_one_like_chance():
    rng, best, reported = np.random.default_rng(7), [], []
    for run in range(150):
        members, nonmembers = rng.normal(size=(2, 20, 50))
        inside, outside = halves(range(50), seed=2 * run), halves(range(50), seed=2 * run + 1)
        best.append(max(auc(*sides) for sides in zip(members, nonmembers, strict=True)))
        calibration, evaluation = (
            [auc(a[inside == half], b[outside == half]) for a, b in zip(members, nonmembers, strict=True)]
            for half in (True, False)
        )
        reported.append(calibrated_choice(calibration, evaluation)[1])
    assert np.mean(best) == pytest.approx(0.61, abs=0.01)
    assert np.mean(reported) == pytest.approx(
        0.5, abs=3 * 0.083 / math.sqrt(150)
    )  # sd of a null AUC, 25 + 25


# Refusals


def test_what_does_not_match_is_refused_in_one_line():
    units = range(30)
    with pytest.raises(ValueError, match=r"^30 units for 29 scores"):
        auc_difference_interval(units, units, units, range(29), units, units)
    with pytest.raises(ValueError, match=r"^30 values against 29: a pair needs one of each$"):
        mean_difference_interval(units, range(29), units)
    with pytest.raises(
        ValueError, match=r"^a rate lies in \[0, 1\], got 0 to 29; see mean_difference_interval$"
    ):
        rate_difference_interval([0] * 30, units, units)
    with pytest.raises(ValueError, match=r"^1 intervals for 2 estimates: give one a seed$"):
        over_seeds([0.5, 0.6], [None])
    with pytest.raises(ValueError, match=r"^estimates must be a non-empty list"):
        over_seeds([], [])
    with pytest.raises(ValueError, match=r"^1 units cannot be halved: give two or more$"):
        halves(["a", "a"], seed=0)
    with pytest.raises(ValueError, match=r"^1 evaluations for 2 calibrations: give one an attack$"):
        calibrated_choice([0.5, 0.6], [0.5])
    with pytest.raises(ValueError, match=r"^calibration hold 1 non-finite"):
        calibrated_choice([0.5, math.nan], [0.5, 0.5])

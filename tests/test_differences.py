import doctest

import numpy as np
import pytest
from boards import cell, extracted, judged, leakage, membership, rows, scored

from bench import differences
from bench.comparisons import told_apart
from bench.differences import Difference, leakage_difference, seeds_difference, utility_difference
from bench.evaluation.columns import calibration_half
from bench.leaderboard import leaderboard
from bench.statistics import Interval


def test_docstring_examples_run():
    results = doctest.testmod(differences)
    assert results.failed == 0
    assert results.attempted >= 2


def width(difference: Difference) -> float:
    return difference.interval.high - difference.interval.low


RNG = np.random.default_rng(3)
MEMBERS, OTHERS = RNG.normal(size=(2, 100))


def leaks_apart(one, other, unit: str = "record") -> Difference | None:
    """By how much the leakage of the first cell exceeds that of the second."""
    found = {row.spec: row for row in leaderboard([one, other]).rows if row.unit == unit}
    return leakage_difference(found[one.spec], found[other.spec], [one, other])


def test_holdout_losses_are_compared_record_by_record_in_nats():
    worse, better = judged(3.1, "worse"), judged(3.0, "better")
    difference = utility_difference(worse, better)
    interval = difference.interval
    outside = [nll[30:] for nll in (worse.nll, better.nll)]
    assert difference.estimate == pytest.approx(np.mean(outside[0]) - np.mean(outside[1]))
    # One nat a record apart, give or take 0.2 nats a record, though the records are 3 nats apart.
    assert interval.low < 1.0 < interval.high
    assert interval.high - interval.low < 0.4
    back = utility_difference(better, worse).interval
    assert (back.low, back.high) == pytest.approx((-interval.high, -interval.low), abs=0.02)


def test_members_have_no_part_in_the_holdout():
    one, other = judged(3.0, "one"), judged(3.0, "other")
    memorized = tuple(nll - 25 if member else nll for nll, member in zip(one.nll, one.member, strict=True))
    assert utility_difference(one.model_copy(update={"nll": memorized}), other) == utility_difference(
        one, other
    )


def test_records_that_are_not_the_same_or_have_no_loss_are_not_compared():
    one, other = judged(3.0, "one"), judged(4.0, "other")
    renamed = other.model_copy(update={"ids": ("another", *other.ids[1:])})
    infinite = other.model_copy(update={"nll": (*other.nll[:-1], None)})
    for changed in (renamed, infinite):
        assert utility_difference(one, changed) is None
        assert utility_difference(changed, one) is None


def test_a_difference_in_leakage_is_of_the_evaluation_half():
    one, other = scored("one", MEMBERS + 1, OTHERS), scored("other", MEMBERS, OTHERS)
    difference = leaks_apart(one, other)
    held = {each.spec: each.results[0].leakage.evaluation for each in (one, other)}
    assert difference.interval.low < held["one"] - held["other"] < difference.interval.high
    assert difference.estimate == pytest.approx(held["one"] - held["other"])
    # What happens on the calibration half, even all of it, is no evidence.
    calibration = calibration_half(one.audited)
    scores = np.array(one.evidence.records) + 5 * calibration * np.array(one.audited.member)
    assert leaks_apart(scored("one", scores[:100], scores[100:]), other) == difference


def test_pairing_makes_an_interval_narrower_than_two_separate_ones():
    one, other = scored("one", MEMBERS + 0.3, OTHERS), scored("other", MEMBERS, OTHERS)
    paired = leaks_apart(one, other)
    separate = rows(one, other)
    on_spans = separate["other"].model_copy(update={"unit": "span"})
    apart = leakage_difference(separate["one"], on_spans, [one, other])
    assert apart.estimate == pytest.approx(paired.estimate)
    assert width(paired) < width(apart) / 2


def test_two_attacks_on_the_same_records_are_paired_as_well():
    one = scored("one", MEMBERS + 0.3, OTHERS)
    same, another = (scored("other", MEMBERS, OTHERS, attack=attack) for attack in ("loss", "reference"))
    assert leaks_apart(one, another) == leaks_apart(one, same)


def test_a_record_that_either_cell_cannot_score_is_left_out_of_both():
    one, other = scored("one", MEMBERS + 1, OTHERS), scored("other", MEMBERS, OTHERS)
    expected = leaks_apart(unscored(one), unscored(other))
    assert leaks_apart(one, unscored(other)) == leaks_apart(unscored(one), other) == expected


def unscored(scored_cell):
    """The cell, its attack having found no evidence in the first three records."""
    evidence = scored_cell.evidence
    evidence = evidence.model_copy(update={"records": (None,) * 3 + evidence.records[3:]})
    return scored_cell.model_copy(update={"evidence": evidence})


def with_spans(spec: str, by: float):
    """Two spans in every member and one in every other record, whose own scores are the same for all."""
    spans = tuple((float(score + by), float(score - 1 + by)) for score in MEMBERS)
    return scored(spec, MEMBERS, OTHERS, spans=spans + tuple((float(score),) for score in OTHERS))


def test_spans_are_compared_apart_from_their_records():
    one, other = with_spans("one", 1.0), with_spans("other", 0.0)
    difference = leaks_apart(one, other, "span")
    held = [each.results[1].leakage.evaluation for each in (one, other)]
    assert difference.estimate == pytest.approx(held[0] - held[1])
    assert 0 < difference.interval.low < held[0] - held[1] < difference.interval.high
    assert not told_apart(leaks_apart(one, other, "record").interval)


def test_extractions_differ_by_their_rates_on_the_same_passages():
    rates = RNG.uniform(0, 0.8, 100)
    more = rates + RNG.uniform(0.08, 0.12, 100)
    one, other = extracted("one", more, np.zeros(100)), extracted("other", rates, np.zeros(100))
    difference = leaks_apart(one, other, "span")
    held = ~calibration_half(one.audited)[:100]
    assert difference.estimate == pytest.approx((more - rates)[held].mean(), abs=1e-5)
    assert difference.interval.low < 0.1 < difference.interval.high
    assert width(difference) < 0.2


def test_extraction_and_membership_are_told_apart_by_their_own_intervals_added_in_squares():
    def row(spec: str, leak: float, unit: str = "record", **changed):
        return rows(cell(spec, 3.0, membership(0.5, unit, leakage=leakage(leak) | changed)))[spec]

    one, other = row("one", 0.5), row("other", 0.3, "span")
    found = leakage_difference(one, other, [])
    assert found.estimate == pytest.approx(0.2)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.2 - 0.02**0.5, 0.2 + 0.02**0.5))
    lopsided = leakage_difference(row("one", 0.5, evaluation_ci=(0.2, 0.5)), other, [])
    assert (lopsided.interval.low, lopsided.interval.high) == pytest.approx((0.2 - 0.1**0.5, 0.2 + 0.1))
    assert leakage_difference(one, row("other", 0.3, "span", evaluation_ci=None), []) is None


def test_over_seeds_only_those_that_both_have_are_compared_and_each_must_tell():
    def less(one: float, other: float) -> Difference | None:
        apart = one - other  # the interval reaches further up than down
        return None if one < 0 else Difference(apart, Interval(apart - 0.1, apart + 0.3))

    single = seeds_difference(less, {0: 1.0}, {0: 0.5, 1: 9.0})
    assert single == Difference(0.5, Interval(0.4, 0.8))
    both = seeds_difference(less, {0: 1.0, 1: 2.0}, {0: 0.5, 1: 1.4})
    assert both.estimate == pytest.approx(0.55)
    training = 12.7062 * np.std([0.5, 0.6], ddof=1) / 2**0.5
    reach = (both.estimate - both.interval.low, both.interval.high - both.estimate)
    assert reach == pytest.approx((np.hypot(0.1, training), np.hypot(0.3, training)), rel=1e-4)
    assert seeds_difference(less, {0: 1.0, 1: -1.0}, {0: 0.5, 1: 0.5}) is None
    assert seeds_difference(less, {0: 1.0}, {1: 1.0}) is None

import numpy as np
import pytest
from boards import cell, extracted, judged, leakage, membership, rows, scored

from bench.comparisons import told_apart
from bench.differences import leakage_difference, seeds_difference, utility_difference
from bench.evaluation import calibration_half
from bench.leaderboard import leaderboard
from bench.statistics import Interval

RNG = np.random.default_rng(3)
MEMBERS, OTHERS = RNG.normal(size=(2, 100))


def middle(interval: Interval) -> float:
    return (interval.low + interval.high) / 2


def leaks_apart(one, other, unit: str = "record") -> Interval | None:
    """By how much the leakage of the first cell exceeds that of the second."""
    found = {row.spec: row for row in leaderboard([one, other]).rows if row.unit == unit}
    return leakage_difference(found[one.spec], found[other.spec], [one, other])


def test_holdout_losses_are_compared_record_by_record_in_nats():
    worse, better = judged(3.1, "worse"), judged(3.0, "better")
    interval = utility_difference(worse, better)
    # One nat a record apart, give or take 0.2 nats a record, though the records are 3 nats apart.
    assert interval.low < 1.0 < interval.high
    assert interval.high - interval.low < 0.4
    back = utility_difference(better, worse)
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
    assert difference.low < held["one"] - held["other"] < difference.high
    assert middle(difference) == pytest.approx(held["one"] - held["other"], abs=0.05)
    # What happens on the calibration half, even all of it, is no evidence.
    calibration = calibration_half(one.audited)
    scores = np.array(one.evidence.records) + 5 * calibration * np.array(one.audited.member)
    assert leaks_apart(scored("one", scores[:100], scores[100:]), other) == difference


def test_pairing_makes_an_interval_narrower_than_two_separate_ones():
    one, other = scored("one", MEMBERS + 0.3, OTHERS), scored("other", MEMBERS, OTHERS)
    paired = leaks_apart(one, other)
    separate = rows(one, other)
    apart = leakage_difference(
        separate["one"], separate["other"].model_copy(update={"attack_spec": "another"}), [one, other]
    )
    assert paired.high - paired.low < (apart.high - apart.low) / 2


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
    assert 0 < difference.low < held[0] - held[1] < difference.high
    assert not told_apart(leaks_apart(one, other, "record"))


def test_extractions_differ_by_their_rates_on_the_same_passages():
    rates = RNG.uniform(0, 0.8, 100)
    more = rates + RNG.uniform(0.08, 0.12, 100)
    one, other = extracted("one", more, np.zeros(100)), extracted("other", rates, np.zeros(100))
    difference = leaks_apart(one, other, "span")
    assert difference.low < 0.1 < difference.high
    assert difference.high - difference.low < 0.2


def test_under_different_attacks_the_separate_intervals_are_added_in_squares():
    def row(spec: str, attack: str, leak: float, **changed):
        got = membership(0.5, leakage=leakage(leak) | changed)
        return rows(cell(spec, 3.0, got, attack=attack))[spec]

    one, other = row("one", "loss", 0.5), row("other", "reference", 0.3)
    difference = leakage_difference(one, other, [])
    assert (difference.low, difference.high) == pytest.approx((0.2 - 0.02**0.5, 0.2 + 0.02**0.5))
    lopsided = row("one", "loss", 0.5, evaluation_ci=(0.2, 0.5))
    difference = leakage_difference(lopsided, other, [])
    assert (difference.low, difference.high) == pytest.approx((0.2 - 0.1**0.5, 0.2 + 0.1))
    assert leakage_difference(one, row("other", "reference", 0.3, evaluation_ci=None), []) is None


def test_over_seeds_only_those_that_both_have_are_compared_and_each_must_tell():
    def less(one: float, other: float) -> Interval | None:
        return None if one < 0 else Interval(one - other - 0.1, one - other + 0.1)

    assert seeds_difference(less, {0: 1.0}, {0: 0.5, 1: 9.0}) == Interval(0.4, 0.6)
    both = seeds_difference(less, {0: 1.0, 1: 2.0}, {0: 0.5, 1: 1.4})
    assert middle(both) == pytest.approx(0.55)
    assert seeds_difference(less, {0: 1.0, 1: -1.0}, {0: 0.5, 1: 0.5}) is None
    assert seeds_difference(less, {0: 1.0}, {1: 1.0}) is None

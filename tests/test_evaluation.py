"""Figures from evidence, against what is counted by hand."""

import math

import numpy as np
import pytest
from subjects import crowd, evidence_of, shuffled, swapped

from bench.attacks.extraction import Extraction
from bench.attacks.loss import Loss
from bench.errors import RunError
from bench.evaluation import attack_results
from bench.evaluation.utility import utility
from bench.results import Audited, MembershipEvidence


def results(attack, subjects):
    return attack_results(*evidence_of(attack, subjects))


def judged(member, units=None, **columns):
    """Records r0, r1, ... of one token each."""
    n = len(member)
    ids = tuple(f"r{row}" for row in range(n))
    ones = {name: columns.get(name, (1,) * n) for name in ("n_tokens", "n_bytes", "nll", "n_correct")}
    return Audited(ids=ids, units=units or ids, member=member, **ones)


def scored(members, nonmembers, units=None):
    """What membership of these record scores comes to; no record has a span."""
    scores = (*members, *nonmembers)
    member = tuple(row < len(members) for row in range(len(scores)))
    evidence = MembershipEvidence(records=scores, spans=((),) * len(scores))
    return attack_results(evidence, judged(member, units))[0]


@pytest.mark.parametrize("attack", [Loss(), Extraction()])
def test_the_order_of_the_subjects_changes_no_figure(attack):
    assert results(attack, shuffled(crowd())) == results(attack, crowd())


def test_swapping_members_and_non_members_mirrors_the_auc():
    for one, other in zip(results(Loss(), crowd()), results(Loss(), swapped(crowd())), strict=True):
        assert one.auc > 0.6
        assert one.auc == pytest.approx(1 - other.auc)
        assert one.auc_ci == pytest.approx([1 - end for end in reversed(other.auc_ci)], abs=0.05)
        assert one.leakage.value == pytest.approx(-other.leakage.value)


def test_membership_figures_are_those_of_the_scores_counted_by_hand():
    # Record scores -2 and -4.5 against -3 and -5; span scores -1, -4 and -5 against -3.
    evidence = MembershipEvidence(records=(-2, -4.5, -3, -5), spans=((-1,), (-4, -5), (-3,), ()))
    records, spans = attack_results(evidence, judged((True, True, False, False)))
    assert (records.unit, records.auc, spans.unit) == ("record", 0.75, "span")
    assert spans.auc == pytest.approx(1 / 3)
    assert (records.leakage.value, spans.leakage.value) == (0.5, pytest.approx(-1 / 3))
    assert (spans.n_members, spans.n_nonmembers, spans.n_excluded) == (3, 1, 0)


def test_a_true_positive_rate_is_refused_below_the_non_members_that_resolve_it():
    enough = scored([99.5, 100.5], range(100))
    assert enough.tpr_at_fpr == {"0.01": 1.0, "0.001": None}
    assert enough.refused["tpr_at_fpr.0.001"] == "needs >= 1000 non-members"
    assert scored([97.5, 98.5], range(100)).tpr_at_fpr["0.01"] == 0.5, "one false positive is allowed"
    fewer = scored([99.5, 100.5], range(99))
    assert fewer.tpr_at_fpr == {"0.01": None, "0.001": None}
    assert fewer.refused["tpr_at_fpr.0.01"] == "needs >= 100 non-members"


def test_an_interval_is_refused_below_20_units_however_many_scores_they_have():
    enough = scored(range(20), range(20))
    assert enough.auc_ci[0] < 0.5 < enough.auc_ci[1]
    assert "auc_ci" not in enough.refused
    for fewer in (
        scored(range(19), range(20)),
        scored(range(20), range(19)),
        scored(range(40), range(40), tuple(f"u{row % 19 + 19 * (row >= 40)}" for row in range(80))),
    ):
        assert (fewer.auc, fewer.auc_ci) == (pytest.approx(0.5, abs=0.03), None)
        assert "20 units on either side" in fewer.refused["auc_ci"]


def test_without_two_sides_membership_is_refused():
    alone = scored([1.0, 2.0], [None])
    assert (alone.n_members, alone.n_nonmembers, alone.n_excluded) == (2, 0, 1)
    assert (alone.auc, alone.auc_ci, alone.leakage.value) == (None, None, None)
    assert alone.refused["auc"] == "needs members and non-members with finite scores"


def test_scores_that_are_not_finite_are_left_out_and_counted():
    clean = scored(range(20), range(10, 30))
    rows = scored((*range(20), None), (None, *range(10, 30)))
    assert (rows.n_members, rows.n_nonmembers, rows.n_excluded) == (20, 20, 2)
    assert (rows.auc, rows.leakage.value) == (clean.auc, clean.leakage.value)


def test_only_scores_of_independent_units_bound_epsilon():
    records, spans = results(Loss(), crowd())
    assert records.epsilon_lower_bound is not None
    assert spans.epsilon_lower_bound is None, "two spans of one record move together"
    assert scored([1, 2, 3], [0, 1], ("a", "a", "b", "c", "d")).epsilon_lower_bound is None


def test_the_records_of_one_unit_count_in_one_half_only():
    units = tuple(f"u{row // 2}" for row in range(80))
    scores = np.random.default_rng(0).permutation(80) / 80
    before = scored(scores[:40], scores[40:], units).leakage
    moved = []
    for unit in range(10):
        raised = scores.copy()
        raised[2 * unit : 2 * unit + 2] += 100
        after = scored(raised[:40], raised[40:], units).leakage
        moved.append((after.calibration > before.calibration, after.evaluation > before.evaluation))
    assert set(moved) == {(True, False), (False, True)}


def test_the_halves_are_two_of_about_one_size_and_the_whole_is_both():
    leakage = results(Loss(), crowd())[0].leakage
    assert leakage.value > 0.2
    assert leakage.calibration == pytest.approx(leakage.value, abs=0.2)
    assert leakage.evaluation == pytest.approx(leakage.value, abs=0.2)
    assert leakage.evaluation_ci is None or leakage.evaluation_ci[0] <= leakage.evaluation


def test_utility_weighs_every_token_and_every_byte_alike():
    columns = {"nll": (9, 15, 0.5), "n_tokens": (9, 5, 1), "n_bytes": (9, 6, 2), "n_correct": (9, 2, 1)}
    found = utility(judged((True, False, False), **columns))
    assert found.nll == pytest.approx(15.5 / 6)
    assert found.perplexity == pytest.approx(math.exp(15.5 / 6))
    assert found.bits_per_byte == pytest.approx(15.5 / math.log(2) / (6 + 2))
    assert found.accuracy == pytest.approx(3 / 6)


def test_a_holdout_that_the_model_rules_out_has_no_utility():
    with pytest.raises(RunError, match="the loss on the holdout is infinite"):
        utility(judged((True, False), nll=(1.0, None)))

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from boards import scored
from hypothesis import given
from hypothesis import strategies as st

from bench.evaluation.columns import calibration_half
from bench.leaderboard import leaderboard
from bench.report.groups import groups_of
from bench.report.marks import Mark, marks_of
from bench.report.roc import curve_of, mean_rates, roc_section, true_positive_rates
from bench.report.roc_plot import Curve, roc_plot
from bench.results import MembershipEvidence
from bench.statistics import tpr_at_fpr

NOTHING = MembershipEvidence(records=(None,) * 80, spans=((),) * 80)
SCORES = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=12)


def sides(members, nonmembers):
    """Who is a member, and that all are looked at."""
    return np.arange(members + nonmembers) < members, np.ones(members + nonmembers, bool)


@given(SCORES, SCORES)
def test_rates_are_the_highest_at_each_number_of_false_positives(members, nonmembers):
    evidence = MembershipEvidence(records=(*members, *nonmembers), spans=((),) * 2)
    rates = true_positive_rates(evidence, *sides(len(members), len(nonmembers)))
    count = len(nonmembers)
    assert len(rates) == count + 1
    assert rates[-1] == 1.0
    for allowed in range(1, count):
        assert rates[allowed] == tpr_at_fpr(members, nonmembers, allowed / count)


def test_scores_that_are_not_finite_are_left_out_and_a_side_without_any_has_no_curve():
    evidence = MembershipEvidence(records=(2.0, None, 1.0, None), spans=((),) * 4)
    assert true_positive_rates(evidence, *sides(2, 2)).tolist() == [1.0, 1.0]
    assert true_positive_rates(evidence, np.array([True, False] * 2), np.ones(4, bool)) is None


@pytest.mark.parametrize("count", [20, 58, 500])
def test_no_curve_is_drawn_below_one_in_n_nonmembers(count):
    rates = tuple(np.linspace(0.3, 1, count + 1))
    svg = roc_plot([Curve("mine", rates, 100, Mark("#020201", "o"), "mine")], "ROC", "one curve")
    root = ElementTree.fromstring(svg)
    (mark,) = [group for group in root.iter("g") if group.get("class") == "mark"]
    drawn = [path.get("d") for path in mark.iter("path") if "series-1" in (path.get("class") or "")]
    beginning = min(float(x) for path in drawn if "L" in path for x in re.findall(r"[ML] (-?[\d.]+)", path))
    shade = next(path for path in root.iter("path") if path.get("class") == "fill-grid")
    edge = max(float(x) for x in re.findall(r"[ML] (-?[\d.]+)", shade.get("d")))
    assert beginning == pytest.approx(edge, abs=0.1)


def test_ties_on_all_records_find_nobody_before_everybody():
    tied = scored("mine", [1.0] * 30, [1.0] * 25)
    rates = true_positive_rates(tied.evidence, *sides(30, 25))
    assert rates.tolist() == [0.0] * 25 + [1.0]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_seeds_with_different_numbers_of_nonmembers_meet_at_the_points_of_the_least(sizes):
    curves = [np.linspace(0, 1, size + 1) for size in sizes]
    least = min(sizes)
    rates = mean_rates(curves)
    assert len(rates) == least + 1
    for place, rate in enumerate(rates):
        # On the line of who guesses nobody gains by being read at fewer points.
        assert rate <= place / least + 1e-12
    assert rates[-1] == 1.0
    assert mean_rates([curves[0]]) == tuple(curves[0])


def section(cells):
    (group,) = groups_of(leaderboard(cells), cells)
    return str(roc_section(group, marks_of(cells)).body), group


def board(*more, seeds=(0,)):
    rng = np.random.default_rng(0)
    cells = [
        scored(name, rng.normal(ahead, size=40), rng.normal(size=40), nll=nll, seed=seed, **extra)
        for seed in seeds
        for name, nll, ahead, extra in (
            ("base", 6.0, 0, {}),
            ("reference", 4.0, 0, {}),
            ("none", 3.0, 3, {"best_nll": 2.0}),
        )
    ]
    return [*cells, *more]


def test_scores_that_are_lacking_in_one_seed_only_leave_a_page(tmp_path):
    first, second = (scored("mine", np.arange(40.0) + 5, np.arange(40.0), seed=seed) for seed in (0, 1))
    lacking = [*second.evidence.records[:-9], *[None] * 9]
    second = second.model_copy(
        update={"evidence": MembershipEvidence(records=tuple(lacking), spans=second.evidence.spans)}
    )
    body, _ = section(board(first, second, seeds=(0, 1)))
    assert body.count('class="mark"') == 4
    assert "no curve" not in body


def test_a_model_without_a_curve_is_named_with_the_reason():
    silent = scored("mine", [1.0] * 40, [0.0] * 40)
    silent = silent.model_copy(
        update={"evidence": MembershipEvidence(records=(None,) * 80, spans=((),) * 80)}
    )
    body, _ = section(board(silent))
    assert "no curve of mine; for want of finite scores of members and of non-members" in body


def test_without_any_curve_the_page_says_so_and_is_whole():
    cells = [one.model_copy(update={"evidence": NOTHING}) for one in board()]
    body, _ = section(cells)
    assert "No model has finite scores of members and of non-members in this half: n/a." in body
    assert "<svg" not in body


def test_curves_and_areas_are_of_the_half_that_no_attack_was_chosen_on():
    # All evidence lies in the half that attacks are chosen on; in the other half all scores are one.
    plain = scored("mine", [0.0] * 40, [0.0] * 40)
    chosen, member = calibration_half(plain.audited), np.array(plain.audited.member)
    scores = np.where(chosen & member, 1.0, np.where(chosen, -1.0, 0.0))
    lucky = scored("mine", scores[:40], scores[40:], nll=3.5)
    cells = board(lucky)
    body, group = section(cells)
    (row,) = [row for row in group.rows if row.spec == "mine" and row.unit == "record"]
    assert row.auc > 0.7
    curve = curve_of(row, cells, marks_of(cells))
    assert curve.rates == (*[0.0] * 20, 1.0)
    assert "AUC 0.50" in curve.tip
    assert "20 members, 20 non-members of the evaluation half" in curve.tip
    assert "not to be told from 0.5: mine" in body
    assert "above 0.5, which is chance: none" in body


def test_the_attack_shown_first_is_one_that_every_defense_was_put_to():
    # One attack finds all, but only on the one defense that it was put to.
    only = scored("none", np.arange(40.0) + 99, np.arange(40.0), attack="zlib", best_nll=2.0)
    mine = scored("mine", np.arange(40.0) + 5, np.arange(40.0), nll=3.5)
    body, _ = section(board(mine, only))
    assert body.index("loss (target)") < body.index("<details>") < body.index("zlib (target)")


def beginnings(svg):
    """By curve where its line begins, in pixels."""
    found = {}
    for place, group in enumerate(
        g for g in ElementTree.fromstring(svg).iter("g") if g.get("class") == "mark"
    ):
        for path in group.iter("path"):
            points = re.findall(r"[ML] (-?[\d.]+) (-?[\d.]+)", path.get("d"))
            if max(float(x) for x, _ in points) > 50:  # no marker's own shape
                found.setdefault(place, tuple(map(float, points[0])))
    return found


def test_a_rate_of_one_member_in_one_of_several_seeds_is_not_drawn_as_none():
    rates = (0.0, 1 / 400, *[1.0] * 19)
    curves = [Curve("mine", rates, 100, Mark("#020201", "o"), "mine", seeds=4)]
    curves.append(Curve("other", (0.0,) * 20 + (1.0,), 100, Mark("#020202", "s"), "other", seeds=4))
    svg = str(roc_plot(curves, "ROC", "two curves"))
    (_, mine), (_, other) = beginnings(svg).values()
    assert mine < other - 5
    assert ">none<" not in svg
    assert ">0<" in svg


def test_a_curve_of_more_nonmembers_than_the_least_begins_where_all_do():
    few = Curve("few", (0.0,) * 20 + (1.0,), 50, Mark("#020201", "o"), "few")
    many = Curve("many", tuple(np.linspace(0, 1, 101)), 50, Mark("#020202", "s"), "many")
    (one, _), (other, _) = beginnings(str(roc_plot([few, many], "ROC", "two curves"))).values()
    assert one == pytest.approx(other, abs=0.1)
    assert many.begins(20) == pytest.approx(0.05)

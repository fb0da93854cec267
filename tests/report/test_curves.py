import re
from xml.etree import ElementTree

import numpy as np
import pytest
from boards import scored
from hypothesis import given
from hypothesis import strategies as st

from bench.report.marks import Mark
from bench.report.roc import true_positive_rates
from bench.report.roc_plot import Curve, roc_plot
from bench.results import MembershipEvidence
from bench.statistics import tpr_at_fpr

SCORES = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=12)


@given(SCORES, SCORES)
def test_rates_are_the_highest_at_each_number_of_false_positives(members, nonmembers):
    evidence = MembershipEvidence(records=(*members, *nonmembers), spans=((),) * 2)
    rates = true_positive_rates(evidence, [True] * len(members) + [False] * len(nonmembers))
    count = len(nonmembers)
    assert len(rates) == count + 1
    assert rates[-1] == 1.0
    for allowed in range(1, count):
        assert rates[allowed] == tpr_at_fpr(members, nonmembers, allowed / count)


def test_scores_that_are_not_finite_are_left_out_and_a_side_without_any_has_no_curve():
    evidence = MembershipEvidence(records=(2.0, None, 1.0, None), spans=((),) * 4)
    assert true_positive_rates(evidence, [True, True, False, False]).tolist() == [1.0, 1.0]
    assert true_positive_rates(evidence, [True, False, True, False]) is None


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
    rates = true_positive_rates(tied.evidence, tied.audited.member)
    assert rates.tolist() == [0.0] * 25 + [1.0]

"""TRA of tokens, against what is counted by hand."""

import math

import numpy as np
import pytest
from subjects import said, span, subject

from bench.evaluation.memorization import memorization


def ahead(name, by, *spans, **given):
    """A record whose tokens the model under attack knows better than its reference by these nats."""
    return subject(
        name, *spans, target=said([-1.0] * len(by)), complement=said([-1.0 - nats for nats in by]), **given
    )


def test_means_are_those_counted_by_hand():
    members = [
        ahead("a", [3, 0.5, 0.5, -0.25], span(0, 2), span(3, 4, label="CITY")),
        ahead("b", [-2, 1], span(0, 1)),
    ]
    found = memorization(members, "complement", {"target": {}})
    assert found.tra_pii == pytest.approx((3 + 0.5 - 0.25 - 2) / 4)
    assert found.tra_other == pytest.approx((0.5 + 1) / 2)
    assert (found.share_above_1_nat, found.n_pii_tokens) == (0.25, 4)
    assert {label: (part.n_tokens, part.tra) for label, part in found.by_label.items()} == {
        "CITY": (1, -0.25),
        "NAME": (3, 0.5),
    }
    assert found.by_label["NAME"].share_above_1_nat == pytest.approx(1 / 3)


def test_non_members_do_not_count():
    members = [ahead("a", [1, 2], span(0, 1))]
    assert memorization(
        [*members, ahead("b", [9, 9], span(0, 1), member=False)], "complement", {"target": {}}
    ) == (memorization(members, "complement", {"target": {}}))


def test_upper_quantiles_lie_between_the_tokens_that_they_fall_between():
    member = ahead("a", [*range(10, -1, -1), 50], span(0, 11))
    found = memorization([member], "complement", {"target": {}}).by_label["NAME"]
    # Of 0, 1, ..., 10 the places are 0.9 * 10 and 0.99 * 10.
    assert (found.q90, found.q99) == (pytest.approx(9.0), pytest.approx(9.9))
    assert (found.n_tokens, found.tra, found.share_above_1_nat) == (11, 5.0, pytest.approx(9 / 11))


def test_a_token_is_as_rare_as_the_complement_has_it():
    counts = {1: 1, 9: 9, 10: 10, 99: 99, 100: 100, 5000: 5000}
    ids = [7, 1, 9, 10, 99, 100, 5000, 7, 100]
    member = ahead("a", [1, 2, 4, 8, 16, 32, 64, 0.5, 0.25], span(0, 7), ids=ids)
    found = memorization([member], "complement", {"target": counts, "complement": {}})
    assert {name: (part.n_tokens, part.tra) for name, part in found.pii_by_rarity.items()} == {
        "0": (1, 1.0),
        "1-9": (2, 3.0),
        "10-99": (2, 12.0),
        "100+": (2, 48.0),
    }
    assert found.pii_by_rarity["100+"].q90 == pytest.approx(32 + 0.9 * 32)
    assert {name: (part.n_tokens, part.tra) for name, part in found.other_by_rarity.items()} == {
        "0": (1, 0.5),
        "1-9": (0, None),
        "10-99": (0, None),
        "100+": (1, 0.25),
    }


def test_where_both_halves_are_trained_on_a_token_is_as_rare_as_the_other_half_has_it():
    target, complement = (ahead(split, [2, 4], ids=[5, 6], split=split) for split in ("target", "complement"))
    found = memorization([target, complement], "complement", {"target": {5: 3}, "complement": {6: 30}})
    assert {name: part.n_tokens for name, part in found.other_by_rarity.items()} == {
        "0": 2,
        "1-9": 1,
        "10-99": 1,
        "100+": 0,
    }
    assert (found.other_by_rarity["1-9"].tra, found.other_by_rarity["10-99"].tra) == (2.0, 4.0)


def test_the_interval_is_over_units_and_refused_below_20():
    def crowd(units):
        rng = np.random.default_rng(0)
        return [
            ahead(f"r{n}", rng.normal(1, 0.3, 4).round(3), span(0, 3), unit=f"u{n % units}")
            for n in range(80)
        ]

    assert memorization(crowd(19), "complement", {"target": {}}).tra_pii_ci is None
    found = memorization(crowd(80), "complement", {"target": {}})
    low, high = found.tra_pii_ci
    assert low < found.tra_pii < high
    # 240 tokens, all independent: give or take 1.96 standard errors.
    assert high - low == pytest.approx(2 * 1.96 * 0.3 / math.sqrt(240), rel=0.3)


def test_without_personal_information_figures_are_absent():
    found = memorization([ahead("a", [0, 1])], "complement", {"target": {}})
    assert (found.tra_pii, found.tra_pii_ci, found.share_above_1_nat, found.n_pii_tokens) == (
        None,
        None,
        None,
        0,
    )
    assert (found.tra_other, found.by_label) == (0.5, {})
    assert [part.n_tokens for part in found.pii_by_rarity.values()] == [0, 0, 0, 0]

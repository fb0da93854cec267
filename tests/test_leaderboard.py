import json

import pytest
from boards import (
    NEEDS,
    PRIVACY,
    SHIFTED,
    TPR_REFUSED,
    cell,
    flags,
    floors,
    leakage,
    membership,
    memory,
    rows,
    undefended_by_loss,
)

from bench.comparisons import over_seeds
from bench.errors import InputError
from bench.leaderboard import checked_cell, leaderboard, of_one_version, shifted
from bench.rendering import as_markdown
from bench.statistics import Interval


def test_gain_kept_is_measured_from_the_base_to_the_best_of_the_undefended_run():
    gains = {spec: row.utility.gain_kept for spec, row in rows(*floors(), cell("mine", 3.5)).items()}
    assert gains == {"base": 0.0, "reference": 0.5, "none": 0.75, "mine": 0.625}


def test_gain_kept_is_refused_where_there_is_no_gain_or_no_yardstick():
    assert rows(cell("base", 2.0), cell("none", 2.5, best_nll=2.0))["none"].utility.gain_kept is None
    assert rows(cell("base", 6.0), cell("mine", 3.0))["mine"].utility.gain_kept is None
    assert rows(cell("none", 3.0), cell("mine", 3.0))["mine"].utility.gain_kept is None


def test_remaining_memorization_is_the_share_of_the_undefended_runs():
    mine = cell("mine", 3.5, attack="tra", memorization=memory(-0.5, 0.1))
    kept = {(row.spec, row.attack): row for row in leaderboard([*floors(), mine, cell("mine", 3.5)]).rows}
    assert kept["none", "tra"].memorization.remaining_pii == 1.0
    for attack in ("tra", "loss"):
        assert kept["mine", attack].memorization.remaining_pii == -0.25
        assert kept["mine", attack].memorization.remaining_other == pytest.approx(0.2)
    forgetful = cell("none", 3.0, attack="tra", memorization=memory(-1.0))
    assert rows(cell("base", 6.0), forgetful, mine)["mine"].memorization.remaining_pii is None


def test_floors_come_first_then_the_frontier_then_who_keeps_more():
    a, b, c = cell("a", 5.0), cell("b", 3.5, membership(1.0)), cell("c", 4.5)
    ordered = list(rows(a, b, c, *floors(), undefended_by_loss()))
    assert ordered == ["base", "reference", "none", "c", "b", "a"]
    assert leaderboard([a, b, c, *floors()]) == leaderboard([*floors(), c, b, a])


def test_who_predicts_worse_than_the_reference_beyond_doubt_is_flagged_but_not_for_a_hair():
    at, hair, below, above = (
        cell(spec, nll) for spec, nll in (("at", 4.0), ("hair", 4.003), ("below", 4.05), ("above", 3.9))
    )
    found = flags(*floors(), at, hair, below, above)
    assert {spec for spec, named in found.items() if "below-reference" in named} == {"below"}


def test_nobody_is_below_a_reference_whose_losses_are_not_known_or_are_of_other_records():
    below = cell("below", 5.0)
    ids, nll = below.audited.ids, below.audited.nll
    for changed in ({"nll": (None, *nll[1:])}, {"ids": ("another", *ids[1:])}):
        unknown = cell("reference", 4.0)
        unknown = unknown.model_copy(update={"audited": unknown.audited.model_copy(update=changed)})
        assert "below-reference" not in flags(cell("base", 6.0), unknown, below)["below"]


def test_a_row_says_what_is_missing_or_special_about_it():
    both = ["target", "complement"]
    whole = cell("whole", 3.0, trained_on=both, memorization=memory(0.1), attack="tra")
    private = cell("dp", 3.0, privacy=PRIVACY)
    grouped = cell("dp-grouped", 3.0, privacy=PRIVACY, counts={"member_units": 12})
    found = flags(*floors(), whole, private, grouped)
    assert (found["none"], found["whole"]) == (set(), {"trained-on-both-halves"})
    assert found["dp"] == {"no-auditor-reference"}
    assert found["dp-grouped"] == {"no-auditor-reference", "record-level"}
    alone = flags(cell("base", 6.0), cell("mine", 3.0))
    assert alone["mine"] == {"no-undefended-run", "no-auditor-reference"}
    in_full = cell("mine", 3.0, trained_on=both, setting={"protocol": "full"})
    assert "trained-on-both-halves" not in flags(in_full)["mine"]


def test_a_shift_between_members_and_nonmembers_is_flagged_on_membership_rows_only():
    by_attack = {
        attack: cell("mine", 3.0, membership(0.9), attack=attack, blind=SHIFTED)
        for attack in ("loss", "tra", "extraction")
    }
    board = leaderboard([*floors(), *by_attack.values()])
    flagged = {row.attack for row in board.rows if "distribution-shift" in row.flags}
    assert flagged == {"loss", "tra"}
    assert {row.blind.shifted for row in board.rows if row.spec == "mine"} == {True}
    assert shifted(board) == {
        "notes": "distribution-shift: text alone tells members from non-members",
    }
    assert shifted(leaderboard([*floors(), by_attack["extraction"]])) == {}


def test_a_blind_control_that_could_not_be_computed_says_what_it_needs():
    unknown = {"blind": {"auc": None, "auc_ci": None}}
    board = leaderboard([cell("base", 6.0, **unknown), cell("none", 3.0, **unknown)])
    assert shifted(board) == {
        "notes": "the blind control could not be computed: it needs >= 20 units on either side"
    }


def two_seeds(first: dict, second: dict):
    return rows(cell("mine", 4.0, first, seed=0), cell("mine", 4.0, second, seed=1))["mine"]


def test_seeds_are_averaged_each_against_its_own_yardsticks():
    cells = [cell("base", 6.0, seed=0), cell("none", 2.0, best_nll=2.0, seed=0)]
    cells += [cell("base", 7.0, seed=1), cell("none", 3.0, best_nll=3.0, seed=1)]
    cells += [cell("mine", 4.0, membership(auc), seed=seed) for seed, auc in ((0, 0.5), (1, 0.875))]
    mine = rows(*cells)["mine"]
    assert (mine.seeds, mine.auc) == ((0, 1), 0.6875)
    # Leakage 0 and 0.75 on either half, gain 2/4 and 3/4.
    assert (mine.leakage.calibration, mine.leakage.evaluation, mine.utility.gain_kept) == (
        0.375,
        0.375,
        0.625,
    )
    assert mine.tpr_at_fpr == TPR_REFUSED


def test_an_interval_over_seeds_covers_their_mean_and_grows_with_their_disagreement():
    near = two_seeds(membership(0.7), membership(0.72))
    far = two_seeds(membership(0.6), membership(0.82))
    for row in (near, far):
        for value, (low, high) in (
            (row.auc, row.auc_ci),
            (row.leakage.evaluation, row.leakage.evaluation_ci),
        ):
            assert low < value < high
    assert far.auc == pytest.approx(near.auc)
    assert far.auc_ci[1] - far.auc_ci[0] > near.auc_ci[1] - near.auc_ci[0]
    both = over_seeds([0.7, 0.72], [Interval(0.6, 0.8), Interval(0.62, 0.82)])
    assert near.auc_ci == pytest.approx((both.low, both.high))


def test_an_interval_over_seeds_ends_where_its_figure_does():
    row = two_seeds(membership(0.6), membership(0.95))
    assert row.auc_ci == (0.0, 1.0)
    assert row.leakage.evaluation_ci == (-1.0, 1.0)


def test_a_figure_that_one_seed_lacks_is_refused_and_says_why():
    needs = {"auc": "needs members and non-members with finite scores"}
    one, other = membership(0.5), membership(None, refused=NEEDS | needs)
    for row in (two_seeds(one, other), two_seeds(other, one)):
        assert (row.auc, row.auc_ci, row.leakage.evaluation) == (None, None, None)
        assert row.refused == NEEDS | needs
    thin = membership(0.7, leakage=leakage(0.4) | {"evaluation_ci": None})
    assert two_seeds(membership(0.7), thin).leakage.evaluation_ci is None


def test_seeds_are_joined_by_what_was_attacked_and_a_copied_cell_is_refused():
    both = cell("mine", 4.0, membership(0.5), membership(0.8, "span"), seed=0)
    swapped = cell("mine", 4.0, membership(0.7, "span"), membership(0.6), seed=1)
    joined = {row.unit: row.auc for row in leaderboard([both, swapped]).rows}
    assert joined == pytest.approx({"record": 0.55, "span": 0.75})
    lacking = cell("mine", 4.0, membership(0.6), seed=1)
    assert {row.unit: row.seeds for row in leaderboard([both, lacking]).rows}["record"] == (0, 1)
    with pytest.raises(InputError, match="two cell files"):
        leaderboard([*floors(), *floors()])


@pytest.mark.parametrize(
    "changed",
    [
        {"dataset": "x"},
        {"model": "x"},
        {"tuning": "lora"},
        {"setting": {"epochs": 3}},
        {"setting": {"protocol": "full"}},
    ],
    ids=lambda changed: "-".join(changed),
)
def test_different_settings_never_share_a_table_or_a_yardstick(changed):
    board = leaderboard([*floors(), cell("mine", 3.0, **changed)])
    assert [row.utility.gain_kept for row in board.rows if row.spec == "mine"] == [None]
    tables = as_markdown(board).split("\n## ")[1:]
    assert len(tables) == 2
    assert not any("| mine" in table and "| none" in table for table in tables)


def test_cells_of_two_versions_of_the_code_are_refused_and_the_fewer_named():
    older = [cell("mine", 3.0, code="older"), cell("mine", 3.0, attack="tra", code="older")]
    with pytest.raises(InputError) as error:
        leaderboard([*older, *floors()])
    told = str(error.value)
    assert "notes · tiny: of other code than the rest are mine · loss, mine · tra; run again" in told
    assert len(told.splitlines()) == 1
    many = [cell(f"m{n}", 3.0, code="newer") for n in range(8)]
    with pytest.raises(InputError, match=r"the rest are base · loss, none · tra, reference · loss; run"):
        leaderboard([*floors(), *many])
    elsewhere = cell("mine", 3.0, dataset="x", code="older")
    assert len(leaderboard([*floors(), elsewhere]).rows) == 4


def test_an_invalid_cell_is_refused_with_its_file_and_field():
    stated = cell("none", 3.0).model_dump(mode="json", by_alias=True)
    for broken, field in (
        (stated | {"seed": "x"}, "seed"),
        (stated | {"schema": "trap-bench-cell/1"}, "schema"),
        (stated | {"utility": stated["utility"] | {"nll": float("nan")}}, r"utility\.nll"),
        (stated | {"results": [membership(0.5) | {"auc": 1.5}]}, r"results\.0\.auc"),
        (stated | {"added": 1}, "added"),
        ({name: value for name, value in stated.items() if name != "cost"}, "cost"),
        ({name: value for name, value in stated.items() if name != "audited"}, "audited"),
    ):
        with pytest.raises(InputError, match=rf"cell cells/one\.json: {field}: ") as error:
            checked_cell(broken, "cells/one.json")
        assert len(str(error.value).splitlines()) == 1
    assert checked_cell(json.loads(json.dumps(stated)), "x") == cell("none", 3.0)


def test_of_cells_that_would_stand_in_one_table_only_those_of_current_code_stay():
    def of(code: str, defense: str, **changed):
        return cell(defense, 3.0, code=code, **changed)

    older, newer, alone = of("1", "none"), of("2", "mine"), of("1", "none", dataset="others")
    assert of_one_version([older, newer, alone], "2") == [newer, alone]
    assert of_one_version([older, newer, alone], "3") == [alone]
    assert of_one_version([older, alone], "2") == [older, alone]

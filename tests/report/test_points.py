import numpy as np
import pytest
from boards import cell, floors, judged, leakage, membership, scored, undefended_by_loss
from runs import scored_run

from bench.leaderboard import leaderboard
from bench.report.frontier import frontier_section
from bench.report.gain import gain_interval
from bench.report.groups import groups_of
from bench.report.marks import marks_of
from bench.report.points import left_out, points_of
from bench.report.sweeps import sweeps_of


def group_of(cells, level="population"):
    (group,) = groups_of(leaderboard(cells, level), cells)
    return group


def test_points_have_the_gain_and_the_strongest_leak_of_the_leaderboard():
    group = group_of(scored_run())
    points, lacking = points_of(group, "population")
    assert not lacking
    by_spec = {point.spec: point for point in points}
    rows = {row.spec: row for row in group.rows}
    for spec, point in by_spec.items():
        assert point.gain == rows[spec].utility.gain_kept
        assert point.frontier == rows[spec].frontier
    assert by_spec["none"].leak > by_spec["trap:strength=2"].leak
    assert by_spec["trap:strength=0.5"].attack == "loss on records"
    assert "on the frontier" in by_spec["trap:strength=2"].tip
    assert [point.spec for point in points if point.floor] == ["base", "reference"]


def test_defenses_of_one_name_are_joined_in_the_order_of_the_parameter_that_varies():
    group = group_of(scored_run())
    points, _ = points_of(group, "population")
    (sweep,) = sweeps_of(points, group.rows)
    assert sweep.parameter == "strength"
    assert sweep.values == (0.5, 1.0, 2.0)
    assert [point.spec for point in sweep.points] == [f"trap:strength={value}" for value in (0.5, 1, 2)]


def test_defenses_that_differ_in_something_else_are_on_curves_of_their_own():
    others = [
        one.model_copy(
            update={"params": one.params | {"margin": 1.0}, "spec": f"{one.spec},margin=1", "key": "other"}
        )
        for one in scored_run()
        if one.defense == "trap"
    ]
    group = group_of(scored_run() + others)
    sweeps = sweeps_of(points_of(group, "population")[0], group.rows)
    assert [len(sweep.points) for sweep in sweeps] == [3, 3]
    assert {point.spec.endswith("margin=1") for point in sweeps[1].points} in ({True}, {False})


def test_the_interval_of_the_gain_holds_it_and_closes_where_all_records_agree():
    cells = scored_run()
    (trap,) = [
        row for row in leaderboard(cells).rows if row.spec == "trap:strength=2" and row.attack == "loss"
    ]
    ends = gain_interval(cells, "trap:strength=2")
    assert ends.low < trap.utility.gain_kept < ends.high
    assert ends.high - ends.low < 0.1


def test_the_gain_of_records_that_are_all_better_by_as_much_is_as_good_as_certain():
    # Base at 6 nats a token and the best run at 2: two nats less on each record are half of the gain.
    base = cell("base", 6.0)
    less = tuple(nll - 2.0 * 10 + 0.01 * (-1) ** place for place, nll in enumerate(base.audited.nll))
    mine = cell("mine", 4.0).model_copy(update={"audited": base.audited.model_copy(update={"nll": less})})
    ends = gain_interval([base, mine, cell("none", 3.0, best_nll=2.0)], "mine")
    assert ends.low == pytest.approx(0.5, abs=1e-3)
    assert ends.high == pytest.approx(0.5, abs=1e-3)


def test_without_a_base_model_or_with_too_few_records_there_is_no_interval():
    cells = [cell("mine", 4.0), cell("none", 3.0, membership(0.9), best_nll=2.0)]
    assert gain_interval(cells, "mine") is None
    few = {"audited": judged(4.0, "mine", 30, 5)}
    base = cell("base", 6.0).model_copy(update={"audited": judged(6.0, "base", 30, 5)})
    assert gain_interval([base, cells[0].model_copy(update=few), cells[1]], "mine") is None


def test_long_records_weigh_as_much_in_the_interval_of_the_gain_as_in_the_gain():
    # Half of the records are long, and gain half of what there is to gain a token; the short ones all of it.
    def of(name, nll):
        audited = judged(nll, name, 30, 40)
        tokens = tuple(400 if place % 2 else 10 for place in range(70))
        own = np.random.default_rng(list(name.encode())).normal(0, 0.01, 70)
        kept = {"base": (6.0, 6.0), "mine": (2.0, 4.0)}.get(name, (2.0, 2.0))
        losses = [count * (kept[place % 2] + own[place]) for place, count in enumerate(tokens)]
        changed = audited.model_copy(update={"n_tokens": tokens, "nll": tuple(losses)})
        best = 2.0 if name == "none" else None
        return cell(name, nll, best_nll=best).model_copy(update={"audited": changed})

    cells = [of("base", 6.0), of("mine", (400 * 4.0 + 10 * 2.0) / 410), of("none", 2.0)]
    ends = gain_interval(cells, "mine")
    assert ends.low < (400 * 0.5 + 10 * 1.0) / 410 < ends.high
    assert ends.high < 0.6


def test_why_a_leak_is_lacking_is_about_leaks():
    silent = membership(None, leakage=leakage(None), refused={"auc": "needs members with finite scores"})
    silent["refused"] = {"tpr_at_fpr.0.01": "needs >= 100 non-members"} | silent["refused"]
    group = group_of([*floors()[:2], undefended_by_loss(), cell("mine", 3.0, silent)])
    _, (lacking,) = points_of(group, "population")
    assert (lacking.spec, lacking.why) == ("mine", "no leak: needs members with finite scores")
    unasked = [
        cell(name, nll, attack="tra", **more)
        for name, nll, more in (("base", 6.0, {}), ("none", 3.0, {"best_nll": 2.0}))
    ]
    _, lacking = points_of(group_of(unasked), "base")
    assert {one.why for one in lacking} == {
        "no leak: no attack of level base or below that all defenses were put to"
    }


def test_attacks_that_not_all_defenses_were_put_to_are_named():
    cells = [*floors()[:2], undefended_by_loss(), cell("mine", 3.0), cell("mine", 3.0, attack="zlib")]
    group = group_of(cells)
    assert left_out(group) == {"zlib": ["mine"]}
    marks = marks_of(cells)
    assert "Not counted: zlib, which was tried on mine alone" in frontier_section(group, marks).body


def test_groups_of_one_title_are_told_apart_by_what_differs():
    one = scored_run()
    setting = one[0].setting
    longer, other = (setting.model_copy(update=update) for update in ({"epochs": 9}, {"data": "other"}))
    cells = [*one, *scored_run(setting=longer)]
    plain = "notes · tiny · full fine-tuning · protocol half"
    titles = [group.title for group in groups_of(leaderboard(cells), cells)]
    assert sorted(titles) == [f"{plain} · epochs 2", f"{plain} · epochs 9"]
    cells = [*one, *scored_run(setting=other)]
    found = groups_of(leaderboard(cells), cells)
    assert {group.title for group in found} == {f"{plain} · setting {g.rows[0].setting}" for g in found}
    assert [group.title for group in groups_of(leaderboard(one), one)] == [plain]


@pytest.mark.parametrize(("stronger", "told"), [(0.05, True), (3.0, False)])
def test_a_step_between_adversaries_is_called_chance_where_it_may_be(stronger, told):
    rng = np.random.default_rng(1)
    cells = []
    for name, nll, more in (("base", 6.0, {}), ("reference", 4.0, {}), ("none", 3.0, {"best_nll": 2.0})):
        inside, outside = rng.normal(0.3, size=100), rng.normal(size=100)
        better = inside + (stronger if name == "none" else 0) + rng.normal(scale=0.3, size=100)
        cells.append(scored(name, inside, outside, nll=nll, **more))
        cells.append(scored(name, better, outside, nll=nll, attack="tra", **more))
    body = str(frontier_section(group_of(cells), marks_of(cells)).body)
    assert "The widest step: none leaks" in body
    assert ("which cannot be told from chance" in body) == told


def test_a_folded_plot_says_who_is_not_in_it():
    silent = membership(None, leakage=leakage(None), refused={"auc": "needs finite scores"})
    cells = [*floors(), undefended_by_loss(), cell("mine", 3.0, silent)]
    cells += [cell(name, 6.0, attack="tra") for name in ("base", "reference", "mine")]
    body = str(frontier_section(group_of(cells, "complement"), marks_of(cells)).body)
    assert "Not drawn: mine; no leak: needs finite scores." in body[body.index("<details>") :]

import pytest
from boards import cell, judged, membership
from runs import scored_run

from bench.leaderboard import leaderboard
from bench.report.gain import gain_interval
from bench.report.groups import groups_of
from bench.report.points import points_of
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

"""Protocol full: members are both halves, and each half is judged by what has not seen it."""

from types import SimpleNamespace

import numpy as np
import pytest

import bench
import bench.workshop
from bench.experiment import settings_from
from bench.plan import make_plan
from bench.publishing import read_leaderboard
from bench.rendering import as_markdown
from bench.store import Store
from bench.tasks import OTHER_HALF, Cell, Scoring
from bench.verification import verify
from bench.workshop import Workshop

DATA = {"dataset": "synthetic-clinical", "limit": 40, "max_length": 40, "epochs": 4, "learning_rate": 1e-2}
CHOSEN = {"defense": ["none", "trap"], "attack": ["tra", "extraction"], "protocol": "full"}


@pytest.fixture(scope="module")
def full(folders, tmp_path_factory):
    """A run on a small random model: its folder, plan and results, and what every training was given."""
    out, given = tmp_path_factory.mktemp("full"), {}
    train = bench.workshop.train_once

    def watched(model, records, validation, defense, schedule, seed, references, *rest):
        given.setdefault(defense.name, (records, references))
        return train(model, records, validation, defense, schedule, seed, references, *rest)

    settings = DATA | CHOSEN | {"model": str(folders["llama"]), "out": out}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench.workshop, "train_once", watched)
        results = bench.run(**settings)
    return SimpleNamespace(
        out=out,
        settings=settings,
        plan=make_plan(settings_from(settings)),
        results=results,
        given=given,
        workshop=Workshop(Store(out)),
    )


def planned(**changed) -> list[Cell]:
    settings = {"dataset": "synthetic-clinical", "limit": 40} | CHOSEN | changed
    return list(make_plan(settings_from(settings)).cells)


def split_of(cell: Cell) -> dict[str, str]:
    return {record.id: name for name in cell.lab.audited for record in cell.lab.splits[name]}


def stored(full, cell: Cell):
    (found,) = [one for one in full.results.cells if one.key == cell.key]
    return found


def test_every_defense_trains_on_both_halves_and_trap_with_each_half_against_the_other():
    for cell in planned(defense=["none", "dropout", "dp-sgd", "trap"], attack="loss"):
        if cell.defense is None:
            continue
        (scoring,) = cell.sources["target"].scorings
        assert scoring.training.trained_on == ("target", "complement")
        assert len(scoring.training.units) == sum(
            len(cell.lab.splits[name]) for name in ("target", "complement")
        )
        references = [reference.trained_on for reference in scoring.training.references]
        assert references == ([("complement",), ("target",)] if cell.row == "trap" else [])


@pytest.mark.parametrize("source", ["complement", "floor:reference"])
def test_what_a_record_is_held_against_has_never_seen_it(source):
    judged = [cell.sources[source] for cell in planned() if source in cell.sources]
    judged += [cell.sources["target"] for cell in planned() if cell.row == "reference"]
    assert judged
    for one in judged:
        for half, other in OTHER_HALF.items():
            assert {one.scoring_of(half, place).training.trained_on for place in range(12)} == {(other,)}
        holdout = [one.scoring_of("holdout", place).training.trained_on for place in range(4)]
        assert holdout == [("complement",), ("target",)] * 2


def test_the_adversarys_own_reference_is_one_model_that_saw_neither_half():
    for cell in planned(attack="tra:against=population"):
        (scoring,) = cell.sources["population"].scorings
        assert scoring.training.trained_on == ("population",)


def test_the_auditors_references_are_none_of_the_defenders():
    (trap,) = [cell for cell in planned(attack="tra") if cell.row == "trap"]
    auditors = {scoring.training.key for scoring in trap.sources["complement"].scorings}
    defenders = {own.key for own in trap.sources["target"].scorings[0].training.references}
    assert len(auditors) == len(defenders) == 2
    assert not auditors & defenders


def test_members_are_the_records_of_both_halves(full):
    splits = split_of(full.plan.cells[0])
    for cell in full.results.cells:
        assert dict(zip(cell.audited.ids, cell.audited.member, strict=True)) == {
            name: split != "holdout" for name, split in splits.items()
        }
        assert cell.counts.members == sum(split != "holdout" for split in splits.values())
        assert set(cell.trained_on) == (set(OTHER_HALF) if cell.defense in {"none", "trap"} else set())


def test_a_record_is_judged_by_the_signals_of_the_model_that_has_not_seen_it(full):
    (cell,) = [c for c in full.plan.cells if (c.row, c.attack.name) == ("reference", "tra")]
    by_half = {scoring.training.trained_on[0]: scoring for scoring in cell.sources["target"].scorings}
    losses = {half: losses_of(full, scoring) for half, scoring in by_half.items()}
    judged = stored(full, cell).audited
    by_model = {"target": 0, "complement": 0}
    for name, nll in zip(judged.ids, judged.nll, strict=True):
        split = split_of(cell)[name]
        if split == "holdout":
            (model,) = [half for half in losses if nll == pytest.approx(losses[half][name], rel=1e-5)]
            by_model[model] += 1
        else:
            assert nll == pytest.approx(losses[OTHER_HALF[split]][name], rel=1e-5)
            assert nll != pytest.approx(losses[split][name], rel=1e-3)
    assert abs(by_model["target"] - by_model["complement"]) <= 1


def losses_of(full, scoring: Scoring) -> dict[str, float]:
    """By record, the loss in nats under one model, whichever half that was trained on."""
    names = [record.id for split in scoring.covered for record in scoring.lab.splits[split]]
    signals = full.workshop.signals_of(scoring)
    return {
        name: -float(signal.logprobs.sum(dtype=np.float64))
        for name, signal in zip(names, signals, strict=True)
    }


def test_trap_is_held_back_on_each_half_by_the_reference_of_the_other(full):
    (cell,) = [c for c in full.plan.cells if (c.row, c.attack.name) == ("trap", "tra")]
    training = cell.sources["target"].scorings[0].training
    records, references = full.given["trap"]
    names = [record.id for half in ("target", "complement") for record in cell.lab.splits[half]]
    assert [record.record_id for record in records] == names
    assert full.given["none"][1] is None
    unseen = {
        reference.trained_on[0]: losses_of(full, Scoring(cell.lab, reference))
        for reference in training.references
    }
    for record, logprobs in zip(records, references, strict=True):
        half = split_of(cell)[record.record_id]
        assert -logprobs.sum() == pytest.approx(unseen[OTHER_HALF[half]][record.record_id], rel=1e-5)


def test_undefended_training_memorizes_both_halves_and_the_reference_neither(full):
    found = {(cell.defense, cell.attack): cell for cell in full.results.cells}
    splits = split_of(full.plan.cells[0])
    for half in OTHER_HALF:
        for row, memorizes in (("none", True), ("reference", False)):
            cell = found[row, "tra"]
            scores = zip(cell.audited.ids, cell.evidence.records, strict=True)
            advantage = np.mean([score for name, score in scores if splits[name] == half])
            assert (advantage > 0.3) == memorizes
            assert memorizes or abs(advantage) < 0.3


def test_the_trainings_of_both_references_are_counted(full):
    trainings = {cell.defense: cell.cost.trainings for cell in full.results.cells}
    assert trainings == {"base": 0, "reference": 2, "none": 1, "trap": 3}


def test_rows_say_their_protocol_and_every_figure_can_be_recomputed(full):
    rows = full.results.leaderboard.rows
    assert {row.protocol for row in rows} == {"full"}
    assert not any("trained-on-both-halves" in row.flags for row in rows)
    assert "· protocol full ·" in as_markdown(full.results.leaderboard)
    verified = verify(Store(full.out))
    assert (verified.differences, verified.from_signals) == ((), len(full.plan.cells))


def test_half_and_full_never_stand_in_one_table(full):
    half = {"protocol": "half", "defense": "none", "attack": "tra"}
    bench.run(**full.settings | half)
    board = read_leaderboard(Store(full.out))
    by_setting = {}
    for row in board.rows:
        by_setting.setdefault(row.setting, set()).add(row.protocol)
    assert sorted(map(sorted, by_setting.values())) == [["full"], ["half"]]
    assert len(as_markdown(board).split("\n## ")) == 3
    nlls = {row.protocol: row.utility.nll for row in board.rows if row.spec == "none"}
    assert nlls["half"] != nlls["full"]

from collections import Counter
from pathlib import Path

import pytest

from bench.attack import Decoding
from bench.errors import InputError
from bench.experiment import settings_from
from bench.graph import Judge, Score, Train
from bench.plan import Cell, Plan, make_plan
from bench.registry import attacks, defenses
from bench.store import Store
from bench.tasks import Training

SMALL = {"dataset": "synthetic-clinical", "limit": 40}


def plan(**settings: object) -> Plan:
    return make_plan(settings_from(SMALL | settings))


def cell(row: str, attack: str = "loss", **settings: object) -> Cell:
    (found,) = [
        cell for cell in plan(**({"defense": "none", "attack": attack} | settings)).cells if cell.row == row
    ]
    return found


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "run")


@pytest.fixture(autouse=True)
def _no_plugin_outlives_its_test():
    yield
    defenses().forget()
    attacks().forget()


def audited(cell: Cell) -> Training:
    """The training that is under attack, of the first half where there are two."""
    return cell.sources["target"].scorings[0].training


def trainings(plan: Plan, store: Store) -> list[Training]:
    return [one for task in plan.tasks(store) if isinstance(task, Train) for one in task.trainings]


def scorings(plan: Plan, store: Store) -> list[Score]:
    return [task for task in plan.tasks(store) if isinstance(task, Score)]


def roles(plan: Plan, store: Store) -> list[str]:
    return [training.role for training in trainings(plan, store)]


def test_trap_under_extraction_takes_two_trainings_and_three_cells(store):
    planned = plan(defense="trap", attack="extraction")
    assert roles(planned, store) == ["reference", "trap"]
    assert [cell.spec for cell in planned.cells] == ["base", "reference", "trap"]
    assert {cell.attack.name for cell in planned.cells} == {"extraction"}
    # The base model, the reference, trap; the reference's figures on the members are trap's penalty, too.
    assert len(scorings(planned, store)) == 3


def test_none_under_loss_takes_the_floors_and_itself(store):
    planned = plan(defense="none", attack="loss")
    assert roles(planned, store) == ["reference", "none"]
    assert [cell.spec for cell in planned.cells] == ["base", "reference", "none"]
    # The undefended run is scored twice: as it ended, and at its validation minimum.
    assert len(scorings(planned, store)) == 4


def test_by_default_every_defense_and_both_floors_meet_every_attack_on_both_families(store):
    planned = make_plan(settings_from({"limit": 40}))
    rows = {"base", "reference", *defenses().names()}
    assert len(rows) == 8
    assert {"loss", "zlib", "reference", "tra", "extraction"} <= set(attacks().names())
    assert Counter((cell.lab.dataset, cell.spec, cell.attack.name) for cell in planned.cells) == Counter(
        (dataset, row, attack)
        for dataset in ("synthetic-essays", "synthetic-clinical")
        for row in rows
        for attack in attacks().names()
    )
    assert Counter(roles(planned, store)) == dict.fromkeys(rows - {"base"} | {"auditor"}, 2)
    assert len({cell.name for cell in planned.cells}) == len(planned.cells)
    assert len({cell.key for cell in planned.cells}) == len(planned.cells)


def test_an_attack_adds_the_training_that_its_adversary_needs_and_no_other(store):
    assert roles(plan(defense="none", attack="reference"), store) == ["reference", "none"]
    assert set(roles(plan(defense="none", attack="tra"), store)) == {"reference", "none", "auditor"}
    own = plan(defense="none", attack="tra:against=population")
    assert set(roles(own, store)) == {"reference", "none", "adversary"}
    (adversary,) = [t for t in trainings(own, store) if t.role == "adversary"]
    assert adversary.trained_on == ("population",)
    assert {cell.attack.knowledge for cell in own.cells} == {"population"}


def test_the_auditors_reference_is_not_the_defenders(store):
    planned = plan(defense="trap", attack="tra")
    by_role = {training.role: training for training in trainings(planned, store)}
    auditor, reference, trap = by_role["auditor"], by_role["reference"], by_role["trap"]
    assert auditor.trained_on == reference.trained_on == ("complement",)
    assert auditor.seed != reference.seed == trap.seed == 0
    assert auditor.key != reference.key
    assert [own.key for own in trap.references] == [reference.key]


def test_a_reference_stops_at_its_validation_minimum_and_none_trains_to_the_end(store):
    planned = plan(defense=["none", "early-stopping:patience=2", "trap"], attack="loss")
    stops = {t.role: t.defense.stop.patience for t in trainings(planned, store)}
    assert stops == {"reference": 3, "none": None, "early-stopping:patience=2": 2, "trap": 3}


def test_cross_fitting_takes_two_references_each_of_the_other_half(store):
    planned = plan(defense="trap:cross_fit=true", attack="loss")
    needed = trainings(planned, store)
    trap = needed[-1]
    assert trap.trained_on == ("target", "complement")
    assert [own.trained_on for own in trap.references] == [("complement",), ("target",)]
    assert [t.trained_on for t in needed] == [("complement",), ("target",), ("target", "complement")]
    assert audited(planned.cells[1]).key == trap.references[0].key


def test_references_come_before_what_uses_them_whatever_the_order_of_options(store):
    planned = plan(defense=["trap:cross_fit=true", "trap", "none"], attack=["tra", "loss"], seed=[3, 1])
    needed = trainings(planned, store)
    keys = [training.key for training in needed]
    assert len(keys) == len(set(keys)) == 2 * 6
    for place, training in enumerate(needed):
        assert all(keys.index(reference.key) < place for reference in training.references)


def test_a_defense_with_a_schedule_of_its_own_trains_by_it_and_the_others_by_the_shared_one(store):
    planned = plan(defense=["none", "dp-sgd:epochs=7,batch_size=9", "dp-sgd:schedule=equal"], attack="loss")
    shared = planned.cells[0].lab.schedule
    schedules = {t.role: t.schedule for t in trainings(planned, store)}
    own = schedules.pop("dp-sgd:epochs=7,batch_size=9")
    assert (own.epochs, own.batch_size, own.learning_rate) == (7, 9, shared.learning_rate)
    assert schedules == dict.fromkeys(["reference", "none", "dp-sgd:schedule=equal"], shared)


def test_parameters_that_do_not_fit_the_records_are_refused_before_anything_is_trained():
    with pytest.raises(InputError, match=r"delta=0.2 is not allowed: it must be auto, or below 1/\d+"):
        plan(defense="dp-sgd:delta=0.2", attack="loss")
    with pytest.raises(InputError, match=r"epsilon=0.01 cannot be kept"):
        plan(defense="dp-sgd:epsilon=0.01,delta=1e-12,epochs=100000,batch_size=1000", attack="loss")


def test_a_plugin_named_twice_is_run_once(store):
    planned = plan(defense=["trap", "trap:strength=2", "trap:strength=2.0"], attack=["loss", "loss"])
    assert [cell.spec for cell in planned.cells] == ["base", "reference", "trap"]


def test_each_seed_has_its_own_floors_trainings_and_cells(store):
    planned = plan(defense="none", attack="loss", seed=[0, 1])
    assert Counter((cell.spec, cell.lab.seed) for cell in planned.cells) == Counter(
        (row, seed) for row in ("base", "reference", "none") for seed in (0, 1)
    )
    assert len({training.key for training in trainings(planned, store)}) == 4
    assert len({cell.name for cell in planned.cells}) == 6
    assert planned.cells[0].lab.splits == planned.cells[3].lab.splits


def test_the_same_settings_give_the_same_keys():
    assert [(c.name, c.key) for c in plan().cells] == [(c.name, c.key) for c in plan().cells]


@pytest.mark.parametrize(
    "changed",
    [
        {"limit": 41},
        {"split_seed": 1},
        {"shares": {"holdout": 0.2, "target": 0.275}},
        {"dataset": "synthetic-essays"},
        {"epochs": 21},
        {"batch_size": 4},
        {"learning_rate": 2e-3},
        {"max_length": 128},
        {"tuning": "lora"},
        {"seed": 1},
        {"protocol": "full"},
    ],
    ids=lambda changed: "-".join(changed),
)
def test_a_changed_setting_is_another_training_and_another_cell(changed):
    before, after = cell("none"), cell("none", **changed)
    assert before.key != after.key
    assert before.name != after.name
    assert audited(before).key != audited(after).key


def test_the_folder_of_results_and_the_other_plugins_change_no_key(tmp_path):
    alone = {c.name: c.key for c in plan(defense="none", attack="loss").cells}
    more = plan(defense=["none", "trap"], attack=["tra", "loss", "extraction"], out=tmp_path).cells
    assert {c.name: c.key for c in more if c.name in alone} == alone
    assert len(alone) == 3


def test_adding_an_attack_that_samples_changes_no_cell_that_was_there():
    alone = {c.name: c.key for c in plan(defense="none", attack="loss").cells}
    more = plan(defense="none", attack=["loss", "extraction:decoding=sample"]).cells
    assert {c.name: c.key for c in more if c.name in alone} == alone


def test_a_changed_parameter_of_a_defense_or_an_attack_is_another_cell(store):
    strengths = [cell("trap", defense=f"trap:strength={s}") for s in (1, 2, 3)]
    assert len({c.key for c in strengths}) == len({c.name for c in strengths}) == 3
    sampled = [cell("none", f"extraction:decoding=sample,tries={n}") for n in (1, 2)]
    assert sampled[0].key != sampled[1].key
    assert audited(sampled[0]).key == audited(sampled[1]).key


def test_parameters_that_differ_in_the_seventh_digit_do_not_share_a_cell():
    planned = plan(defense=["trap:strength=1.5", "trap:strength=1.50000001"], attack="loss").cells
    assert len({c.key for c in planned}) == 4
    assert len({c.name for c in planned}) == 4


PLUGIN = """
from typing import ClassVar
from bench import Defense

class Mine(Defense):
    '''A defense of one's own.'''
    name: ClassVar[str] = "{name}"

    def token_losses(self, logprobs, logits, batch):
        return -logprobs
"""


def plugin(folder: Path, name: str = "mine", more: str = "") -> Path:
    path = folder / "mine.py"
    path.write_text(PLUGIN.format(name=name) + more, encoding="utf-8")
    return path


def test_a_changed_plugin_file_is_another_training_and_another_cell_of_the_same_name(tmp_path):
    def identity(more: str) -> tuple[str, str, str]:
        mine = cell("mine", defense="mine", plugin=plugin(tmp_path, more=more))
        defenses().forget()
        return mine.name, mine.key, audited(mine).key

    before, after = identity(""), identity("# changed\n")
    assert before[0] == after[0]
    assert before[1] != after[1]
    assert before[2] != after[2]
    assert identity("") == before


def test_a_plugin_file_can_be_given_again_in_the_same_process(tmp_path):
    path = plugin(tmp_path)
    assert cell("mine", defense="mine", plugin=path).key == cell("mine", defense="mine", plugin=path).key


@pytest.mark.parametrize("floor", ["base", "reference"])
def test_a_defense_cannot_take_the_name_of_a_floor(tmp_path, floor):
    with pytest.raises(InputError, match=floor):
        plan(defense=["none", floor], attack="loss", plugin=plugin(tmp_path, floor))


def courses(plan: Plan, store: Store) -> list[list[str]]:
    return [[one.role for one in task.trainings] for task in plan.tasks(store) if isinstance(task, Train)]


def test_what_differs_only_in_when_it_stops_is_trained_once(store):
    planned = plan(defense=["none", "early-stopping", "early-stopping:patience=1", "dropout"], attack="loss")
    assert courses(planned, store) == [
        ["reference"],
        ["none", "early-stopping", "early-stopping:patience=1"],
        ["dropout"],
    ]
    trap = plan(defense=["trap", "trap:patience=1", "weight-decay"], attack="loss")
    assert courses(trap, store) == [["reference"], ["trap"], ["trap:patience=1"], ["weight-decay"]]


def test_a_reference_is_trained_once_for_all_defenses_of_its_seed(store):
    planned = plan(defense=["trap", "trap:strength=1", "trap:strength=3"], attack="extraction", seed=[0, 1])
    assert Counter(roles(planned, store))["reference"] == 2


def test_each_task_comes_after_what_it_waits_for_and_each_cell_as_soon_as_it_can(store):
    planned = plan(defense=["none", "trap"], attack=["loss", "tra"])
    tasks = planned.tasks(store)
    done: set[str] = set()
    for task in tasks:
        assert set(task.needs) <= done
        done.add(task.key)
    first = next(place for place, task in enumerate(tasks) if isinstance(task, Judge))
    assert [type(task) for task in tasks[:first]] == [Score], "the base model under loss needs no training"
    judged = [task.cell.name for task in tasks if isinstance(task, Judge)]
    assert sorted(judged) == sorted(cell.name for cell in planned.cells)


def test_attacks_share_one_forward_pass_a_model_also_where_one_of_them_samples(store):
    ways = ["extraction:decoding=sample", "extraction:decoding=sample,top_k=40", "loss", "extraction"]
    planned = plan(defense="none", attack=ways)
    passes = scorings(planned, store)
    assert len(passes) == len({task.key for task in passes}) == 4
    attacked = [task for task in passes if not task.scoring.best]
    assert {task.decodings for task in attacked} == {(Decoding(), Decoding(top_k=40))}


def test_what_is_stored_is_not_planned_again(store):
    import torch

    planned = plan(defense="trap", attack="loss")
    reference = trainings(planned, store)[0]
    store.save_model(reference.key, {"w": torch.zeros(1)}, {})
    assert roles(planned, store) == ["trap"]
    store.save_cell(planned.cells[0].name, {"schema": "trap-bench-cell/3", "key": planned.cells[0].key})
    store.save_cell(planned.cells[1].name, {"schema": "trap-bench-cell/3", "key": "of an older version"})
    assert planned.missing(store) == list(planned.cells[1:])

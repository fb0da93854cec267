"""What is estimated for a run, against what that run then does."""

from dataclasses import replace
from pathlib import Path

import pytest

from bench.estimates import DEVICES, Estimator, device_named, make_forecast
from bench.experiment import settings_from
from bench.graph import Judge, Score, Train
from bench.plan import make_plan
from bench.store import Store
from bench.workshop import Watcher, Workshop

SETTINGS = {
    "dataset": "synthetic-clinical",
    "limit": 40,
    "max_length": 64,
    "epochs": 2,
    "attack": "extraction",
}


def tasks_of(**more):
    return make_plan(settings_from({**SETTINGS, **more})).tasks(Store(Path("nowhere")))


def cost_of(role, device="H100", **more):
    (task,) = [
        task
        for task in tasks_of(**more)
        if isinstance(task, Train) and role in (training.role for training in task.trainings)
    ]
    return Estimator(DEVICES[device], 0.5).cost(task)


def test_tokens_and_disk_are_what_a_run_passes_through_models_and_stores(tmp_path):
    store, advanced = Store(tmp_path), []
    store.open()
    workshop = Workshop(store, Watcher(advanced.append))
    for task in tasks_of(defense=["none", "trap"], limit=30, epochs=1):
        expected = Estimator(DEVICES["cpu-core"], 1.0).cost(task)
        advanced.clear()
        before = stored(tmp_path)
        if isinstance(task, Train):
            workshop.train(task.trainings)
        elif isinstance(task, Score):
            workshop.score(task.scoring, task.decodings)
        assert sum(advanced) == expected.tokens
        assert stored(tmp_path) - before == pytest.approx(expected.disk, rel=0.05)


def stored(folder):
    return sum(path.stat().st_size for path in folder.rglob("*.safetensors"))


def test_lower_precision_speeds_up_trainings_but_those_that_are_exact():
    def faster(role, **more):
        return cost_of(role, precision="float32", **more).seconds / cost_of(role, **more).seconds

    assert faster("none", defense="none") > 3  # validation is in float32 in any case
    assert faster("dp-sgd", defense="dp-sgd") == 1


def test_clipping_takes_longer_and_holds_a_gradient_for_each_record_unless_by_norms():
    def private(clipping):
        spec = f"dp-sgd:schedule=equal,clipping={clipping}"
        return cost_of(spec, defense=spec)

    plain = cost_of("none", defense="none", precision="float32")
    assert plain.flops < private("per-record").flops < private("ghost").flops < 3 * plain.flops
    assert plain.memory < private("ghost").memory < private("per-record").memory


def test_adapters_take_less_of_everything():
    full, lora = (cost_of("none", defense="none", tuning=tuning) for tuning in ("full", "lora"))
    assert lora.tokens == full.tokens
    assert lora.flops < full.flops
    assert lora.memory < full.memory
    assert lora.disk < full.disk


def test_totals_are_sums_and_a_cell_needs_no_device():
    tasks = tasks_of(defense=["none", "trap"])
    forecast = make_forecast(tasks, Estimator(DEVICES["A10"], 0.5), devices=2)
    assert any(isinstance(task, Judge) for task in tasks)
    assert forecast.total.tokens == sum(cost.tokens for cost in forecast.costs)
    assert forecast.total.memory == max(cost.memory for cost in forecast.costs)
    assert forecast.total.seconds / 2 <= forecast.seconds <= forecast.total.seconds
    kinds = [type(task) for task in forecast.critical_path]
    assert kinds == [Train, Score, Train, Score]  # the reference, its word, TRAP, and its signals
    assert forecast.least_seconds == pytest.approx(
        sum(forecast.costs[tasks.index(task)].seconds for task in forecast.critical_path)
    )


def test_what_does_not_fit_is_told_where_memory_is_known():
    cost = cost_of("none", defense="none")
    forecast = make_forecast([], Estimator(DEVICES["T4"], 1.0))
    assert forecast.fits(cost)
    assert not replace(forecast, device=replace(DEVICES["T4"], memory=cost.memory - 1)).fits(cost)
    assert replace(forecast, device=DEVICES["cpu-core"]).fits(replace(cost, memory=1e15))


def test_devices_are_found_whatever_their_case():
    assert device_named("h100") is DEVICES["H100"]
    assert DEVICES["H100"].dtype("auto") == "bfloat16"
    assert DEVICES["T4"].dtype("auto") == "float32"
    assert DEVICES["T4"].peak("bfloat16") == DEVICES["T4"].float32

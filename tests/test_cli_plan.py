"""`bench plan` as a user types it."""

import json
import shutil

import pytest

from bench.models.finding import EMBEDDED

OPTIONS = ["--dataset", "synthetic-clinical", "--limit", "40", "--defense", "none", "--attack", "loss"]


@pytest.fixture
def bare(tmp_path):
    """A model's folder without its weights."""
    ignored = shutil.ignore_patterns("*.safetensors")
    return shutil.copytree(EMBEDDED["tiny"], tmp_path / "bare", ignore=ignored)


def test_the_plan_lists_each_task_with_totals_and_the_longest_chain_and_runs_nothing(typed, tmp_path):
    out = tmp_path / "run"
    code, shown, said = typed("plan", *OPTIONS, "--out", str(out), "--device", "A100-80", "--devices", "2")
    assert (code, said) == (0, "")
    lines = shown.splitlines()
    kinds = [line.split()[1] for line in lines[2:8]]
    assert kinds == ["score", "train", "score", "train", "score", "score"]
    assert "2 trainings, 4 scorings, 3 cells" in shown
    assert "at 35% of 312 TFLOP/s" in shown
    assert "2 devices" in shown
    assert "the longest chain: " in lines[-1]
    assert not out.exists()


def test_json_says_the_same(typed):
    code, shown, said = typed("plan", *OPTIONS, "--device", "T4", "--json")
    assert (code, said) == (0, "")
    plan = json.loads(shown)
    assert plan["device"]["name"] == "T4"
    assert {task["kind"] for task in plan["tasks"]} == {"train", "score", "judge"}
    keys = [task["key"] for task in plan["tasks"]]
    for place, task in enumerate(plan["tasks"]):
        assert set(task["needs"]) <= set(keys[:place])
    for name in ("tokens", "flops", "seconds"):
        assert plan["total"][name] == pytest.approx(sum(task[name] for task in plan["tasks"]))
    assert plan["critical_path"]["seconds"] <= plan["seconds"] == pytest.approx(plan["total"]["seconds"])


def test_a_model_is_planned_for_without_its_weights_and_run_only_with_them(typed, bare):
    code, shown, said = typed("plan", *OPTIONS, "--model", str(bare))
    assert (code, said) == (0, "")
    assert "train none" in shown
    code, _, said = typed("run", *OPTIONS, "--model", str(bare))
    assert code == 2
    assert "no weights in safetensors" in said


def test_a_faster_device_takes_less_time(typed):
    def seconds(*options):
        return json.loads(typed("plan", *OPTIONS, "--json", *options)[1])["total"]["seconds"]

    assert seconds("--flops", "1e12") == pytest.approx(seconds("--flops", "2e12") * 2)
    assert seconds("--utilization", "0.1") == pytest.approx(seconds("--utilization", "0.4") * 4)


def test_a_configuration_that_nobody_knows_is_told_in_one_line(typed, bare):
    config = json.loads((bare / "config.json").read_text(encoding="utf-8"))
    (bare / "config.json").write_text(json.dumps(config | {"model_type": "none-such"}), encoding="utf-8")
    code, shown, said = typed("plan", *OPTIONS, "--model", str(bare))
    assert (code, shown) == (2, "")
    assert said.startswith("bench: ")
    assert said.count("\n") == 1

"""Several processes that train one model, as a launcher starts them."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from bench import processes
from bench.errors import InputError
from bench.experiment import settings_from
from bench.plan import make_plan

DATA = {"dataset": "synthetic-clinical", "limit": 40, "max_length": 64, "epochs": 3}
SETTINGS = [part for name, value in DATA.items() for part in (f"--{name.replace('_', '-')}", str(value))]
CHOSEN = ["--defense", "none", "--defense", "trap", "--attack", "tra", "--attack", "extraction"]


def run(out, *launcher: str, defenses: list[str] = CHOSEN) -> subprocess.CompletedProcess:
    command = [*(launcher or [sys.executable]), "-m", "bench", "run", *SETTINGS, *defenses, "--out", str(out)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


def cells(out) -> dict[tuple[str, str], dict]:
    read = [json.loads(path.read_text(encoding="utf-8")) for path in (out / "cells").iterdir()]
    return {(cell["spec"], cell["attack_spec"]): cell for cell in read}


def launched(count: int) -> list[str]:
    options = ["--cpu", "--num_processes", str(count), "--num_machines", "1", "--mixed_precision", "no"]
    return [sys.executable, "-m", "accelerate.commands.launch", *options, "--dynamo_backend", "no"]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("accelerate") is None, reason="accelerate is not installed")
def test_two_processes_follow_the_trajectory_of_one(tmp_path):
    alone = run(tmp_path / "alone")
    assert alone.returncode == 0, alone.stderr
    together = run(tmp_path / "together", *launched(2))
    assert together.returncode == 0, together.stderr
    one, two = cells(tmp_path / "alone"), cells(tmp_path / "together")
    assert one.keys() == two.keys()
    for name, cell in one.items():
        if cell["training"] is not None:
            curves = [each["training"]["validation_nll"] for each in (cell, two[name])]
            assert curves[1] == pytest.approx(curves[0], rel=1e-5)
        assert two[name]["utility"]["nll"] == pytest.approx(cell["utility"]["nll"], rel=1e-4)
    assert together.stdout.count("Leaderboard") == alone.stdout.count("Leaderboard")
    assert together.stdout.count("gain") == alone.stdout.count("gain"), "one of them talks"


def test_steps_that_processes_cannot_share_are_refused(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(InputError, match="dp-sgd has steps of its own, which several processes cannot share"):
        make_plan(settings_from(DATA | {"defense": "dp-sgd", "attack": "loss"}))
    make_plan(settings_from(DATA | {"defense": ["none", "trap", "dropout"], "attack": "loss"}))


def test_one_process_has_all_of_the_work(monkeypatch):
    assert (processes.count(), processes.rank(), processes.is_main()) == (1, 0, True)
    assert processes.share_of([1, 2, 3]) == [1, 2, 3]
    assert processes.put_together({1: "a"}) == {1: "a"}


def test_processes_share_all_and_nothing_twice(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "3")
    shares = []
    for rank in range(3):
        monkeypatch.setenv("RANK", str(rank))
        shares.append(list(processes.share_of(range(8))))
    assert sorted(part for share in shares for part in share) == list(range(8))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1

"""What a run's folder holds is counted, what nothing needs is removed, and nothing else."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

import bench
from bench.cache import KINDS, collect, contents, unneeded
from bench.experiment import settings_from
from bench.graph import Judge
from bench.plan import make_plan
from bench.store import Store
from bench.verification import verify

SETTINGS = {"dataset": "synthetic-clinical", "limit": 40, "max_length": 64, "epochs": 1, "defense": "none"}
STRANGE = "0" * 32

HOLD = """
import filelock, sys
with filelock.FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("cached") / "run"
    bench.run(**SETTINGS, attack="loss", out=out)
    return out


@pytest.fixture
def whole(run, tmp_path):
    """A copy of the run to spoil."""
    return shutil.copytree(run, tmp_path / "whole")


@pytest.fixture
def littered(whole):
    """With a model and signals that nobody asks for, and what a killed run leaves."""
    for kind in ("models", "signals"):
        some = min((whole / kind).glob("*.safetensors"))
        shutil.copy(some, some.with_name(f"{STRANGE}.safetensors"))
    (whole / "models" / f"{STRANGE}.json").write_text("{}")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (whole / "models" / f".{ended.pid}-0-{os.uname().nodename}.tmp").write_text("half")
    return whole


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@contextmanager
def at_work(folder):
    """Another process holds one of the folder's locks."""
    path = min((folder / "locks").iterdir())
    command = [sys.executable, "-c", HOLD, str(path)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    try:
        yield path
    finally:
        holder.communicate()


def test_what_a_folder_holds_adds_up(run, typed):
    held = {one.kind: one for one in contents(Store(run))}
    assert [held[kind].count for kind in KINDS] == [2, 4, 3, 0, 1]
    assert sum(one.size for one in held.values()) == sum((run / name).stat().st_size for name in files(run))
    code, shown, said = typed("cache", "ls", str(run))
    assert (code, said) == (0, "")
    assert "2 models have their weights" in shown
    assert (
        shown.splitlines()[-1] == "no cell or setting needs 0 of the models (0 B) and 0 of the signals (0 B)"
    )


def test_a_collection_removes_what_nothing_needs_and_no_more(littered, typed):
    before = files(littered)
    code, shown, said = typed("cache", "gc", str(littered), "--dry-run")
    assert (code, said) == (0, "")
    assert shown.startswith("would free ")
    assert files(littered) == before
    code, shown, said = typed("cache", "gc", str(littered))
    assert (code, said) == (0, "")
    assert "1 models, 1 signals" in shown
    removed = before - files(littered)
    assert {name for name in removed if not name.startswith("locks/")} == {
        f"models/{STRANGE}.safetensors",
        f"models/{STRANGE}.json",
        f"signals/{STRANGE}.safetensors",
    } | {name for name in before if name.endswith(".tmp")}
    assert not any(name.startswith("locks/") for name in files(littered))
    assert collect(Store(littered)).size == 0


def test_what_is_left_is_whole(littered):
    collect(Store(littered))
    found = verify(Store(littered))
    assert (found.from_signals, found.differences) == (3, ())
    plan = make_plan(settings_from({**SETTINGS, "attack": "loss"}))
    assert plan.tasks(Store(littered)) == []


def test_a_run_at_work_is_not_disturbed(littered, typed):
    before = files(littered)
    with at_work(littered) as lock:
        code, shown, said = typed("cache", "gc", str(littered))
        assert code == 0
        assert "all models and signals stay: a run into" in said
        assert "0 models, 0 signals" in shown
        assert lock.exists()
        code, _, said = typed("cache", "rm", str(littered), "--all", "--yes")
        assert code == 1
        assert "nothing was removed" in said
    kept = {name for name in before if name.endswith((".safetensors", ".json"))}
    assert kept <= files(littered)


def test_nothing_is_called_unneeded_where_a_setting_cannot_be_planned(littered, typed):
    (path,) = (littered / "settings").iterdir()
    settings = json.loads(path.read_text(encoding="utf-8"))
    path.with_name("gone.json").write_text(
        json.dumps(settings | {"model": ["/gone/model"]}), encoding="utf-8"
    )
    found = unneeded(Store(littered))
    assert (found.models, found.signals) == ((), ())
    assert "/gone/model" in found.unknown
    code, shown, said = typed("cache", "gc", str(littered))
    assert code == 0
    assert "/gone/model" in said
    assert "0 models, 0 signals" in shown


def test_nothing_is_called_unneeded_where_cells_are_of_another_device_or_of_older_code_alone(littered):
    cells = sorted((littered / "cells").iterdir())
    for path in cells:
        cell = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(cell | {"key": "of older code"}), encoding="utf-8")
    assert "run again first" in unneeded(Store(littered)).unknown
    cell["setting"]["device"] = "tpu"
    cells[0].write_text(json.dumps(cell), encoding="utf-8")
    assert "computed on tpu" in unneeded(Store(littered)).unknown


def test_without_weights_cells_stand_and_new_attacks_are_judged_from_signals(whole, typed):
    code, shown, said = typed("cache", "rm", str(whole), "--models", "--yes")
    assert (code, said) == (0, "")
    assert shown.startswith("this removes ")
    assert {one.kind: one.count for one in contents(Store(whole))}["models"] == 2
    assert not list((whole / "models").glob("*.safetensors"))
    tasks = make_plan(settings_from({**SETTINGS, "attack": "zlib"})).tasks(Store(whole))
    assert {type(task) for task in tasks} == {Judge}
    assert verify(Store(whole)).from_signals == 3


def test_without_signals_cells_stand(whole, typed):
    assert typed("cache", "rm", str(whole), "--all", "--yes")[0] == 0
    assert not list(whole.rglob("*.safetensors"))
    found = verify(Store(whole))
    assert (found.cells, found.from_signals, found.differences) == (3, 0, ())


def test_without_a_terminal_nothing_is_removed_unasked(whole, typed):
    before = files(whole)
    code, _, said = typed("cache", "rm", str(whole), "--all")
    assert code == 2
    assert "give --yes" in said
    assert files(whole) == before


@pytest.mark.parametrize(("answer", "code"), [("n", 1), ("y", 0)])
def test_on_a_terminal_the_user_is_asked(whole, answer, code):
    ours, theirs = os.openpty()
    asked = subprocess.Popen(
        [sys.executable, "-m", "bench", "cache", "rm", str(whole), "--signals"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        text=True,
    )
    os.write(ours, f"{answer}\n".encode())
    shown, _ = asked.communicate()
    assert "Remove?" in shown
    assert asked.returncode == code
    assert bool(list((whole / "signals").iterdir())) == (answer == "n")


def test_status_ends_with_the_sizes(run, typed, tmp_path):
    options = [f"--{name.replace('_', '-')}={value}" for name, value in SETTINGS.items()]
    last = typed("status", *options, "--attack", "loss", "--out", str(run))[1].splitlines()[-1]
    assert last.startswith("3 of 3 cells done; ")
    assert f"{run} holds " in last
    assert "(models " in last
    assert typed("status", *options, "--out", str(tmp_path))[1].rstrip().endswith("holds nothing")

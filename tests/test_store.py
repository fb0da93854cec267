import json
import os
import platform
import resource
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import bench
from bench.cli import main
from bench.errors import InputError, RunError
from bench.store import Store, digest, to_json

CELL = {"schema": "trap-bench-cell/3", "key": "k1", "auc": 0.5}


@contextmanager
def disk_with(free: int) -> Iterator[None]:
    """No file may grow beyond `free` bytes: the nearest that a test can get to a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (free, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_model_comes_back_bit_for_bit_with_what_is_known_about_it(tmp_path):
    store = Store(tmp_path / "run")
    tensors = {"final.w": torch.tensor([[1.5, -0.0], [torch.inf, 1e-40]]), "best.w": torch.ones(3).half()}
    about = {"privacy": None, "train_seconds": 0.1, "training": {"validation_nll": [2.5, 1.25]}, "name": "é"}
    assert not store.has_model("k")
    store.save_model("k", tensors, about)
    assert store.has_model("k")
    assert store.about_model("k") == about
    loaded = store.load_model("k")
    assert loaded.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert loaded[name].dtype == tensor.dtype
        assert torch.equal(loaded[name], tensor)
    assert torch.signbit(loaded["final.w"][0, 1])


def test_signals_come_back_bit_for_bit(tmp_path):
    store = Store(tmp_path)
    arrays = {
        "logprobs": np.array([-0.1, -np.inf, np.nan], np.float32),
        "is_argmax": np.array([True, False, True]),
        "lengths": np.array([2, 0, 1], np.int64),
        "none": np.zeros(0, np.float32),
    }
    assert not store.has_signals("k")
    store.save_signals("k", arrays)
    assert store.has_signals("k")
    loaded = store.load_signals("k")
    assert loaded.keys() == arrays.keys()
    for name, array in arrays.items():
        assert loaded[name].dtype == array.dtype
        np.testing.assert_array_equal(loaded[name], array)


def test_cells_come_back_in_a_fixed_order_and_a_newer_one_replaces_the_older(tmp_path):
    store = Store(tmp_path)
    assert list(store.cells()) == []
    assert store.cell_key("b") is None
    for name in ("b", "a", "c"):
        store.save_cell(name, CELL | {"defense": name})
    store.save_cell("b", CELL | {"key": "k2"})
    assert [path.stem for path, _ in store.cells()] == ["a", "b", "c"]
    assert [cell["key"] for _, cell in store.cells()] == ["k1", "k2", "k1"]
    assert store.cell_key("b") == "k2"


def test_what_is_stored_is_for_its_owner_alone(tmp_path):
    before = os.umask(0o022)
    try:
        store = Store(tmp_path / "all" / "run")
        store.save_model("k", {"w": torch.zeros(2)}, {})
        store.save_signals("k", {"a": np.zeros(2)})
        store.save_cell("c", CELL)
        store.save_text(store.root / "leaderboard.md", "text")
    finally:
        os.umask(before)
    made = [store.root, *store.root.rglob("*")]
    assert {path.name: oct(mode(path)) for path in made} == {
        path.name: "0o600" if path.is_file() else "0o700" for path in made
    }


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("aé"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc"), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text("abcdé"), values))
def test_a_digest_does_not_depend_on_the_order_of_names(value):
    backwards = dict(reversed(value.items()))
    assert digest(value) == digest(backwards)
    assert to_json(value) == to_json(backwards)


@given(values, values)
def test_different_values_have_different_digests(one, other):
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (digest({"a": [one]}) == digest({"a": [other]})) == same
    assert digest({"a": one}) != digest({"b": one})


def test_a_digest_tells_one_from_true_text_from_number_and_order_in_lists():
    assert len({digest(value) for value in (1, 1.0, True, "1", [1], [[1]], None, "", [])}) == 9
    assert digest([1, 2]) != digest([2, 1])
    with pytest.raises(ValueError, match="not JSON compliant"):
        digest(float("nan"))


def test_on_a_full_disk_nothing_is_left_half_written(tmp_path):
    store = Store(tmp_path / "run")
    store.save_cell("kept", CELL)
    store.save_text(store.root / "leaderboard.md", "old")
    with disk_with(1000):
        for write in (
            lambda: store.save_model("k", {"w": torch.zeros(10_000)}, {}),
            lambda: store.save_signals("k", {"a": np.zeros(10_000)}),
            lambda: store.save_cell("kept", CELL | {"x": "y" * 10_000}),
            lambda: store.save_text(store.root / "leaderboard.md", "new" * 10_000),
        ):
            with pytest.raises(Exception, match="File too large"):
                write()
    assert files(store.root) == ["kept.json", "leaderboard.md"]
    assert not store.has_model("k")
    assert not store.has_signals("k")
    assert store.cell_key("kept") == "k1"
    assert (store.root / "leaderboard.md").read_text() == "old"


def test_a_cell_that_is_no_json_value_is_never_written(tmp_path):
    store = Store(tmp_path)
    for broken in (float("nan"), object()):
        with pytest.raises((ValueError, TypeError)):
            store.save_cell("c", CELL | {"auc": broken})
    assert files(tmp_path) == []


def test_a_file_in_the_place_of_a_folder_is_told(tmp_path):
    (tmp_path / "run").touch()
    store = Store(tmp_path / "run")
    with pytest.raises(OSError, match="run"):
        store.save_cell("c", CELL)
    assert not store.has_model("k")
    assert store.cell_key("c") is None
    with pytest.raises(InputError, match="run cannot be made: File exists; give another --out"):
        store.open()


def test_sweeping_removes_what_killed_runs_left_and_nothing_of_live_ones(tmp_path):
    store = Store(tmp_path)
    store.save_cell("c", CELL)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    here, kept = platform.node(), f".{os.getpid()}-ab12cd34-{platform.node()}.tmp"
    for folder in ("models", "signals", "cells", "."):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f".{ended.pid}-ab12cd34-{here}.tmp").touch()
        (tmp_path / folder / kept).touch()
    store.open()
    assert files(tmp_path) == [kept] * 4 + ["c.json"]


def test_what_another_machine_writes_is_swept_only_after_a_day_of_silence(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    fresh, silent = (tmp_path / f".{ended.pid}-{number}-elsewhere.tmp" for number in (1, 2))
    fresh.touch()
    silent.touch()
    os.utime(silent, (time.time() - 25 * 3600,) * 2)
    Store(tmp_path).open()
    assert files(tmp_path) == [fresh.name]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"schema": "other/1"}', "\udc80", '{"key": 1}'])
def test_a_file_that_is_no_cell_is_named(tmp_path, text):
    store = Store(tmp_path)
    store.save_cell("a", CELL)
    path = tmp_path / "cells" / "broken.json"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(InputError, match=r"broken\.json"):
        list(store.cells())
    assert store.cell_key("broken") in (None, "1")


RUN = ["--dataset", "synthetic-clinical", "--limit", "30", "--max-length", "16", "--epochs", "1"]
SMALL = ["bench", "run", *RUN, "--defense", "none", "--attack", "loss", "--out"]


def test_a_folder_that_cannot_be_written_ends_a_run_with_one_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "taken").touch()
    monkeypatch.setattr(sys, "argv", [*SMALL, str(tmp_path / "taken" / "run")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    (complaint,) = capsys.readouterr().err.splitlines()
    assert complaint.startswith("bench: out=")
    assert complaint.endswith("taken is a file; give a folder, or a name that is free")


def test_a_full_disk_ends_a_run_with_one_line_a_cell_and_leaves_no_temporary_file(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(sys, "argv", [*SMALL, str(tmp_path / "run")])
    with disk_with(1_000_000), pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    complaints = [line for line in capsys.readouterr().err.splitlines() if line.startswith("failed: ")]
    assert len(complaints) == 2
    assert all("File too large" in line for line in complaints)
    assert not list((tmp_path / "run").rglob(".*"))
    assert not list((tmp_path / "run" / "models").iterdir())
    (cell,) = (tmp_path / "run" / "cells").iterdir()
    assert "base" in cell.name


@pytest.mark.parametrize("kept", [0, 7, 40, -1])
def test_an_artefact_that_was_cut_off_counts_as_missing_and_can_be_replaced(tmp_path, kept):
    store, arrays = Store(tmp_path), {"lengths": np.arange(5), "logprobs": np.ones(9, dtype=np.float32)}
    store.save_signals("k", arrays)
    (path,) = (tmp_path / "signals").iterdir()
    path.write_bytes(path.read_bytes()[:kept])
    assert not store.has_signals("k")
    store.save_signals("k", arrays)
    assert store.has_signals("k")
    np.testing.assert_array_equal(store.load_signals("k")["lengths"], arrays["lengths"])


def test_a_disk_too_small_for_what_comes_is_told_before_it_is_trained(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=3 * 2**20))
    chosen = {"dataset": "synthetic-clinical", "limit": 40, "defense": "none", "attack": "loss"}
    told = r"has 3 MB left on its disk, and what is trained next takes \d+ MB"
    with pytest.raises(RunError, match=told) as ended:
        bench.run(**chosen, max_length=40, epochs=1, out=tmp_path)
    assert "base" not in str(ended.value), "what needs no training is done"
    assert len(list((tmp_path / "cells").iterdir())) == 1

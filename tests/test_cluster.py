"""Runs on a Ray cluster. Two runs are the same if their leaderboards are, but for what they cost."""

import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

import bench
from bench.experiment import settings_from
from bench.plan import make_plan
from bench.publishing import write_leaderboard
from bench.registry import attacks, defenses
from bench.runner import Runner, runner_for
from bench.store import Store
from bench.verification import verify
from bench.workshop import Watcher

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: `trap-bench[ray]`")

DATA = {"dataset": "synthetic-clinical", "limit": 40, "max_length": 32, "epochs": 1}
# Two references, one of them the auditor's, and two targets.
PAIR = DATA | {"defense": ["none", "trap"], "attack": ["loss", "tra"]}


def comparable(out: Path) -> str:
    """The leaderboard file without what a run cost."""
    board = json.loads((out / "leaderboard.json").read_text(encoding="utf-8"))
    for row in board["rows"]:
        del row["cost"]
    return json.dumps(board)


def trained(out: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (out / "models").glob("*.safetensors")}


def carried_out(out: Path, shared: bool | None = None, **settings) -> tuple[dict[str, str], list[str]]:
    """The failures of a run on the cluster that this process is in, and what it said."""
    said: list[str] = []
    checked = settings_from({**settings, "out": out, "executor": "ray"})
    plan, store = make_plan(checked), Store(out)
    runner = runner_for(checked, store, Watcher(say=said.append))
    runner.shared = shared
    failures = runner.run(plan)
    write_leaderboard(store)
    return failures, said


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    out = tmp_path_factory.mktemp("alone")
    bench.run(**PAIR, out=out)
    return comparable(out)


@pytest.fixture(scope="module")
def cluster():
    """A cluster of two nodes with room for one task each, which this process is in."""
    # Read when Ray is imported; its workers would give way to every other test.
    os.environ.setdefault("RAY_raylet_start_wait_time_s", "120")
    os.environ.setdefault("RAY_worker_niceness", "0")
    from ray.cluster_utils import Cluster

    from bench.cluster.connection import cluster as joined

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes.add_node(num_cpus=1)
    with joined(nodes.address):
        yield nodes
    nodes.shutdown()


@pytest.fixture
def plugin(tmp_path):
    """`plugin(text)` is the path of a file with that text; what it registers is forgotten after the test."""

    def written(text: str) -> str:
        path = tmp_path / "mine.py"
        path.write_text(text, encoding="utf-8")
        return str(path)

    yield written
    defenses().forget()
    attacks().forget()


@needs_ray
@pytest.mark.slow
def test_a_cluster_gives_the_leaderboard_that_this_device_does(cluster, alone, tmp_path):
    failures, said = carried_out(tmp_path, **PAIR)
    assert failures == {}
    assert comparable(tmp_path) == alone
    assert sum("trained" in line for line in said) == 4
    assert [path.name for path in tmp_path.rglob(".*")] == []


SLOW_ONCE = """
import os, time
from pathlib import Path
from bench import Defense

class SlowOnce(Defense):
    '''Hangs in its first step, the first time that it is tried; then its file is gone.'''
    name = "slow-once"
    def token_losses(self, logprobs, logits, batch):
        mark = Path({mark!r})
        if not mark.exists():
            Path(__file__).unlink()
            mark.with_suffix(".new").write_text(str(os.getpid()))
            mark.with_suffix(".new").rename(mark)
            time.sleep(600)
        return super().token_losses(logprobs, logits, batch)

class Deadly(Defense):
    '''Ends its process, whoever tries.'''
    name = "deadly"
    def token_losses(self, logprobs, logits, batch):
        os._exit(1)
"""


def killer_of(mark: Path) -> threading.Thread:
    """Kills the process that leaves its number there."""

    def kill() -> None:
        while not mark.exists():
            time.sleep(0.05)
        os.kill(int(mark.read_text(encoding="utf-8")), signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    return thread


@needs_ray
@pytest.mark.slow
def test_a_worker_that_is_killed_in_a_training_costs_time_and_changes_nothing(
    cluster, plugin, tmp_path, monkeypatch
):
    monkeypatch.setattr("bench.cluster.runner.RETRIES", 1)
    mark = tmp_path / "mark"
    text = SLOW_ONCE.format(mark=str(mark))
    chosen = DATA | {"attack": "loss", "plugin": plugin(text)}
    killer = killer_of(mark)
    failures, _ = carried_out(tmp_path / "ray", **chosen, defense=["slow-once", "deadly", "none"])
    killer.join(0)
    assert not killer.is_alive()
    # A task that kills every worker is given up in one line.
    assert list(failures.values()) == ["the process that did it died, and so did those of 1 more tries"]
    plugin(text)
    bench.run(**chosen, defense=["slow-once", "none"], out=tmp_path / "alone")
    assert comparable(tmp_path / "ray") == comparable(tmp_path / "alone")


@needs_ray
@pytest.mark.slow
def test_without_a_shared_folder_everything_arrives_in_the_one_where_the_run_was_started(
    cluster, plugin, tmp_path
):
    out, mark = tmp_path / "ray", tmp_path / "mark"
    text = SLOW_ONCE.format(mark=str(mark))
    chosen = PAIR | {"defense": ["none", "slow-once", "trap"], "plugin": plugin(text)}
    killer_of(mark)
    failures, said = carried_out(out, shared=False, **chosen)
    assert failures == {}
    assert f"not every machine sees {out}; what they make is sent here" in said
    assert len(trained(out)) == 5
    plugin(text)
    bench.run(**chosen, out=tmp_path / "alone")
    assert comparable(out) == comparable(tmp_path / "alone")
    found = verify(Store(out))
    assert (found.cells, found.from_signals, found.differences) == (10, 10, ())
    # What is stored here and needed there is sent: the reference's signals, for a training that got lost.
    before, lost = trained(out), next(path for path in (out / "cells").glob("*trap*"))
    target = next(cell for cell in make_plan(settings_from(PAIR)).cells if cell.name == lost.stem).sources[
        "target"
    ]
    (scoring,) = target.scorings
    for path in [*(out / "cells").glob("*trap*"), *out.glob(f"*/{scoring.key}.*")]:
        path.unlink()
    for path in out.glob(f"models/{scoring.training.key}.*"):
        path.unlink()
    failures, said = carried_out(out, shared=False, **chosen)
    assert failures == {}
    assert sum("trained" in line for line in said) == 1
    assert len(trained(out).items() & before.items()) == 4
    assert comparable(out) == comparable(tmp_path / "alone")


@needs_ray
@pytest.mark.slow
def test_a_resumed_run_trains_nothing_again(cluster, tmp_path):
    carried_out(tmp_path, **DATA, defense="none", attack="loss")
    before = trained(tmp_path)
    failures, said = carried_out(tmp_path, **DATA, defense="none", attack=["loss", "zlib"])
    assert failures == {}
    assert not any("trained" in line for line in said)
    assert trained(tmp_path) == before


BROKEN = """
from bench import Defense, MembershipAttack

class Broken(Defense):
    '''Fails in its first step.'''
    name = "broken"
    def token_losses(self, logprobs, logits, batch):
        raise ZeroDivisionError("for the test")

class Hopeless(MembershipAttack):
    '''Fails at its first score.'''
    name = "hopeless"
    @property
    def knowledge(self):
        return "target"
    def scores(self, passages):
        return [passages[0].absent]
"""


@needs_ray
@pytest.mark.slow
def test_a_plugin_that_raises_takes_down_its_own_cells_only(cluster, plugin, tmp_path):
    chosen = {"defense": ["broken", "none"], "attack": ["hopeless", "loss"], "plugin": plugin(BROKEN)}
    failures, _ = carried_out(tmp_path / "ray", **DATA, **chosen)
    settings = settings_from({**DATA, **chosen, "out": tmp_path / "alone"})
    assert failures == Runner(Store(settings.out), settings=settings).run(make_plan(settings))
    assert sum("ZeroDivisionError in mine.py, line" in why for why in failures.values()) == 2
    assert "for the test" not in "".join(failures.values())
    there = {(cell["spec"], cell["attack"]) for _, cell in Store(tmp_path / "ray").cells()}
    assert there == {("base", "loss"), ("reference", "loss"), ("none", "loss")}


@needs_ray
@pytest.mark.slow
def test_a_first_failure_can_end_the_run(cluster, plugin, tmp_path):
    chosen = {"defense": ["broken", "none"], "attack": "loss", "plugin": plugin(BROKEN)}
    failures, _ = carried_out(tmp_path, **DATA, **chosen, seed=[0, 1, 2], fail_fast=True)
    assert len(failures) == 1
    assert len(list(Store(tmp_path).cells())) < 9


@needs_ray
@pytest.mark.slow
def test_a_run_on_this_machine_alone_that_is_interrupted_leaves_no_process(tmp_path):
    options = [part for name in ("dataset", "limit") for part in (f"--{name}", str(DATA[name]))]
    command = [sys.executable, "-m", "bench", "run", "--executor", "ray", "--out", str(tmp_path), *options]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while run.poll() is None and not list(tmp_path.glob(".*.tmp")):
        time.sleep(0.05)
    processes = psutil.Process(run.pid).children(recursive=True)
    assert any("raylet" in process.name() for process in processes)
    run.send_signal(signal.SIGINT)
    shown, said = run.communicate(timeout=60)
    assert (run.returncode, shown) == (130, "")
    assert "Traceback" not in said
    assert [line for line in said.replace(str(tmp_path), "").splitlines() if "ray" in line] == []
    assert psutil.wait_procs(processes, timeout=20)[1] == []
    assert not list(tmp_path.glob(".*.tmp"))


@needs_ray
def test_what_ray_reports_is_a_line_beside_the_output(capsys):
    from bench.cluster.messages import reports_told

    said: list[str] = []
    with reports_told(said.append):
        print("\x1b[33m(raylet)\x1b[0m A task failed.\nState of the node: ...")
        print("(raylet, ip=192.0.2.1) It is tried again.")
        print("as ever")
        print()
    assert said == ["Ray: A task failed.", "Ray: It is tried again."]
    assert capsys.readouterr().out == "as ever\n\n"


@needs_ray
def test_another_version_on_a_worker_is_named_and_nothing_is_computed(tmp_path):
    from bench.cluster.sameness import Expected
    from bench.errors import RunError

    tasks = make_plan(settings_from({**DATA, "defense": "none", "attack": "loss"})).tasks(Store(tmp_path))
    expected = Expected.of(tasks)
    for task in tasks:
        expected.check(task)
    for name in ("weights", "torch", "trap-bench"):
        lab, identity = Expected.of(tasks).labs[0]
        other = Expected([(lab, identity | {name: "another"})], {})
        with pytest.raises(RunError, match=f"another {name}"):
            other.check(tasks[0])


class Silent(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_) -> None:
        pass


@pytest.fixture
def web_server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Silent) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@needs_ray
def test_an_address_where_no_cluster_is_is_said_at_once_in_one_line(tmp_path, typed, web_server):
    for address, why in (
        (f"127.0.0.1:{free_port()}", "cannot be reached"),
        (f"ray://127.0.0.1:{free_port()}", "cannot be reached"),
        (f"127.0.0.1:{web_server}", "what answers there is not Ray"),
        ("nonsense", "is not of the form HOST:PORT"),
    ):
        began = time.monotonic()
        code, shown, said = typed("run", "--executor", "ray", "--address", address, "--out", str(tmp_path))
        assert (code, shown) == (2, "")
        assert said.count("\n") == 1
        assert f"--address {address}" in said
        assert why in said
        assert time.monotonic() - began < 20


def test_without_ray_one_line_says_what_to_install(tmp_path, typed, monkeypatch):
    for module in [name for name in sys.modules if name.startswith("bench.cluster")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.delattr(bench, "cluster", raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)
    code, shown, said = typed("run", "--executor", "ray", "--out", str(tmp_path))
    assert (code, shown) == (2, "")
    assert said.count("\n") == 1
    assert "pip install 'trap-bench[ray]'" in said


def test_an_audit_is_not_spread(tmp_path, typed):
    code, _, said = typed("audit", "--executor", "ray", "--out", str(tmp_path))
    assert code == 2
    assert "on this device" in said

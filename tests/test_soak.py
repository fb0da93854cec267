"""A run that is killed again and again, at moments that nobody chose."""

import json
import multiprocessing
import time
from pathlib import Path

import numpy as np
import pytest

import bench
from bench.store import Store
from bench.verification import verify

SETTINGS = {"dataset": "synthetic-clinical", "limit": 40, "max_length": 40, "epochs": 2}
CHOSEN = SETTINGS | {"defense": ["none", "early-stopping", "trap"], "attack": ["loss", "extraction"]}
KILLS = 20


def carry_on(out: Path) -> None:
    bench.run(**CHOSEN, out=out)


def comparable(out: Path) -> list[dict]:
    """The leaderboard without what it cost."""
    rows = json.loads((out / "leaderboard.json").read_text(encoding="utf-8"))["rows"]
    return [{name: value for name, value in row.items() if name != "cost"} for row in rows]


@pytest.mark.slow
def test_a_run_killed_at_twenty_random_moments_ends_as_one_that_was_left_alone(tmp_path):
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["bench.runner", "bench.workshop", "opacus"])

    def started(out: Path) -> multiprocessing.Process:
        run = processes.Process(target=carry_on, args=(out,))
        run.start()
        return run

    started(tmp_path / "warm-up").join()
    begun = time.monotonic()
    started(tmp_path / "alone").join()
    whole, rng = time.monotonic() - begun, np.random.default_rng(0)
    expected = comparable(tmp_path / "alone")
    kills, folders, ended = 0, 0, True
    while kills < KILLS or not ended:
        folders += ended
        out = tmp_path / f"run-{folders}"
        run = started(out)
        run.join(timeout=rng.uniform(0, whole / 2) if kills < KILLS else None)
        ended = run.exitcode is not None
        if not ended:
            run.kill()
            run.join()
            kills += 1
            continue
        assert run.exitcode == 0
        assert comparable(out) == expected
        assert verify(Store(out)).differences == ()
        assert not list(out.rglob("*.tmp"))
        assert len(list((out / "models").glob("*.safetensors"))) == 4, "each training is kept, and once"
    assert kills == KILLS

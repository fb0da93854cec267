"""What it costs to add an attack to a finished run: forward passes, and seconds."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from bench.experiment import settings_from
from bench.graph import Judge, in_words
from bench.plan import make_plan
from bench.runner import runner_for
from bench.store import Store
from benchmarks.sides import command, where


def measure(
    attack: Annotated[str, typer.Option(help="The attack that is added.")] = "zlib",
    dataset: Annotated[str, typer.Option(help="Whose records.")] = "synthetic-clinical",
    epochs: Annotated[int, typer.Option(min=1, help="Of the run that it is added to.")] = 2,
) -> None:
    """Run none and trap under loss, tra and extraction; then run them again with one attack more."""
    with tempfile.TemporaryDirectory() as folder:
        given: dict[str, Any] = {"dataset": dataset, "epochs": epochs, "out": Path(folder)}
        given |= {"defense": ["none", "trap"], "attack": ["loss", "tra", "extraction"]}
        first = _carried_out(given, Path(folder))
        more = _carried_out(given | {"attack": [*given["attack"], attack]}, Path(folder))
    typer.echo(
        f"adding {attack} to a finished run {where()}: {more[1]}, {more[0]:.1f} s "
        f"(the run itself: {first[1]}, {first[0]:.1f} s)"
    )


def _carried_out(given: dict[str, Any], folder: Path) -> tuple[float, str]:
    settings, store = settings_from(given), Store(folder)
    started = time.perf_counter()
    plan = make_plan(settings)
    tasks = plan.tasks(store)
    assert any(isinstance(task, Judge) for task in tasks), "nothing is missing"
    runner_for(settings, store).run(plan)
    return time.perf_counter() - started, in_words(tasks)


if __name__ == "__main__":
    command(measure, "adding")

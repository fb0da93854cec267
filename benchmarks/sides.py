"""What the benchmarks share: sides that take turns, and records to run them on."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Annotated

import torch
import typer

from bench.corpora import Corpora
from bench.device import pick_device
from bench.errors import InputError, RunError
from bench.experiment import settings_from
from bench.plan import make_labs
from bench.tokens import Tokens

Model = Annotated[str, typer.Option(help="tiny, or a local folder.")]
Dataset = Annotated[str, typer.Option(help="Whose records are run over.")]
DataDir = Annotated[Path | None, typer.Option(help="The folder with the dataset's files.")]
Length = Annotated[int, typer.Option(min=8, help="Tokens of a record that are kept.")]
Count = Annotated[int, typer.Option(min=4, help="How many records.")]
Rounds = Annotated[int, typer.Option(min=1, help="Turns of each side; the median counts.")]


def records_of(model: str, dataset: str, data_dir: Path | None, length: int, count: int) -> list[Tokens]:
    """The first records of a dataset's target half, tokenized for a model."""
    given = {"model": model, "dataset": dataset, "data_dir": data_dir, "max_length": length}
    (lab,) = make_labs(settings_from({name: value for name, value in given.items() if value is not None}))
    return Corpora().tokens(lab, "target")[:count]


def seconds_by_turns(sides: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median time of each side; they take turns, so that what slows the machine down meets all."""
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(rounds + 1):
        for name, side in sides.items():
            started = time.perf_counter()
            side()
            if torch.accelerator.is_available():
                torch.accelerator.synchronize()
            if turn:  # the first warms up
                taken[name].append(time.perf_counter() - started)
    return {name: median(times) for name, times in taken.items()}


def where() -> str:
    """The device that was measured."""
    return f"on {pick_device().type} with {torch.get_num_threads()} CPU threads"


def command(measure: Callable[..., None], name: str) -> None:
    """Run a benchmark as a command; an error that its user can mend is one line."""
    os.environ.setdefault("GOMP_SPINCOUNT", "5000")  # as `bench` does
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(measure)
    try:
        app()
    except (InputError, RunError) as error:
        sys.exit(f"benchmarks.{name}: {error}")

"""What a training step of `dp-sgd` costs over one of `none`: time a token, and peak memory."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
import psutil
import torch
import typer
from torch.profiler import ProfilerActivity, profile, record_function

from bench import registry
from bench.batches import collate, logits_and_logprobs, mean_over_own_tokens
from bench.device import pick_device
from bench.errors import InputError, RunError
from bench.memory import PeakMemory
from bench.models.finding import find_model
from bench.models.loading import load_model, load_tokenizer
from bench.models.tuning import Tuning, tuned
from bench.privacy.updates import PrivateUpdates
from bench.schedule import Schedule
from bench.tokens import Tokens
from bench.updates import Updates

T = TypeVar("T")
Means = Literal["auto", "ghost", "per-record"]

ROUNDS = 3
NODE = "autograd::engine::evaluate_function: "  # what the profiler calls a node of the backward graph


def measure(
    model: Annotated[str, typer.Option(help="tiny, or a local folder.")] = "tiny",
    tuning: Annotated[Tuning, typer.Option(help="What is trained.")] = "full",
    untied: Annotated[bool, typer.Option("--untied", help="Give the output head its own weights.")] = False,
    clipping: Annotated[Means, typer.Option(help="How dp-sgd clips.")] = "auto",
    length: Annotated[int, typer.Option(min=1, help="Tokens of a record.")] = 256,
    batch_size: Annotated[int, typer.Option(min=1, help="Records of a step.")] = 8,
    steps: Annotated[int, typer.Option(min=1, help="Steps of a turn; each side has three turns.")] = 5,
) -> None:
    """Measure training steps of none and of dp-sgd by turns, on one model and one batch."""
    folder = find_model(model)
    typer.echo(
        f"{model}{', untied' if untied else ''}, {tuning}: {batch_size} records of {length} tokens, "
        f"{ROUNDS} x {steps} steps a side, on {pick_device().type} with {torch.get_num_threads()} CPU threads"
    )
    specs = {"none": "none", "dp-sgd": f"dp-sgd:noise_multiplier=1,clipping={clipping}"}
    setups = {name: Setup(folder, tuning, untied, spec, length, batch_size) for name, spec in specs.items()}
    with Process(setups["none"]) as plain, Process(setups["dp-sgd"]) as private:
        sides = {"none": plain, "dp-sgd": private}
        seconds: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(ROUNDS):
            for name, side in sides.items():
                seconds[name] += side.ask(time_steps, steps)
        costs = {name: (median(seconds[name]), *side.ask(memory_mb)) for name, side in sides.items()}
        shares, means = private.ask(breakdown_and_means)
    typer.echo(f"{'side':<8}{'tok/s':>10}{'peak MB above the loaded model':>34}{'in total':>12}")
    for name, (pace, loaded, peak) in costs.items():
        typer.echo(f"{name:<8}{batch_size * length / pace:>10,.0f}{peak - loaded:>34,.0f}{peak:>12,.0f}")
    typer.echo(f"a dp-sgd step: {shares}")
    slower, _, larger = (costs["dp-sgd"][row] / costs["none"][row] for row in range(3))
    typer.echo(f"dp-sgd / none: {slower:.2f} x time per token, {larger:.2f} x peak memory in total; {means}")


@dataclass(frozen=True)
class Setup:
    """What one side trains: `defense` is a spec such as `dp-sgd:noise_multiplier=1`."""

    folder: Path
    tuning: Tuning
    untied: bool
    defense: str
    length: int
    batch_size: int


class Process(ProcessPoolExecutor):
    """A process of one side's own, which keeps its model between questions."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(max_workers=1, mp_context=get_context("spawn"))
        self._setup = setup

    def ask(self, question: Callable[..., T], *arguments: int) -> T:
        """What a function of the setup gives in there; its errors are raised here."""
        return self.submit(question, self._setup, *arguments).result()


def time_steps(setup: Setup, steps: int) -> list[float]:
    """The seconds of each step."""
    session, times = _session(setup), [time.perf_counter()]
    for _ in range(steps):
        session.step()
        times.append(time.perf_counter())
    return [end - start for start, end in pairwise(times)]


def memory_mb(setup: Setup) -> tuple[float, float]:
    """Memory with the model loaded, and at the peak of all steps until now."""
    session = _session(setup)
    session.memory.__exit__(None, None, None)
    return session.loaded_mb, session.memory.peak_mb


def breakdown_and_means(setup: Setup) -> tuple[str, str]:
    """Shares of a profiled step's time, where hooks of modules are Opacus' work on single records."""
    updates = _session(setup).updates
    assert isinstance(updates, PrivateUpdates)
    means = f"{updates.means} clipping, {min(updates.records_at_a_time, setup.batch_size)} records at a time"
    if pick_device().type != "cpu":
        return "a breakdown is to be had on a CPU only", means
    with profile(activities=[ProfilerActivity.CPU]) as profiled, record_function("step"):
        _session(setup).step()
    spent = {event.key: event.cpu_time_total for event in profiled.key_averages()}
    step, forward, noise = (spent[key] for key in ("step", "forward", "aten::normal"))
    hooks = spent[f"{NODE}BackwardHookFunctionBackward"]
    backward = sum(spent[key] for key in spent if key.startswith(NODE)) - hooks
    rest = step - forward - backward - hooks
    return (
        f"forward {forward / step:.0%}, backward {backward / step:.0%}, per-record gradients or norms "
        f"{hooks / step:.0%}, clip, noise and optimizer {rest / step:.0%} (noise alone {noise / step:.0%})"
    ), means


@dataclass(frozen=True)
class Session:
    """A model that is being trained, `loaded_mb` being the memory before its first step."""

    updates: Updates
    loaded_mb: float
    memory: PeakMemory

    def step(self) -> None:
        """One step on every record, to its end."""
        self.updates.step(range(len(self.updates.units)))
        if torch.accelerator.is_available():
            torch.accelerator.synchronize()


@cache
def _session(setup: Setup) -> Session:
    """This process's session, made when first asked for, its first step taken: there dp-sgd checks itself."""
    device, defense = pick_device(), registry.defenses().parse(setup.defense)
    model: Any = load_model(setup.folder, device)
    if setup.untied:
        head = model.get_output_embeddings()
        head.weight = torch.nn.Parameter(head.weight.detach().clone())
    records = _records(setup, model.get_input_embeddings().num_embeddings)
    model = tuned(model, setup.tuning, seed=0).train()

    def record_losses(model: torch.nn.Module, indices: Sequence[int]) -> torch.Tensor:
        with record_function("forward"):
            batch = collate([records[index] for index in indices], device)
            logits, logprobs = logits_and_logprobs(model, batch)
            return mean_over_own_tokens(defense.token_losses(logprobs, logits, batch), batch.mask)

    units, lengths = [record.unit for record in records], [len(record) for record in records]
    schedule = Schedule(1, setup.batch_size, learning_rate=1e-5)
    optimizer = defense.optimizer([p for p in model.parameters() if p.requires_grad], schedule.learning_rate)
    updates = defense.updates(Updates(model, optimizer, record_losses, units, lengths, schedule, seed=0))
    # Weights are mapped from their file, and take no memory before they are read.
    sum(parameter.detach().sum() for parameter in model.parameters())
    on_cuda = device.type == "cuda"
    loaded = torch.cuda.memory_allocated(device) if on_cuda else psutil.Process().memory_info().rss
    session = Session(updates, loaded / 2**20, PeakMemory(device).__enter__())
    session.step()
    return session


def _records(setup: Setup, vocabulary: int) -> list[Tokens]:
    ids = np.random.default_rng(0).integers(vocabulary, size=(setup.batch_size, setup.length + 1))
    ids[:, 0] = load_tokenizer(setup.folder)[1]
    nowhere, impersonal = np.zeros(setup.length, np.int64), np.zeros(setup.length, np.bool_)
    return [Tokens(f"{n}", f"{n}", row, nowhere, nowhere, impersonal, "", (), 0) for n, row in enumerate(ids)]


def main() -> None:
    """Run the command; an error that its user can mend is one line."""
    os.environ.setdefault("GOMP_SPINCOUNT", "5000")  # as `bench` does
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler says when it starts and stops
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(measure)
    try:
        app()
    except (InputError, RunError, BrokenExecutor) as error:
        sys.exit(f"benchmarks.dp_sgd: {error}")


if __name__ == "__main__":
    main()

"""`bench plan`: what a run would do, and what that would take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bench.cli import options
from bench.errors import InputError

if TYPE_CHECKING:
    from bench.estimates import Device, Forecast

DeviceName = Annotated[
    str, typer.Option("--device", help="cpu-core, M2, T4, A10, A100-40, A100-80, H100 or H200.")
]
Flops = Annotated[
    float | None, typer.Option("--flops", help="Peak FLOP/s of your device, in place of the table's.")
]
Utilization = Annotated[
    float,
    typer.Option(
        "--utilization",
        help="Share of the peak that is reached. Large models train at 0.35 to 0.5, small ones far lower.",
    ),
]
Devices = Annotated[int, typer.Option("--devices", min=1, help="How many of them; a task takes one.")]
AsJson = Annotated[bool, typer.Option("--json", help="The same as JSON: FLOPs, bytes and seconds.")]


@options.takes_settings
def plan(
    given: dict[str, Any],
    config: Path | None,
    device: DeviceName = "cpu-core",
    flops: Flops = None,
    utilization: Utilization = 0.35,
    devices: Devices = 1,
    as_json: AsJson = False,
) -> None:
    """Show what a run with the same options would do, and estimate tokens, FLOPs, memory, disk and time.

    Runs nothing, and needs no weights: of a model, its configuration and tokenizer are enough.
    """
    from bench.estimates import Estimator, make_forecast
    from bench.experiment import settings_from
    from bench.plan import make_plan
    from bench.store import Store, to_json

    chosen = _device(device, flops)
    if not 0 < utilization <= 1:
        raise InputError(f"--utilization {utilization:g}: it is a share, above 0 and at most 1")
    settings = settings_from(given, config)
    tasks = make_plan(settings, weights=False).tasks(Store(settings.out))
    forecast = make_forecast(tasks, Estimator(chosen, utilization), devices)
    typer.echo(to_json(forecast.as_json()).rstrip() if as_json else "\n".join(_lines(forecast)))


def _device(name: str, flops: float | None) -> Device:
    from bench.estimates import device_named

    named = device_named(name)
    if flops is None:
        return named
    if not 0 < flops < float("inf"):
        raise InputError(f"--flops {flops:g}: it must be above 0, such as 1e14")
    return replace(named, float32=flops, bfloat16=None if named.bfloat16 is None else flops)


def _lines(forecast: Forecast) -> Iterator[str]:
    from tabulate import tabulate

    from bench.graph import in_words
    from bench.quantities import amount, duration

    if not forecast.tasks:
        yield "all is done; nothing would be run"
        return
    rows, numbers = forecast.run_models, _numbers(forecast)
    headers = ("", "task", "waits for", "tokens", "FLOP", "memory", "disk", "time")
    cells = [
        [
            numbers[task.key],
            task.title,
            _several([numbers[need] for need in task.needs if need in numbers]),
            amount(cost.tokens),
            amount(cost.flops),
            amount(cost.memory, "B") + ("" if forecast.fits(cost) else " !"),
            amount(cost.disk, "B"),
            duration(cost.seconds),
        ]
        for task, cost in rows
    ]
    yield tabulate(cells, headers, disable_numparse=True, colalign=("right", "left", *["right"] * 6))
    device, total = forecast.device, forecast.total
    yield ""
    yield (
        f"{in_words(forecast.tasks)}: {amount(total.tokens)} tokens, {amount(total.flops)} FLOP, "
        f"{amount(total.memory, 'B')} of memory, {amount(total.disk, 'B')} on disk"
    )
    yield (
        f"on {device.name}, at {forecast.utilization:.0%} of {amount(device.peak('bfloat16'), 'FLOP/s')} "
        f"where training is in bfloat16, of {amount(device.float32, 'FLOP/s')} in float32:"
    )
    yield f"  one device         {duration(total.seconds)}"
    if forecast.devices > 1:
        yield f"  {forecast.devices} devices".ljust(21) + duration(forecast.seconds)
    chain = " → ".join(numbers[task.key] for task in forecast.critical_path)
    yield f"  unlimited devices  {duration(forecast.least_seconds)}, the longest chain: {chain}"
    if wanting := [numbers[task.key] for task, cost in rows if not forecast.fits(cost)]:
        yield f"! {_several(wanting)} of {len(rows)} do not fit in {amount(device.memory or 0.0, 'B')}"


def _numbers(forecast: Forecast) -> dict[str, str]:
    return {task.key: str(number) for number, (task, _) in enumerate(forecast.run_models, start=1)}


def _several(numbers: list[str]) -> str:
    """All numbers where they are few, else how many."""
    return ", ".join(numbers) if len(numbers) <= 4 else f"{len(numbers)} tasks"

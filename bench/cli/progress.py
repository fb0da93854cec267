"""Carrying out a plan where someone watches: what it will do, how far it is, what failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich import progress as bars
from rich.console import Console

from bench.graph import Judge, in_words
from bench.processes import is_main
from bench.runner import runner_for
from bench.workshop import Watcher

if TYPE_CHECKING:
    from bench.experiment import Settings
    from bench.plan import Plan
    from bench.store import Store


def carried_out(plan: Plan, settings: Settings, store: Store) -> dict[str, str]:
    """Compute what is missing of a plan; what it does is said on stderr.

    Returns:
        the cells that failed, and why, one line each.
    """
    console = Console(stderr=True, highlight=False, quiet=not is_main())
    tasks = plan.tasks(store)
    missing = [task for task in tasks if isinstance(task, Judge)]
    console.print(_announcement(plan, store.root), soft_wrap=True)
    console.print(
        f"done before: {len(plan.cells) - len(missing)} of {len(plan.cells)} cells; to do: {in_words(tasks)}",
        soft_wrap=True,
    )
    if not missing:
        return {}
    columns = (
        bars.BarColumn(),
        bars.TextColumn("{task.percentage:>3.0f} %"),
        bars.TimeElapsedColumn(),
        bars.TextColumn("left"),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=None)
        watcher = Watcher(
            lambda tokens: progress.advance(task, tokens),
            lambda line: console.print(line, soft_wrap=True),
        )
        runner = runner_for(settings, store, watcher)
        progress.update(task, total=runner.tokens(tasks))
        failures = runner.run(plan)
        progress.update(task, completed=progress.tasks[0].total)
    return failures


def end_with(failures: Mapping[str, str]) -> None:
    """Say what failed, and with anything that did, end with exit code 1."""
    for what, why in failures.items():
        typer.echo(f"failed: {what}: {why}", err=True)
    if failures:
        raise typer.Exit(1)


def _announcement(plan: Plan, out: Path) -> str:
    def several(noun: str, names: Iterable[object]) -> str:
        distinct = list(dict.fromkeys(str(name) for name in names))
        return f"{noun}: {', '.join(distinct)}"

    return "\n".join(
        [
            several("datasets", (cell.lab.dataset for cell in plan.cells)),
            several("models  ", (cell.lab.model for cell in plan.cells)),
            several("rows    ", (cell.spec for cell in plan.cells)),
            several("attacks ", (cell.attack.spec for cell in plan.cells)),
            several("seeds   ", (cell.lab.seed for cell in plan.cells)),
            f"results : {out}/",
        ]
    )

"""`bench run`: train, attack, and show the leaderboard."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bench.cli import options

if TYPE_CHECKING:
    from bench.experiment import Settings
    from bench.plan import Plan
    from bench.results import Leaderboard


@options.takes_settings
def run(given: dict[str, Any], config: Path | None) -> None:
    """Run every combination of defense and attack, and show the leaderboard.

    Without options: the embedded model on both synthetic families, all defenses, all attacks.
    """
    from bench.experiment import settings_from
    from bench.leaderboard import shifted
    from bench.plan import make_plan

    settings = settings_from(given, config)
    plan = make_plan(settings)
    failures, board = _carry_out(plan, settings)
    if settings.strict:
        failures |= shifted(board)
    for what, why in failures.items():
        typer.echo(f"failed: {what}: {why}", err=True)
    if failures:
        raise typer.Exit(1)


def _carry_out(plan: Plan, settings: Settings) -> tuple[dict[str, str], Leaderboard]:
    from rich import progress as bars
    from rich.console import Console

    from bench.graph import Judge, in_words
    from bench.processes import is_main
    from bench.publishing import write_leaderboard
    from bench.rendering import as_terminal
    from bench.store import Store

    out = settings.out
    console, store = Console(stderr=True, highlight=False, quiet=not is_main()), Store(out)
    tasks = plan.tasks(store)
    missing = [task for task in tasks if isinstance(task, Judge)]
    console.print(_announcement(plan, out), soft_wrap=True)
    console.print(
        f"done before: {len(plan.cells) - len(missing)} of {len(plan.cells)} cells; to do: {in_words(tasks)}",
        soft_wrap=True,
    )
    failures: dict[str, str] = {}
    if missing:
        from bench.runner import runner_for
        from bench.workshop import Watcher

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
    board = write_leaderboard(store)
    if is_main():
        typer.echo("\n" + as_terminal(board))
        typer.echo(f"More in {out}/leaderboard.md and {out}/leaderboard.json")
    return failures, board


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

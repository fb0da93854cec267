"""`bench status`: which cells are done, and which a run would compute."""

from pathlib import Path
from typing import Any

import typer

from bench.cli import options


@options.takes_settings
def status(given: dict[str, Any], config: Path | None) -> None:
    """Show which cells a run with the same options would find done, and what it would compute."""
    from bench.experiment import settings_from
    from bench.plan import make_plan
    from bench.store import Store

    settings = settings_from(given, config)
    plan, store = make_plan(settings), Store(settings.out)
    missing = {cell.name for cell in plan.missing(store)}
    for cell in plan.cells:
        state = "to do" if cell.name in missing else "done "
        what = (
            f"{cell.lab.dataset} · {cell.lab.model} · seed {cell.lab.seed} · {cell.spec} · {cell.attack.spec}"
        )
        typer.echo(f"{state}  {what}")
    to_do = [cell for cell in plan.cells if cell.name in missing]
    typer.echo(
        f"{len(plan.cells) - len(to_do)} of {len(plan.cells)} cells done; a run would do "
        f"{len(plan.trainings(to_do, store))} trainings and {len(plan.scorings(to_do, store))} scorings"
    )

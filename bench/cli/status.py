"""`bench status`: which cells are done, and which a run would compute."""

from pathlib import Path
from typing import Any

import typer

from bench.cli import options


@options.takes_settings
def status(given: dict[str, Any], config: Path | None) -> None:
    """Show which cells a run with the same options would find done, and what it would compute."""
    from bench.experiment import settings_from
    from bench.graph import in_words
    from bench.plan import make_plan
    from bench.store import Store

    settings = settings_from(given, config)
    plan, store = make_plan(settings), Store(settings.out)
    missing = {cell.name for cell in plan.missing(store)}
    for cell in plan.cells:
        state = "to do" if cell.name in missing else "done "
        typer.echo(f"{state}  {cell.title}")
    typer.echo(
        f"{len(plan.cells) - len(missing)} of {len(plan.cells)} cells done; "
        f"a run would do {in_words(plan.tasks(store))}"
    )

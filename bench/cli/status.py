"""`bench status`: which cells are done, and which a run would compute."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bench.cli import options

if TYPE_CHECKING:
    from bench.cache import Content


@options.takes_settings
def status(given: dict[str, Any], config: Path | None) -> None:
    """Show which cells a run with the same options would find done, and what it would compute."""
    from bench.cache import contents
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
        f"a run would do {in_words(plan.tasks(store))}; {settings.out} holds {_sizes(contents(store))}"
    )


def _sizes(held: list[Content]) -> str:
    from bench.quantities import amount

    kinds = [f"{one.kind} {amount(one.size, 'B')}" for one in held if one.size]
    total = amount(sum(one.size for one in held), "B")
    return f"{total} ({', '.join(kinds)})" if kinds else "nothing"

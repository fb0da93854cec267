"""`bench run`: train, attack, and show the leaderboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from bench.cli import options


@options.takes_settings
def run(given: dict[str, Any], config: Path | None) -> None:
    """Run every combination of defense and attack, and show the leaderboard.

    Without options: the embedded model on both synthetic families, all defenses, all attacks.
    """
    from bench.experiment import settings_from
    from bench.leaderboard import shifted
    from bench.plan import make_plan
    from bench.store import Store

    settings = settings_from(given, config)
    store = Store(settings.out)
    plan = make_plan(settings)
    # What runs models is imported when all that was asked for is known to exist.
    from bench.cli.progress import carried_out, end_with
    from bench.processes import is_main
    from bench.publishing import write_leaderboard
    from bench.rendering import as_terminal

    failures = carried_out(plan, settings, store)
    board = write_leaderboard(store)
    if is_main():
        typer.echo("\n" + as_terminal(board))
        typer.echo(f"More in {settings.out}/leaderboard.md and {settings.out}/leaderboard.json")
    if settings.strict:
        failures |= shifted(board)
    end_with(failures)

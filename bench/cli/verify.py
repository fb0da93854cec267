"""`bench verify`: recompute every figure of a run's folder."""

from pathlib import Path
from typing import Annotated

import typer

from bench.errors import InputError


def verify(
    run_dir: Annotated[Path, typer.Argument(help="A run's folder, or a published one.")] = Path("runs"),
) -> None:
    """Recompute rows from cells, figures from evidence, and evidence from signals where they are kept.

    Trains nothing. Exits with code 1, naming what differs, if anything does.
    """
    from bench import verification
    from bench.store import Store

    if not (run_dir / "cells").is_dir():
        raise InputError(f"{run_dir} is no folder of results; `bench run --out FOLDER` makes one")
    found = verification.verify(Store(run_dir))
    typer.echo(
        f"{found.cells} cells recomputed from their evidence, {found.from_signals} of them from signals; "
        f"{found.rows} rows recomputed from cells; {len(found.differences)} differences"
    )
    for line in verification.first(found.differences, 20):
        typer.echo(f"differs: {line}", err=True)
    for line in found.passed_over:
        typer.echo(f"signals not read again: {line}", err=True)
    if found.differences:
        raise typer.Exit(1)

"""`bench report`: one HTML file from cells; nothing is trained."""

from pathlib import Path
from typing import Annotated

import typer

from bench.errors import InputError


def report(
    run_dir: Annotated[Path, typer.Argument(help="A run's folder, or a published one.")] = Path("runs"),
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The file to write (default RUN_DIR/report.html).")
    ] = None,
    frontier: Annotated[
        str, typer.Option("--frontier", help="What the adversary of the frontier has.")
    ] = "population",
) -> None:
    """Write one HTML file that shows what a run found; trains nothing, and needs no network to be read."""
    if not run_dir.is_dir():
        raise InputError(f"{run_dir} is no folder of results; `bench run --out FOLDER` makes one")
    path = run_dir / "report.html" if output is None else output
    if not path.parent.is_dir():
        raise InputError(f"--output {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise InputError(f"--output {path} is a folder; give a file")

    from bench.ranking import LEVELS

    level = next((known for known in LEVELS if known == frontier), None)
    if level is None:
        raise InputError(f"--frontier {frontier}: known are {', '.join(LEVELS)}")

    from bench.report import read_report
    from bench.store import Store

    Store(path.parent).save_text(path, read_report(Store(run_dir), level))
    typer.echo(f"written to {path}")

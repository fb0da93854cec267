"""`bench leaderboard`: render again from cells; nothing is trained."""

from pathlib import Path
from typing import Annotated

import typer

from bench.errors import InputError

FORMATS = ("md", "json", "csv")


def leaderboard(
    run_dir: Annotated[Path, typer.Argument(help="A run's folder.")] = Path("runs"),
    format: Annotated[str, typer.Option("--format", help="md, json or csv.")] = "md",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write to this file, not the terminal.")
    ] = None,
    frontier: Annotated[
        str, typer.Option("--frontier", help="What the adversary of the frontier has.")
    ] = "population",
    publish: Annotated[
        bool, typer.Option("--publish", help="Copy valid cells to --to, and render its README.md.")
    ] = False,
    to: Annotated[Path, typer.Option("--to", help="The folder of published results.")] = Path("leaderboard"),
) -> None:
    """Render the leaderboard of a run's folder again; trains nothing."""
    from bench import publishing, rendering
    from bench.ranking import LEVELS
    from bench.store import Store

    if format not in FORMATS:
        raise InputError(f"--format {format}: known are {', '.join(FORMATS)}")
    if not run_dir.is_dir():
        raise InputError(f"{run_dir} is no folder of results; `bench run --out FOLDER` makes one")
    if output is not None and not output.parent.is_dir():
        raise InputError(f"--output {output}: there is no folder {output.parent}")
    level = next((known for known in LEVELS if known == frontier), None)
    if level is None:
        raise InputError(f"--frontier {frontier}: known are {', '.join(LEVELS)}")
    if publish and to.exists() and not to.is_dir():
        raise InputError(f"--to {to} is a file; give a folder")
    store = Store(run_dir)
    board = publishing.publish(store, to, level) if publish else publishing.read_leaderboard(store, level)
    render = {"md": rendering.as_markdown, "json": rendering.as_json, "csv": rendering.as_csv}
    text = render[format](board)
    if output is not None:
        output.write_text(text, encoding="utf-8")
    elif publish:
        typer.echo(f"published {len(board.rows)} rows in {to}/README.md")
    else:
        typer.echo(text, nl=False)

"""`bench inspect`: one record token by token, and what each defense left of it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bench.errors import InputError

if TYPE_CHECKING:
    from bench.inspection.panels import Panel
    from bench.inspection.view import View
    from bench.workshop import Workshop

FORMATS = ("terminal", "html")
LISTED = 20


def inspect(
    run_dir: Annotated[Path, typer.Argument(help="A run's folder.")] = Path("runs"),
    record: Annotated[
        str | None, typer.Option("--record", help="A record's id; without one, records are listed.")
    ] = None,
    show_text: Annotated[
        bool, typer.Option("--show-text", help="Show the record's text, not only lengths and labels.")
    ] = False,
    format: Annotated[str, typer.Option("--format", help="terminal (default) or html.")] = "terminal",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write to this file, which only you can read.")
    ] = None,
    defense: Annotated[
        list[str] | None, typer.Option("--defense", help="Only this row, such as trap. Repeatable.")
    ] = None,
    dataset: Annotated[str | None, typer.Option("--dataset", help="Where there are several.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Where there are several.")] = None,
    tuning: Annotated[str | None, typer.Option("--tuning", help="Where there are several.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Where there are several.")] = None,
    setting: Annotated[
        str | None, typer.Option("--setting", help="Where there are several: the leaderboard's setting.")
    ] = None,
    whole: Annotated[bool, typer.Option("--all", help="List all records, not only the first 20.")] = False,
) -> None:
    """Show a record's tokens, coloured by how much better each model knows them than one that never saw it.

    Without --record, list the records that can be looked at, those that the undefended run knows best
    first. Reads what a run has stored; runs no model.
    """
    _check(run_dir, record, format, output)
    from bench.cache import require_run
    from bench.inspection import choosing, panels
    from bench.workshop import Workshop

    store = require_run(run_dir)
    passed_over: list[str] = []
    seeds = None if seed is None else str(seed)
    chosen = {"dataset": dataset, "model": model, "tuning": tuning, "seed": seeds, "setting": setting}
    found = panels.panels(store, passed_over)
    for line in passed_over:
        typer.echo(f"not looked at: {line}", err=True)
    found = choosing.narrowed(found, chosen)
    workshop = Workshop(store)
    if record is None:
        text = "\n".join(_listed(panel, workshop, whole) for panel in found)
        return _deliver(f"{text}\n`bench inspect {run_dir} --record ID` shows one token by token\n", output)
    from bench.inspection.reading import view_of

    panel = choosing.panel_of(found, record, run_dir)
    view = view_of(panel, record, choosing.rows_called(panel, defense or ()), workshop, show_text)
    if format == "html":
        from bench.inspection.page import as_html

        return _deliver(as_html(view), output)
    return _print(view, output)


def _check(run_dir: Path, record: str | None, format: str, output: Path | None) -> None:
    if format not in FORMATS:
        raise InputError(f"--format {format}: known are {', '.join(FORMATS)}")
    if format == "html" and record is None:
        raise InputError(
            f"--format html shows one record: give --record; `bench inspect {run_dir}` lists them"
        )
    if output is not None and not output.parent.is_dir():
        raise InputError(f"--output {output}: there is no folder {output.parent}")
    if output is not None and output.is_dir():
        raise InputError(f"--output {output} is a folder; give a file")
    if output is not None and (output.is_symlink() or (output.exists() and not output.is_file())):
        raise InputError(f"--output {output} is a device or a link, which would be replaced; give a file")


def _listed(panel: Panel, workshop: Workshop, whole: bool) -> str:
    """The records of a panel as a table, the first of them unless all are wanted."""
    from tabulate import tabulate

    from bench.inspection.listing import entries, entries_table, row_listed

    listed = entries(panel, workshop)
    headings, body = entries_table(listed if whole else listed[:LISTED])
    aligned = ("left", "left") + ("right",) * (len(headings) - 2)
    table = tabulate(body, headings, tablefmt="simple", disable_numparse=True, colalign=aligned)
    more = len(listed) - len(body)
    rest = f"\n... and {more} more; --all lists them" if more else ""
    return f"{panel.title} · TRA of {row_listed(panel)}, in nats a token\n\n{table}{rest}\n"


def _print(view: View, output: Path | None) -> None:
    from rich.console import Console

    from bench.inspection.terminal import show

    if output is None:
        # As everything else that is echoed, it is written as UTF-8 where the environment names no encoding.
        return show(view, Console(file=typer.get_text_stream("stdout"), highlight=False))
    drawn = io.StringIO()
    show(view, Console(file=drawn, highlight=False))
    return _deliver(drawn.getvalue(), output)


def _deliver(text: str, output: Path | None) -> None:
    """To the terminal, or into a file that only its owner can read."""
    from bench.store import Store

    if output is None:
        typer.echo(text, nl=False)
    else:
        Store(output.parent).save_text(output, text)
        typer.echo(f"written to {output}", err=True)

"""`bench data`: how to get a dataset, and what there is to know about it before a run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bench.cli import options
from bench.errors import InputError

if TYPE_CHECKING:
    from bench.fetching.download import Watch

FORMATS = ("text", "json")

Name = Annotated[str, typer.Argument(help="A dataset (see `bench ls datasets`) or the path of a card.")]

data = typer.Typer(help="Get a dataset, and check it before a run.", no_args_is_help=True)


@data.command("get")
def get(
    name: Name,
    data_dir: Annotated[
        Path | None, typer.Option("--data-dir", help="The folder to fill (default data/NAME).")
    ] = None,
) -> None:
    """Fetch the files of a dataset from its authors' server, and check that they are the ones it pins."""
    from bench.fetching.delivery import deliver
    from bench.records.cards import load_card

    card = load_card(name)
    folder = data_dir or Path("data", card.name)
    with _watch() as watch:
        fetched = deliver(card, folder, watch)
    typer.echo(f"{folder}: {card.title}{'' if fetched else ' (there already; nothing was downloaded)'}")
    typer.echo(f"licence: {card.licence}")
    typer.echo(f"to cite: {' '.join(card.citation.split())}")
    typer.echo(f"go on with: bench data check {shlex.quote(name)} --data-dir {shlex.quote(str(folder))}")


@contextmanager
def _watch() -> Iterator[Watch]:
    """A bar on the terminal, where there is one, and lines about what is tried again."""
    from rich import progress as bars
    from rich.console import Console

    from bench.fetching.download import Watch

    console = Console(stderr=True, highlight=False)
    columns = (
        bars.BarColumn(),
        bars.DownloadColumn(),
        bars.TransferSpeedColumn(),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("", total=None)
        yield Watch(
            received=lambda size, total: progress.update(task, completed=size, total=total),
            say=lambda line: console.print(line, soft_wrap=True, markup=False),
        )


@data.command("check")
def check(
    name: Name,
    data_dir: options.DataDir = None,
    limit: options.Limit = None,
    model: Annotated[
        str, typer.Option("--model", help="Whose tokens to count, as for `bench run`.")
    ] = "tiny",
    max_length: options.MaxLength = None,
    split_seed: options.SplitSeed = None,
    share: options.Share = None,
    format: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write to this file, not the terminal.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with code 1 if anything breaks the protocol.")
    ] = False,
) -> None:
    """Show the data passport: counts, lengths, what crosses splits, what is wrong; never any text."""
    from bench.experiment import settings_from
    from bench.passport import as_json, as_text
    from bench.passport.labs import passport_of
    from bench.plan import make_labs
    from bench.records.cards import load_card

    _check_output(format, output)
    given = options._given(
        {
            "dataset": name,
            "data_dir": data_dir,
            "limit": limit,
            "model": model,
            "max_length": max_length,
            "split_seed": split_seed,
            "share": share,
        }
    )
    (lab,) = make_labs(settings_from(given))
    passport = passport_of(lab, load_card(name))
    text = {"text": as_text, "json": as_json}[format](passport)
    if output is None:
        typer.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
    if strict and passport.faults:
        for fault in passport.faults:
            typer.echo(f"fault: {fault}", err=True)
        raise typer.Exit(1)


def _check_output(format: str, output: Path | None) -> None:
    if format not in FORMATS:
        raise InputError(f"--format {format}: known are {', '.join(FORMATS)}")
    if output is not None and not output.parent.is_dir():
        raise InputError(f"--output {output}: there is no folder {output.parent}")
    if output is not None and output.is_dir():
        raise InputError(f"--output {output} is a folder; give a file")

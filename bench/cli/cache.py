"""`bench cache`: what a run's folder holds, and how to be rid of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bench.errors import InputError

if TYPE_CHECKING:
    from bench.store import Store

cache = typer.Typer(help="See what a run's folder holds, and free space.", no_args_is_help=True)

RunDir = Annotated[Path, typer.Argument(help="A run's folder.")]


@cache.command("ls")
def ls(run_dir: RunDir = Path("runs")) -> None:
    """Show what a folder holds, by kind, and what of it nothing needs any more."""
    from tabulate import tabulate

    from bench.cache import contents, require_run, size_of, unneeded, weights_in
    from bench.quantities import amount

    store = require_run(run_dir)
    held = contents(store)
    rows = [[one.kind, f"{one.count:,}", amount(one.size, "B")] for one in held if one.count]
    rows.append(["in all", "", amount(sum(one.size for one in held), "B")])
    typer.echo(
        tabulate(rows, ("", "count", "size"), disable_numparse=True, colalign=("left", "right", "right"))
    )
    typer.echo(f"{len(weights_in(store))} models have their weights")
    found = unneeded(store)
    if found.unknown:
        typer.echo(f"what is still needed cannot be told: {found.unknown}")
        return
    typer.echo(
        f"no cell or setting needs {len({path.stem for path in found.models})} of the models "
        f"({amount(size_of(found.models), 'B')}) and {len(found.signals)} of the signals "
        f"({amount(size_of(found.signals), 'B')})"
    )


@cache.command("gc")
def gc(
    run_dir: RunDir = Path("runs"),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
) -> None:
    """Remove what no cell or setting needs any more: left by older code, other settings, or audits.

    Half-written files and locks that nobody holds go as well. A run that is at work is not disturbed.
    """
    from bench.cache import collect, require_run
    from bench.quantities import amount

    removed = collect(require_run(run_dir), dry_run)
    if removed.kept:
        typer.echo(f"all models and signals stay: {removed.kept}", err=True)
    typer.echo(
        f"{'would free' if dry_run else 'freed'} {amount(removed.size, 'B')}: "
        f"{len({path.stem for path in removed.models})} models, {len(removed.signals)} signals, "
        f"{len(removed.leftovers)} half-written files and locks"
    )


@cache.command("rm")
def rm(
    run_dir: RunDir,
    models: Annotated[bool, typer.Option("--models", help="The weights of all models.")] = False,
    signals: Annotated[bool, typer.Option("--signals", help="What models said of every token.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Both.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove weights or signals, needed or not; cells and the leaderboard stay.

    Both tell of the records that they were made from, and should be removed with them.
    """
    from bench.cache import remove, require_run, signals_in, size_of, weights_in
    from bench.quantities import amount

    store = require_run(run_dir)
    if not (models or signals or everything):
        raise InputError("say what to remove: --models, --signals or --all")
    paths = [
        *(weights_in(store) if models or everything else ()),
        *(signals_in(store) if signals or everything else ()),
    ]
    what = f"{amount(size_of(paths), 'B')} of {run_dir}"
    typer.echo(f"this removes {what}: {_meaning(models or everything, signals or everything)}")
    if not (yes or _confirmed(store)):
        raise typer.Exit(1)
    remove(store, paths)
    typer.echo(f"removed {len(paths)} files, {what}")


def _meaning(models: bool, signals: bool) -> str:
    """What can still be done without them."""
    if models and signals:
        return "weights and signals; cells stay, and whatever asks anything new of a model trains again"
    if models:
        return (
            "weights; what trainings cost is kept, so new membership attacks can be computed from signals, "
            "but whatever needs other signals trains again"
        )
    return "signals; cells stay, but new attacks run the models again"


def _confirmed(store: Store) -> bool:
    if not sys.stdin.isatty():
        raise InputError(f"nothing in {store.root} is removed unasked: there is no terminal, give --yes")
    return typer.confirm("Remove?")

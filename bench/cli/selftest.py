"""`bench selftest`: controls whose outcome is known."""

import tempfile
from pathlib import Path

import typer


def selftest() -> None:
    """Check that what must be caught is caught and that chance looks like chance; takes minutes.

    Exits with code 1 if a control fails.
    """
    from bench.selftest import controls
    from bench.workshop import Watcher

    failed = 0
    with tempfile.TemporaryDirectory(prefix="trap-bench-") as folder:
        for control in controls(Path(folder), Watcher(say=lambda line: typer.echo(line, err=True))):
            typer.echo(f"{'ok  ' if control.passed else 'FAIL'}  {control.name} ({control.figures})")
            failed += not control.passed
    if failed:
        typer.echo(f"failed: {failed} controls; no figure of this installation can be trusted", err=True)
        raise typer.Exit(1)

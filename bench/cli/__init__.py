"""The command line: one subcommand a file."""

import os
import sys
from importlib.metadata import version
from typing import Annotated

import typer
from typer.main import get_command

from bench.cli import (
    audit,
    cache,
    data,
    inspect,
    leaderboard,
    ls,
    plan,
    report,
    run,
    selftest,
    status,
    study,
    verify,
)
from bench.errors import InputError, RunError


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"trap-bench {version('trap-bench')}")
        raise typer.Exit


app = typer.Typer(
    name="bench",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Which defense keeps most of a fine-tuned language model's utility and leaks least."""


app.command("run")(run.run)
app.command("plan")(plan.plan)
app.command("audit")(audit.audit)
app.command("study")(study.study)
app.command("ls")(ls.ls)
app.command("status")(status.status)
app.command("leaderboard")(leaderboard.leaderboard)
app.command("report")(report.report)
app.command("selftest")(selftest.selftest)
app.command("verify")(verify.verify)
app.command("inspect")(inspect.inspect)
app.add_typer(data.data, name="data")
app.add_typer(cache.cache, name="cache")


def main() -> None:
    """Run the command line; every error that a user can mend is one line, and exit code 2."""
    # Threads that spin while they wait for each other take ten times as long on cores that others use too.
    os.environ.setdefault("GOMP_SPINCOUNT", "5000")
    command = get_command(app)
    try:
        code = command.main(standalone_mode=False)
    except InputError as error:
        code = _complain(str(error), 2)
    except (RunError, OSError) as error:
        code = _complain(str(error), 1)
    except (KeyboardInterrupt, typer.Abort):
        code = _complain("interrupted; run again to go on where it stopped", 130)
    except Exception as error:
        # Click's own complaints (unknown option, missing value); their class moves between versions.
        if not hasattr(error, "format_message"):
            raise
        message = error.format_message()  # empty where the help was asked for by saying nothing
        code = _complain(message, 2) if message else 2
    sys.exit(code if isinstance(code, int) else 0)


def _complain(message: str, code: int) -> int:
    print(f"bench: {' '.join(message.split())}", file=sys.stderr)
    return code

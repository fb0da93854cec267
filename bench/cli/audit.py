"""`bench audit`: what one training proves about its epsilon, beside what it claims."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bench.cli import options
from bench.errors import InputError

if TYPE_CHECKING:
    from bench.results import AuditFile

Canaries = Annotated[
    int, typer.Option("--canaries", min=20, help="Random records; a coin puts each in or leaves it out.")
]


@options.takes_settings
def audit(given: dict[str, Any], config: Path | None, canaries: Canaries = 200) -> None:
    """Put canaries into the training and bound epsilon from below by telling which are in.

    A bound above what a defense claims exits with code 1: the claim, or the mechanism, is wrong.
    """
    from bench.audit import carry_out, make_audits
    from bench.experiment import settings_from
    from bench.runner import Runner
    from bench.store import Store
    from bench.worker import line_of

    settings = settings_from(given, config)
    if settings.executor != "local":
        raise InputError(f"--executor {settings.executor}: an audit trains once, on this device")
    if settings.log_to is not None:
        raise InputError(f"--log-to {settings.log_to}: an audit's trainings cannot be followed")
    audits = make_audits(settings, canaries)
    store = Store(settings.out)
    store.open()
    runner = Runner(store, settings=settings)
    done, failures = [], []
    for one in audits:
        typer.echo(f"training {one.what} with {sum(one.included)} of {canaries} canaries", err=True)
        try:
            done.append(carry_out(one, runner))
        except Exception as error:
            failures.append(f"failed: {one.what}: {line_of(error, settings.show_text)}")
    if done:
        typer.echo(_table(done))
        typer.echo(f"\nEach in a file of {settings.out}/audits")
    failures += [_exceeded(result) for result in done if result.exceeded]
    for line in failures:
        typer.echo(line, err=True)
    if failures:
        raise typer.Exit(1)


def _table(results: list[AuditFile]) -> str:
    from tabulate import tabulate

    headers = [
        "dataset",
        "model",
        "seed",
        "defense",
        "told right",
        "ε at least",
        "at most shown",
        "ε claimed",
        "δ",
    ]
    lines = [
        [
            result.dataset,
            result.model,
            result.seed,
            result.spec,
            f"{result.correct} of {result.guesses}",
            f"{result.epsilon_lower_bound:.2f}",
            f"{result.ceiling:.2f}",
            "none" if result.claimed is None else f"{result.claimed.epsilon:.2f}",
            f"{result.delta:.2g}",
        ]
        for result in results
    ]
    return tabulate(lines, headers, disable_numparse=True)


def _exceeded(result: AuditFile) -> str:
    claimed = result.claimed.epsilon if result.claimed else 0.0
    return (
        f"failed: {result.dataset} · {result.model} · seed {result.seed} · {result.spec}: the audit shows an "
        f"epsilon of at least {result.epsilon_lower_bound:.2f}, above the {claimed:.2f} that is claimed; "
        "the mechanism or its accounting is wrong"
    )

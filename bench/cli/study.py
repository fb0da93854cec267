"""`bench study`: the questions of how memorization arises, as experiments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bench.cli import options
from bench.errors import InputError
from bench.names import did_you_mean

if TYPE_CHECKING:
    from bench.experiment import Settings
    from bench.plan import Plan
    from bench.store import Store

STUDIES = ("dynamics", "size", "learning-rate", "difficulty", "frontier")

OWN = ("dataset", "model", "defense", "attack", "seed")
"""Settings that a study's file states as what was run, by the names that results give them."""

PRIVATE = ("out", "data_dir", "plugin")


@options.takes_settings
def study(
    given: dict[str, Any],
    config: Path | None,
    name: Annotated[str, typer.Argument(help=", ".join(STUDIES))],
    vary: Annotated[
        str | None,
        typer.Option("--vary", help="Places on the axis, such as epochs=1,5,20 or strength=0.5,1,2,4."),
    ] = None,
) -> None:
    """Run an experiment along one axis; show its figures, and say what they show.

    dynamics: after ever more epochs. size: on ever more records. learning-rate: in ever larger steps.
    difficulty: where records are harder to predict. frontier: one defense (--defense) with ever other
    values of one parameter (--vary). Cells go to --out (default studies), the answer to an HTML and a
    JSON file there.
    """
    if name not in STUDIES:
        raise InputError(f"unknown study {name!r}{did_you_mean(name, STUDIES)} (known: {', '.join(STUDIES)})")
    from bench.experiment import chosen_plugins, settings_from
    from bench.store import Store

    settings = settings_from({"out": "studies"} | given, config)
    chosen_plugins(settings)  # those of files are known from here on
    store = Store(settings.out)
    if name == "difficulty":
        _difficulty(settings, store, vary)
    else:
        _along(name, settings, store, vary)


def _along(name: str, settings: Settings, store: Store, vary: str | None) -> None:
    from bench.ranking import DEFAULT_LEVEL
    from bench.studies.design import DESIGNS
    from bench.studies.points import alarms, courses_of, matrix_of, observed

    design = DESIGNS[name](settings, vary)
    matrix = matrix_of(design)
    # What runs models is imported when all that was asked for is known to exist.
    from bench.cli.progress import carried_out, end_with
    from bench.studies.claims import sentences

    failures = carried_out(matrix.plan, settings, store)
    runs = matrix.cells(store)
    found = observed(design, runs, DEFAULT_LEVEL if name == "frontier" else None)
    courses = courses_of(cell for _, cells in runs for cell in cells)
    if found:
        _write(
            store,
            matrix.plan,
            [arm.settings for arm in design.arms],
            study=name,
            axis=design.axis,
            points=[one.point for one in found],
            courses=courses if name == "dynamics" else [],
            sentences=sentences(name, found, courses),
        )
    end_with(failures | (alarms(runs) if settings.strict else {}))


def _difficulty(settings: Settings, store: Store, vary: str | None) -> None:
    from bench.cli.progress import carried_out, end_with
    from bench.plan import make_plan
    from bench.runner import Runner
    from bench.studies.claims import of_hardness
    from bench.studies.design import AGAINST, difficulty
    from bench.studies.difficulty import hardness_of, judged

    if vary is not None:
        raise InputError(f"--vary {vary}: difficulty varies nothing; it sorts the records that there are")
    chosen = difficulty(settings)
    plan = make_plan(chosen)
    end_with(carried_out(plan, chosen, store))
    read = judged(plan, AGAINST)
    runner = Runner(store, settings=chosen)
    runner.prepare(scoring for one in read for scoring in one.scorings)  # cells may be all that is left
    found = hardness_of(read, runner.worker.workshop, AGAINST)
    _write(
        store,
        plan,
        [chosen],
        study="difficulty",
        axis="loss",
        hardness=found,
        sentences=of_hardness(found),
    )


def _write(store: Store, plan: Plan, settings: list[Settings], **found: Any) -> None:
    from bench.processes import is_main
    from bench.ranking import DEFAULT_LEVEL
    from bench.store import to_json
    from bench.studies.file import StudyFile
    from bench.studies.page import as_html, as_terminal
    from bench.tasks import code_version

    study = StudyFile.model_validate(
        {
            "schema": "trap-bench-study/1",
            "level": DEFAULT_LEVEL,
            "code": code_version(),
            "settings": _shared(plan, settings),
            "rows": list(dict.fromkeys(cell.spec for cell in plan.cells)),
            "attacks": list(dict.fromkeys(cell.attack.spec for cell in plan.cells)),
            **found,
        }
    )
    if not is_main():
        return
    page, data = (store.root / f"{study.title}.{kind}" for kind in ("html", "json"))
    store.save_text(data, to_json(study.model_dump(mode="json", by_alias=True)))
    store.save_text(page, as_html(study))
    typer.echo("\n" + as_terminal(study))
    typer.echo(f"\nPictures in {page}, figures in {data}")


def _shared(plan: Plan, settings: list[Settings]) -> dict[str, Any]:
    """What all runs of a study were told, without a path of this machine."""
    kept = [one.kept() for one in settings]
    shared = {
        name: value
        for name, value in kept[0].items()
        if name not in (*OWN, *PRIVATE) and all(one.get(name) == value for one in kept)
    }
    labs = [cell.lab for cell in plan.cells]
    for name in ("dataset", "model", "seed"):
        shared[name] = list(dict.fromkeys(getattr(lab, name) for lab in labs))
    return shared

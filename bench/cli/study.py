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
    from bench.store import Store
    from bench.studies.file import StudyFile

STUDIES = ("dynamics", "size", "learning-rate", "difficulty", "frontier")


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
    values of one parameter (--vary). Cells go to --out (default studies), the answer to NAME.html and
    NAME.json there.
    """
    if name not in STUDIES:
        raise InputError(f"unknown study {name!r}{did_you_mean(name, STUDIES)} (known: {', '.join(STUDIES)})")
    from bench.experiment import settings_from
    from bench.store import Store

    settings = settings_from({"out": "studies"} | given, config)
    store = Store(settings.out)
    found = (
        _difficulty(settings, store, vary) if name == "difficulty" else _along(name, settings, store, vary)
    )
    _write(found, store)


def _along(name: str, settings: Settings, store: Store, vary: str | None) -> StudyFile:
    from bench.cli.progress import carried_out, end_with
    from bench.ranking import DEFAULT_LEVEL
    from bench.studies.claims import sentences
    from bench.studies.design import DESIGNS
    from bench.studies.points import courses_of, matrix_of, observed

    design = DESIGNS[name](settings, vary)
    matrix = matrix_of(design)
    end_with(carried_out(matrix.plan, settings, store))
    found = observed(design, matrix, store, DEFAULT_LEVEL)
    courses = courses_of(cell for _, cells in matrix.cells(store) for cell in cells)
    return _file(
        name,
        settings,
        axis=design.axis,
        points=[one.point for one in found],
        courses=courses if name == "dynamics" else [],
        sentences=sentences(name, found, courses),
    )


def _difficulty(settings: Settings, store: Store, vary: str | None) -> StudyFile:
    from bench.cli.progress import carried_out, end_with
    from bench.plan import make_plan
    from bench.studies.claims import of_hardness
    from bench.studies.design import AGAINST, difficulty
    from bench.studies.difficulty import hardness_of
    from bench.workshop import Workshop

    if vary is not None:
        raise InputError(f"--vary {vary}: difficulty varies nothing; it sorts the records that there are")
    chosen = difficulty(settings)
    plan = make_plan(chosen)
    end_with(carried_out(plan, chosen, store))
    found = hardness_of(plan, Workshop(store), AGAINST)
    return _file("difficulty", chosen, axis="loss", hardness=found, sentences=of_hardness(found))


def _file(name: str, settings: Settings, **found: Any) -> StudyFile:
    from bench.ranking import DEFAULT_LEVEL
    from bench.studies.file import StudyFile
    from bench.tasks import code_version

    shown = settings.kept()
    for private in ("out", "data_dir", "plugin"):
        shown.pop(private, None)
    return StudyFile.model_validate(
        {
            "schema": "trap-bench-study/1",
            "study": name,
            "level": DEFAULT_LEVEL,
            "code": code_version(),
            "settings": shown,
            **found,
        }
    )


def _write(found: StudyFile, store: Store) -> None:
    from bench.processes import is_main
    from bench.store import to_json
    from bench.studies.page import as_html, as_terminal

    if not is_main():
        return
    page, data = (store.root / f"{found.study}.{kind}" for kind in ("html", "json"))
    store.save_text(data, to_json(found.model_dump(mode="json", by_alias=True)))
    store.save_text(page, as_html(found))
    typer.echo("\n" + as_terminal(found))
    typer.echo(f"\nPictures in {page}, figures in {data}")

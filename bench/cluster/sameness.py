"""Whether a machine computes what the one that started the run would: its code, packages, weights, device."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.device import pick_device
from bench.errors import InputError, RunError
from bench.graph import Judge, Score, Task, Train
from bench.models.finding import find_model, shown
from bench.plugin import Plugin
from bench.registry import module_of
from bench.tasks import CELL_CODE, SCORING_CODE, TRAINING_CODE, Lab

CODE = tuple(sorted({*TRAINING_CODE, *SCORING_CODE, *CELL_CODE}))


@dataclass
class Expected:
    """What the keys of a run's tasks were made from, so that a machine can compare its own.

    Attributes:
        labs: each with its name-by-name identity.
        sources: the classes of plugins that every machine has installed, each with its source digest.
    """

    labs: list[tuple[Lab, dict[str, Any]]]
    sources: dict[type[Plugin], str]
    _checked: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, tasks: Sequence[Task]) -> Expected:
        """What this machine has."""
        labs = {id(lab): lab for lab in map(lab_of, tasks)}
        sent = {module_of(path) for lab in labs.values() for path in lab.settings.plugin}
        kinds = {type(plugin) for task in tasks for plugin in _plugins_of(task)}
        return cls(
            [(lab, _identity(lab)) for lab in labs.values()],
            {kind: kind.source_digest() for kind in kinds if kind.__module__ not in sent},
        )

    def check(self, task: Task) -> None:
        """Make sure that this machine can do a task as any other would.

        Raises:
            RunError: it has something else, or lacks it.
        """
        here, lab = platform.node(), lab_of(task)
        if not isinstance(task, Judge) and pick_device().type != lab.device:
            raise RunError(f"{here} computes on {pick_device().type}, and the run is for {lab.device}")
        if id(lab) not in self._checked:
            _find_weights(lab, here)
            expected = next(identity for known, identity in self.labs if known is lab)
            _compare(here, _identity(lab), expected)
            self._checked.add(id(lab))
        for kind in {type(plugin) for plugin in _plugins_of(task)} & set(self.sources):
            _compare(here, {kind.__name__: kind.source_digest()}, {kind.__name__: self.sources[kind]})


def lab_of(task: Task) -> Lab:
    """Which dataset, model and seed a task is of."""
    if isinstance(task, Train):
        return task.trainings[0].lab
    return task.scoring.lab if isinstance(task, Score) else task.cell.lab


def _plugins_of(task: Task) -> list[Plugin]:
    """Those whose code a task runs."""
    if isinstance(task, Train):
        return [training.defense for training in task.trainings]
    return [task.cell.attack] if isinstance(task, Judge) else []


def _identity(lab: Lab) -> dict[str, Any]:
    whole = lab.identity(CODE)
    return {**whole["setting"], **whole["packages"], "trap-bench": whole["code"]}


def _find_weights(lab: Lab, here: str) -> None:
    """The same model may lie in another folder here."""
    if lab.folder.is_dir():
        return
    try:
        (model,) = {model for model in lab.settings.model if shown(model) == lab.model}
        object.__setattr__(lab, "folder", find_model(model))
    except InputError as error:
        raise RunError(f"on {here}: {error}") from None


def _compare(here: str, found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        if found[name] != value:
            raise RunError(
                f"{here} has another {name} ({found[name]}) than the machine that started the run ({value}); "
                "all must have the same trap-bench, packages and models"
            )

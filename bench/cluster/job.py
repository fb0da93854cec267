"""What the worker processes of a run are sent, once."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ray import cloudpickle

from bench.cluster.sameness import Expected
from bench.cluster.sharing import Mark
from bench.experiment import Settings
from bench.graph import Judge, Score, Task
from bench.registry import module_of


@dataclass(frozen=True)
class PluginFile:
    """A plugin file of the user's, which other machines may not have.

    Attributes:
        module: the name that it has as a module where the run was started, by which its classes are found.
        path: where it lies there.
        source: its text.
    """

    module: str
    path: str
    source: bytes

    @classmethod
    def read(cls, path: Path) -> PluginFile:
        """The file as it is now."""
        return cls(module_of(path), str(path.resolve()), path.read_bytes())

    def load(self) -> None:
        """Make its module."""
        module = sys.modules[self.module] = ModuleType(self.module)
        module.__file__ = self.path
        exec(compile(self.source, self.path, "exec", dont_inherit=True), vars(module))


@dataclass(frozen=True)
class Job:
    """A run, as its worker processes are told of it.

    Attributes:
        run: a name that no other has.
        mark: what is in the folder that all share; `None` where files travel with the tasks.
        plugins: what has to be loaded before the tasks can be.
        pickled: the tasks, and what a machine must have in common with the one that started the run.
        show_text: whether errors may quote records.
    """

    run: str
    mark: Mark | None
    plugins: tuple[PluginFile, ...]
    pickled: bytes
    show_text: bool

    @classmethod
    def of(cls, tasks: Sequence[Task], settings: Settings, mark: Mark | None) -> Job:
        """What is to be done, under these settings."""
        for task in tasks:
            _settle(task)
        return cls(
            secrets.token_hex(8),
            mark,
            tuple(PluginFile.read(path) for path in settings.plugin),
            cloudpickle.dumps((tuple(tasks), Expected.of(tasks))),  # type: ignore[no-untyped-call]
            settings.show_text,
        )

    def load(self) -> tuple[tuple[Task, ...], Expected]:
        """The tasks, on a machine that may never have seen the plugins."""
        for plugin in self.plugins:
            plugin.load()
        loaded: tuple[tuple[Task, ...], Expected] = cloudpickle.loads(self.pickled)
        return loaded


def _settle(task: Task) -> None:
    """Compute every key of a task here, where all files are that keys are made from; they are kept."""
    if isinstance(task, Judge):
        _ = task.cell.name, task.cell.key
    elif isinstance(task, Score):
        _ = task.scoring.key
    else:
        _ = [training.key for training in task.trainings]

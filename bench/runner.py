"""Carries a plan out: what is missing is trained, scored and judged, and the cells are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bench import processes
from bench.errors import RunError
from bench.experiment import Settings
from bench.graph import Judge, Task, tasks_of
from bench.live import followed
from bench.plan import Plan
from bench.publishing import require_readable
from bench.store import Store
from bench.tasks import Scoring
from bench.worker import Worker, line_of
from bench.workshop import Watcher

LOGS = "logs"
"""Where in a run's folder trainings can be followed."""


def runner_for(settings: Settings, store: Store, watcher: Watcher | None = None) -> Runner:
    """What carries out a run with these settings.

    Raises:
        InputError: Ray is asked for, and is not installed or cannot be reached.
    """
    kind = Runner
    if settings.executor == "ray":
        from bench.cluster import RayRunner

        kind = RayRunner
    return kind(store, watcher or Watcher(), settings)


@dataclass
class Runner:
    """Carries out tasks on this device, one after another.

    Attributes:
        store: where everything goes.
        watcher: told how it goes.
        settings: whether errors may quote records, whether the first failure ends it, and where it runs.
    """

    store: Store
    watcher: Watcher = field(default_factory=Watcher)
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        self.worker = Worker(self.store, self.watcher)

    def run(self, plan: Plan) -> dict[str, str]:
        """Compute every missing cell; a failing plugin takes down its own cells only.

        Returns:
            the cells that failed, and why, one line each.

        Raises:
            InputError: the folder holds a cell that cannot be read.
        """
        require_readable(self.store, {cell.name for cell in plan.cells})
        processes.join()
        if processes.is_main():
            self.store.open()
            for settings in {id(cell.lab.settings): cell.lab.settings for cell in plan.cells}.values():
                self.store.save_settings(settings.kept())
        tasks = plan.tasks(self.store)
        processes.agreed(None)  # nothing is stored before all have seen what is missing
        with followed(self.settings.log_to, self.store.root / LOGS) as self.worker.log:
            failed = self.carry_out(tasks)
        processes.agreed(None)  # nobody reads cells before all are written
        return {
            task.cell.title: failed[task.key]
            for task in tasks
            if isinstance(task, Judge) and task.key in failed
        }

    def carry_out(self, tasks: Sequence[Task]) -> dict[str, str]:
        """Do each task whose needs could be met.

        Returns:
            by the key of each task that failed, or waits for one that did, why.
        """
        failed: dict[str, str] = {}
        for task in tasks:
            reasons = [failed[need] for need in task.needs if need in failed]
            if reasons:
                failed[task.key] = reasons[0]
                continue
            if failed and self.settings.fail_fast:
                continue
            try:
                self.worker.do(task)
            except (Exception, SystemExit) as error:
                failed[task.key] = line_of(error, self.settings.show_text)
                if processes.count() > 1:  # the others wait for this one, and end with it
                    raise RunError(f"{task.title}: {failed[task.key]}") from error
        return failed

    def prepare(self, scorings: Iterable[Scoring]) -> None:
        """Train and score what these are of, and raise what goes wrong."""
        for task in tasks_of(self.store, scorings=scorings):
            self.worker.do(task)

    def tokens(self, tasks: Iterable[Task]) -> int:
        """How many tokens these tasks pass through a model, if no training stops early."""
        return sum(self.worker.tokens(task) for task in tasks)

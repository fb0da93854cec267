"""Does one task of the graph after another: what a run on one device is made of."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from bench import processes
from bench.cells import CellMaker
from bench.errors import RunError
from bench.graph import Judge, Score, Task, Train
from bench.live import Follow
from bench.store import Store
from bench.workshop import Watcher, Workshop

if TYPE_CHECKING:
    from bench.tasks import Training
    from bench.training import Epoch


class Worker:
    """Trains, scores and judges from one store and into it."""

    def __init__(self, store: Store, watcher: Watcher | None = None) -> None:
        self.store = store
        self._told = watcher or Watcher()
        self._advanced = 0
        self.log: Follow = lambda trainings, epoch: None
        self.workshop = Workshop(store, Watcher(self._advance, self._told.say, self._follow))
        self.cells = CellMaker(self.workshop)

    def do(self, task: Task) -> None:
        """Carry out a task whose needs are stored, unless another run has done so by now."""
        self._advanced = 0
        try:
            if not isinstance(task, Judge):
                self._run_model(task)
            elif processes.is_main():
                self.store.save_cell(task.cell.name, self.cells.cell_file(task.cell))
        finally:
            self._told.advance(self.tokens(task) - self._advanced)

    def _run_model(self, task: Train | Score) -> None:
        with self.store.lock(task.key, self._told.say) if processes.is_main() else nullcontext():
            if not processes.agreed(task.is_done(self.store)):
                if isinstance(task, Score):
                    self.workshop.score(task.scoring, task.decodings)
                else:
                    self.workshop.train(task.trainings)
            processes.agreed(None)  # all wait until it is stored

    def tokens(self, task: Task) -> int:
        """How many tokens a task passes through a model, if no training stops early."""
        if isinstance(task, Train):
            training = task.trainings[0]
            return training.schedule.epochs * self.workshop.corpora.count(training.lab, training.trained_on)
        if isinstance(task, Score):
            return self.workshop.corpora.count(task.scoring.lab, task.scoring.covered)
        return 0

    def _follow(self, trainings: Sequence[Training], epoch: Epoch) -> None:
        if processes.is_main():
            self.log(trainings, epoch)

    def _advance(self, tokens: int) -> None:
        self._advanced += tokens
        self._told.advance(tokens)


def line_of(error: BaseException, show_text: bool) -> str:
    """What went wrong. The message of an error that is not ours may quote a record, so it is withheld."""
    message = " ".join(str(error).split())
    if isinstance(error, RunError | OSError):
        return message
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{type(error).__name__} in {Path(where.filename).name}, line {where.lineno}"
    return f"{place}: {message}" if show_text else f"{place} (--show-text shows what it says)"

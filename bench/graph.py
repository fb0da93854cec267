"""The graph of a run: what has to be trained, scored and judged, and what each of these waits for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.attack import Decoding
from bench.store import Store
from bench.tasks import Cell, Scoring, Training


@dataclass(frozen=True)
class Train:
    """One course of training, for all that differ in when they stop."""

    trainings: tuple[Training, ...]
    needs: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What other tasks call it."""
        return self.trainings[0].course

    @property
    def title(self) -> str:
        """What is trained, in words."""
        lab = self.trainings[0].lab
        roles = ", ".join(training.role for training in self.trainings)
        return f"train {roles} · {lab.dataset} · {lab.model} · seed {lab.seed}"

    def is_done(self, store: Store) -> bool:
        """Whether all of it is stored."""
        return all(store.has_model(training.key) for training in self.trainings)


@dataclass(frozen=True)
class Score:
    """One forward pass of one model over some splits, for all attacks that read it."""

    scoring: Scoring
    decodings: tuple[Decoding, ...]
    needs: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What other tasks call it."""
        return self.scoring.key

    @property
    def title(self) -> str:
        """What is scored, in words."""
        lab, training = self.scoring.lab, self.scoring.training
        model = self.scoring.other_model or ("base" if training is None else training.role)
        best = " at its validation minimum" if self.scoring.best else ""
        return f"score {model}{best} · {lab.dataset} · {lab.model} · seed {lab.seed}"

    def is_done(self, store: Store) -> bool:
        """Whether it is stored, with all ways of sampling that are asked for."""
        return is_scored(self.scoring, self.decodings, store)


@dataclass(frozen=True)
class Judge:
    """One cell, from signals; it runs no model."""

    cell: Cell
    needs: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What other tasks call it."""
        return self.cell.name

    @property
    def title(self) -> str:
        """What is judged, in words."""
        return f"judge {self.cell.title}"

    def is_done(self, store: Store) -> bool:
        """Whether the cell is stored with this key."""
        return store.cell_key(self.cell.name) == self.cell.key


Task = Train | Score | Judge


def in_words(tasks: Iterable[Task]) -> str:
    """How many of each kind."""
    counts = Counter(type(task) for task in tasks)
    return f"{counts[Train]} trainings, {counts[Score]} scorings, {counts[Judge]} cells"


def is_scored(scoring: Scoring, decodings: Iterable[Decoding], store: Store) -> bool:
    """Whether the store holds a scoring, with these ways of sampling."""
    return store.has_signals(scoring.key) and set(decodings) <= set(store.decodings(scoring.key))


def tasks_of(store: Store, cells: Iterable[Cell] = (), scorings: Iterable[Scoring] = ()) -> list[Task]:
    """What these cells and scorings still need, each task after those that it waits for."""
    graph = _Graph(store)
    cells = list(cells)
    for cell in cells:
        for scoring, decodings in cell.scorings:
            graph.want(scoring, decodings)
        for training in cell.trainings:
            if not store.is_trained(training.key):
                graph.require(training)
    for scoring in scorings:
        graph.want(scoring)
    return graph.ordered(cells)


@dataclass
class _Graph:
    """Scorings by key, with all ways of sampling that anyone asks for; trainings by course."""

    store: Store
    _scorings: dict[str, tuple[Scoring, dict[Decoding, None]]] = field(default_factory=dict)
    _courses: dict[str, dict[str, Training]] = field(default_factory=dict)

    def want(self, scoring: Scoring, decodings: tuple[Decoding, ...] = ()) -> None:
        known = self._scorings.get(scoring.key)
        ways = dict.fromkeys(decodings) if known is None else known[1] | dict.fromkeys(decodings)
        if known is None and is_scored(scoring, ways, self.store):
            return
        self._scorings[scoring.key] = (scoring, ways)
        if scoring.training is not None:
            self.require(scoring.training)

    def require(self, training: Training) -> None:
        if self.store.has_model(training.key):
            return
        self._courses.setdefault(training.course, {})[training.key] = training
        for scoring in training.reference_scorings:
            self.want(scoring)

    def needs_of(self, cell: Cell) -> tuple[str, ...]:
        read = (scoring.key for scoring, _ in cell.scorings)
        trained = (training.course for training in cell.trainings)
        return tuple(key for key in dict.fromkeys((*read, *trained)) if self._is_task(key))

    def _is_task(self, key: str) -> bool:
        return key in self._scorings or key in self._courses

    def ordered(self, cells: Iterable[Cell]) -> list[Task]:
        """Each cell as soon as it can be, so that a run that is cut off has whole rows."""
        done: dict[str, Task] = {}

        def add(key: str) -> None:
            if key in done or not self._is_task(key):
                return
            task = self._task(key)
            for need in task.needs:
                add(need)
            done[key] = task

        for cell in cells:
            judge = Judge(cell, self.needs_of(cell))
            for key in judge.needs:
                add(key)
            done[judge.key] = judge
        for key in self._scorings:
            add(key)
        return list(done.values())

    def _task(self, key: str) -> Train | Score:
        if key in self._courses:
            trainings = tuple(self._courses[key].values())
            needs = (scoring.key for scoring in trainings[0].reference_scorings)
            return Train(trainings, tuple(filter(self._is_task, needs)))
        scoring, ways = self._scorings[key]
        course = () if scoring.training is None else (scoring.training.course,)
        return Score(scoring, tuple(ways), tuple(filter(self._is_task, course)))

"""Which files of a store a task reads and writes, by their names relative to its folder."""

from __future__ import annotations

from bench.graph import Score, Task, Train
from bench.store import about_file, cell_file, signals_file, weights_file


def read_by(task: Task) -> tuple[str, ...]:
    """What a task reads where it is there: what it needs, and of a scoring what earlier passes gave."""
    if isinstance(task, Train):
        return tuple(signals_file(scoring.key) for scoring in task.trainings[0].reference_scorings)
    if isinstance(task, Score):
        training = task.scoring.training
        weights = () if training is None else (weights_file(training.key),)
        return (*weights, signals_file(task.scoring.key))
    signals = [signals_file(scoring.key) for scoring, _ in task.cell.scorings]
    return tuple(dict.fromkeys([*signals, *(about_file(one.key) for one in task.cell.trainings)]))


def written_by(task: Task) -> tuple[str, ...]:
    """What a task leaves behind, in the order in which it has to be stored."""
    if isinstance(task, Train):
        keys = [training.key for training in task.trainings]
        return tuple(file for key in keys for file in (weights_file(key), about_file(key)))
    if isinstance(task, Score):
        return (signals_file(task.scoring.key),)
    return (cell_file(task.cell.name),)

"""What each task of a run costs on a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.corpora import Corpora
from bench.estimates import formulas
from bench.estimates.devices import Device
from bench.estimates.shape import Shape, shape_of
from bench.graph import Judge, Score, Task, Train
from bench.models.finding import find_model
from bench.tasks import Lab, Training

SIGNAL_BYTES = 13
"""Of a token: log-probability, mean and variance in float32, and whether it is the most likely."""


@dataclass(frozen=True)
class Cost:
    """An estimate.

    Attributes:
        tokens: that pass through a model, as a run counts them: validation is left out.
        flops: with validation, and no training stopping early.
        memory: bytes at the peak.
        disk: bytes that are stored.
        seconds: on one device.
    """

    tokens: int = 0
    flops: float = 0.0
    memory: float = 0.0
    disk: float = 0.0
    seconds: float = 0.0


@dataclass
class Estimator:
    """Estimates for one kind of device.

    Attributes:
        device: what computes.
        utilization: the share of its peak that is reached.
        corpora: counts tokens.
    """

    device: Device
    utilization: float
    corpora: Corpora = field(default_factory=Corpora)

    def cost(self, task: Task) -> Cost:
        """What a task takes; judging runs no model, and counts as nothing.

        Raises:
            InputError: the model's configuration is none that can be planned for.
        """
        if isinstance(task, Judge):
            return Cost()
        return self._of_training(task) if isinstance(task, Train) else self._of_scoring(task)

    def _of_training(self, task: Train) -> Cost:
        training = task.trainings[0]
        lab, epochs = training.lab, training.schedule.epochs
        shape = shape_of(lab.folder, lab.settings.tuning)
        lengths, validation = self._lengths(lab, training.trained_on), self._lengths(lab, ["validation"])
        dtype = "float32" if training.defense.exact else self.device.dtype(lab.settings.precision)
        private = _private(training, shape)
        steps = epochs * formulas.training_flops(shape, lengths) * private.times
        checks = epochs * formulas.forward_flops(shape, validation)
        part = sum(sorted(lengths)[-(private.records_at_a_time or training.schedule.batch_size) :])
        passing = max(formulas.step_memory(shape, part, dtype), self._scoring_memory(shape, validation))
        states = sum(1 if one.defense.stop.patience is not None else 2 for one in task.trainings)
        return Cost(
            tokens=epochs * (sum(lengths) - len(lengths)),
            flops=steps + checks,
            memory=formulas.resident_memory(shape, dtype) + private.memory + passing,
            disk=states * formulas.FLOAT32 * shape.trained,
            seconds=self._seconds(steps, dtype) + self._seconds(checks, "float32"),
        )

    def _of_scoring(self, task: Score) -> Cost:
        scoring, lab = task.scoring, task.scoring.lab
        folder = lab.folder if scoring.other_model is None else find_model(scoring.other_model)
        shape = shape_of(folder, lab.settings.tuning if scoring.training else "full")
        lengths = self._lengths(lab, scoring.covered)
        tokens, flops = sum(lengths) - len(lengths), formulas.forward_flops(shape, lengths)
        return Cost(
            tokens=tokens,
            flops=flops,
            memory=formulas.FLOAT32 * shape.parameters + self._scoring_memory(shape, lengths),
            disk=tokens * (SIGNAL_BYTES + formulas.FLOAT32 * len(task.decodings)),
            seconds=self._seconds(flops, "float32"),
        )

    def _lengths(self, lab: Lab, splits: Sequence[str]) -> list[int]:
        return [len(row.input_ids) for split in splits for row in self.corpora.tokens(lab, split)]

    def _scoring_memory(self, shape: Shape, lengths: Sequence[int]) -> float:
        from bench.signals import LOGITS_AT_A_TIME, TOKENS_PER_BATCH

        kind = "cpu" if self.device.memory is None else "accelerator"
        positions = min(sum(lengths), max(TOKENS_PER_BATCH, *lengths))
        return formulas.scoring_memory(shape, positions, min(positions, LOGITS_AT_A_TIME[kind]))

    def _seconds(self, flops: float, dtype: str) -> float:
        return flops / (self.device.peak(dtype) * self.utilization)


@dataclass(frozen=True)
class Private:
    """What a training costs for having its gradients clipped: nothing, unless DP-SGD says otherwise.

    Attributes:
        times: how much longer a token takes.
        memory: bytes beyond a plain training's.
        records_at_a_time: the physical batch, `None` for all of a step.
    """

    times: float = 1.0
    memory: float = 0.0
    records_at_a_time: int | None = None


def _private(training: Training, shape: Shape) -> Private:
    """Per-record clipping holds a gradient for each record, both means one for their sum."""
    if training.defense.name != "dp-sgd":
        return Private()
    told = training.defense.parameters
    by_default = shape.means if told["unit"] == "record" else "per-record"
    means = by_default if told["clipping"] == "auto" else told["clipping"]
    size = told["physical_batch_size"]
    records = shape.records_at_a_time[means] if size == "auto" else size
    gradients = 1 + (records if means == "per-record" else 0)
    return Private(
        times=formulas.PRIVATE_TIMES[means][training.lab.settings.tuning],
        memory=formulas.FLOAT32 * shape.trained * gradients,
        records_at_a_time=records,
    )

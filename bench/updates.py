"""How records become optimizer steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Schedule:
    """What all defenses share unless one has its own: passes over the records, records a step, and a rate."""

    epochs: int
    batch_size: int
    learning_rate: float


@dataclass
class Updates:
    """Shuffled batches of a fixed size, one optimizer step each.

    Attributes:
        model, optimizer: what is trained, and with what.
        record_losses: from record indices to their losses, (B,) nats; runs the model.
        units: the privacy unit of each record; there are as many as records.
        schedule: how long and how fast.
        seed: of the record order.
    """

    model: torch.nn.Module
    optimizer: torch.optim.Optimizer
    record_losses: Callable[[torch.nn.Module, Sequence[int]], torch.Tensor]
    units: Sequence[str]
    schedule: Schedule
    seed: int

    def batches(self, epoch: int) -> Iterator[list[int]]:
        """The batches of one epoch: an order that depends on the seed and the epoch alone."""
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.units)).tolist()
        for start in range(0, len(self.units), self.schedule.batch_size):
            yield order[start : start + self.schedule.batch_size]

    def step(self, indices: Sequence[int]) -> None:
        """One optimizer step on the mean loss of a batch's records."""
        self.optimizer.zero_grad(set_to_none=True)
        self.record_losses(self.model, indices).mean().backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()

    def finish(self) -> dict[str, Any] | None:
        """Undo what was done to the model, and say what differential privacy the steps have spent, if any."""
        return None

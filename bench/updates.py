"""How records become optimizer steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bench import processes
from bench.schedule import Schedule

if TYPE_CHECKING:
    import torch


MOST_PADDING = 0.1
"""Share of a padded batch that may be padding."""


@dataclass
class Updates:
    """Shuffled batches of a fixed size, one optimizer step each.

    Attributes:
        model, optimizer: what is trained, and with what.
        record_losses: from record indices to their losses, (B,) nats; runs the model.
        units: the privacy unit of each record; there are as many as records.
        lengths: how many tokens each record has.
        schedule: how long and how fast.
        seed: of the record order.
    """

    model: torch.nn.Module
    optimizer: torch.optim.Optimizer
    record_losses: Callable[[torch.nn.Module, Sequence[int]], torch.Tensor]
    units: Sequence[str]
    lengths: Sequence[int]
    schedule: Schedule
    seed: int

    def batches(self, epoch: int) -> Iterator[list[int]]:
        """The batches of one epoch: an order that depends on the seed and the epoch alone."""
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.units)).tolist()
        for start in range(0, len(self.units), self.schedule.batch_size):
            yield order[start : start + self.schedule.batch_size]

    def step(self, indices: Sequence[int]) -> None:
        """One optimizer step on the mean loss of a batch's records, run in parts of like lengths.

        Where several processes train together, each runs its share of the records.
        """
        self.optimizer.zero_grad(set_to_none=True)
        for part in like_lengths(processes.share_of(indices), self.lengths):
            loss = self.record_losses(self.model, part).sum() / len(indices)
            loss.backward()  # type: ignore[no-untyped-call]
        processes.add_up_gradients(self.model.parameters())
        self.optimizer.step()

    def finish(self) -> dict[str, Any] | None:
        """Undo what was done to the model, and say what differential privacy the steps have spent, if any."""
        return None


def like_lengths(indices: Sequence[int], lengths: Sequence[int]) -> list[list[int]]:
    """Parts of a batch, longest records first, each padded by at most `MOST_PADDING` of its size.

    Args:
        indices: the batch's records.
        lengths: how many tokens each record has, by index.
    """
    parts: list[list[int]] = []
    widest = tokens = 0
    for index in sorted(indices, key=lambda index: -lengths[index]):
        own = lengths[index] + 1
        size = widest * (len(parts[-1]) + 1) if parts else 0
        if parts and size - (tokens + own) <= MOST_PADDING * size:
            parts[-1].append(index)
            tokens += own
        else:
            parts.append([index])
            widest = tokens = own
    return parts

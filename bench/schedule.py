"""How long and how fast a model is trained."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """What all defenses share unless one has its own: passes over the records, records a step, and a rate."""

    epochs: int
    batch_size: int
    learning_rate: float


@dataclass(frozen=True)
class Stop:
    """When a training ends before the last epoch of its schedule, and which state it delivers.

    Attributes:
        patience: epochs without a better validation loss after which it ends and the best state is
            restored; `None` keeps the last state.
        epochs: after which it ends in any case; `None` for those of the schedule.
    """

    patience: int | None = None
    epochs: int | None = None

    def ends(self, epoch: int, best_epoch: int) -> bool:
        """Whether it is reached after this epoch, the best one so far being that; both count from 1."""
        waited = self.patience is not None and epoch - best_epoch >= self.patience
        return waited or epoch == self.epochs

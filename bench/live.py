"""Follow trainings while they run, in TensorBoard, where that is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bench.errors import InputError

if TYPE_CHECKING:
    from bench.tasks import Training
    from bench.training import Epoch

Follow = Callable[[Sequence["Training"], "Epoch"], None]
"""Told of each epoch when it is over, and of which trainings it was: of all that share their course."""

MOST_NAMED = 3
"""Trainings of one course that its log is called after."""


@contextmanager
def followed(log_to: str | None, folder: Path) -> Iterator[Follow]:
    """Within it, what is yielded writes to `folder`, one log a training; nothing if nothing is asked for.

    A log holds losses and seconds by epoch, and neither text nor record ids.

    Raises:
        InputError: TensorBoard is not installed.
    """
    if log_to is None:
        yield lambda trainings, epoch: None
        return
    if find_spec("tensorboard") is None:
        raise InputError(f"log_to={log_to} takes pip install 'trap-bench[{log_to}]'")
    from torch.utils.tensorboard import SummaryWriter

    writers: dict[str, SummaryWriter] = {}

    def follow(trainings: Sequence[Training], epoch: Epoch) -> None:
        name = log_name(trainings)
        if name not in writers:
            # What an earlier try logged, which was killed, is not shown.
            writers[name] = SummaryWriter(str(folder / name), purge_step=1)
        for what in ("loss", "validation_nll", "seconds"):
            value = getattr(epoch, what)
            if value is not None:
                writers[name].add_scalar(what, value, epoch.epoch)
        writers[name].flush()

    try:
        yield follow
    finally:
        for writer in writers.values():
            writer.close()


def log_name(trainings: Sequence[Training]) -> str:
    """What TensorBoard calls a course of training."""
    first = trainings[0]
    roles = [training.role for training in trainings[:MOST_NAMED]]
    if len(trainings) > MOST_NAMED:
        roles[-1] = f"{len(trainings) - MOST_NAMED + 1} more"
    lab = first.lab
    parts = [lab.dataset, lab.model, f"seed{lab.seed}", "+".join(roles), first.course[:8]]
    return "-".join(re.sub(r"[^\w.=,+-]+", "_", part) for part in parts)

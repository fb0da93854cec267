"""Follow trainings while they run, in TensorBoard, where that is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bench.errors import InputError

if TYPE_CHECKING:
    from bench.tasks import Training
    from bench.training import Epoch

Follow = Callable[["Training", "Epoch"], None]
"""Told of each epoch of each training when it is over."""


@contextmanager
def followed(log_to: str | None, folder: Path) -> Iterator[Follow]:
    """Within it, what is yielded writes to `folder`, one log a training; nothing if nothing is asked for.

    A log holds losses and seconds by epoch, and neither text nor record ids.

    Raises:
        InputError: TensorBoard is not installed.
    """
    if log_to is None:
        yield lambda training, epoch: None
        return
    if find_spec("tensorboard") is None:
        raise InputError(f"log_to={log_to} takes pip install 'trap-bench[{log_to}]'")
    from torch.utils.tensorboard import SummaryWriter

    writers: dict[str, SummaryWriter] = {}

    def follow(training: Training, epoch: Epoch) -> None:
        name = log_name(training)
        if name not in writers:
            writers[name] = SummaryWriter(str(folder / name))
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


def log_name(training: Training) -> str:
    """What TensorBoard calls a training; those of one course share a log."""
    lab = training.lab
    parts = [lab.dataset, lab.model, f"seed{lab.seed}", training.role, training.course[:8]]
    return "-".join(re.sub(r"[^\w.=,-]+", "_", part) for part in parts)

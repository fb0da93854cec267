"""Several processes that train one model together, as `accelerate launch` or `torchrun` starts them.

Every process carries out the same tasks in the same order. Each takes its share of a step's records and
of a scoring's batches; what they find is added up, or put together, before anyone goes on. One of them,
the main one, writes files and talks.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import torch

T = TypeVar("T")


def count() -> int:
    """How many processes there are: 1 without a launcher."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def rank() -> int:
    """The number of this one, from 0."""
    return int(os.environ.get("RANK", "0"))


def is_main() -> bool:
    """Whether this is the one that writes and talks."""
    return rank() == 0


def join() -> None:
    """Meet the other processes, once, each with a device of its own; nothing where there are none."""
    if count() == 1:
        return
    import torch
    from torch import distributed

    if distributed.is_initialized():
        return
    on_cuda = torch.cuda.is_available()
    if on_cuda:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    distributed.init_process_group("nccl" if on_cuda else "gloo")
    atexit.register(distributed.destroy_process_group)


def share_of(parts: Sequence[T]) -> Sequence[T]:
    """This process's part of what all of them do together: every `count`-th."""
    return parts[rank() :: count()]


def put_together(own: dict[int, T]) -> dict[int, T]:
    """What all processes have found, by number."""
    if count() == 1:
        return own
    from torch import distributed

    found: list[dict[int, T]] = [{} for _ in range(count())]
    distributed.all_gather_object(found, own)
    return {number: value for one in found for number, value in one.items()}


def agreed(value: T) -> T:
    """The main process's value, for all."""
    if count() == 1:
        return value
    from torch import distributed

    said: list[Any] = [value]
    distributed.broadcast_object_list(said, src=0)
    return said[0]  # type: ignore[no-any-return]


def add_up_gradients(parameters: Iterable[torch.nn.Parameter]) -> None:
    """Replace each gradient by the sum over processes; one that has none counts as zero."""
    if count() == 1:
        return
    import torch
    from torch import distributed

    trained = [parameter for parameter in parameters if parameter.requires_grad]
    for parameter in trained:
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
    gradients = [parameter.grad for parameter in trained if parameter.grad is not None]
    flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
    distributed.all_reduce(flat)
    sizes = [gradient.numel() for gradient in gradients]
    for gradient, total in zip(gradients, torch.split(flat, sizes), strict=True):
        gradient.copy_(total.view_as(gradient))

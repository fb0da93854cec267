"""The numbers that a training computes with. Weights, losses and signals are float32 in any case."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import torch

Precision = Literal["auto", "float32", "bfloat16"]


@dataclass(frozen=True)
class Numerics:
    """How a training is computed.

    Attributes:
        precision: of matrix products.
        compiled: whether torch.compile translates the model first.
    """

    precision: Precision = "float32"
    compiled: bool = False


EXACT = Numerics()


def dtype_of(precision: Precision, device: str) -> str:
    """What `auto` comes to on a type of device: bfloat16 on one that computes with it, else float32.

    >>> dtype_of("auto", "cpu"), dtype_of("bfloat16", "cpu")
    ('float32', 'bfloat16')
    """
    if precision != "auto":
        return precision
    import torch

    # Without CUDA here, the run is planned for other machines.
    elsewhere = not torch.cuda.is_available()
    return "bfloat16" if device == "cuda" and (elsewhere or torch.cuda.is_bf16_supported()) else "float32"


def autocast(dtype: str, device: torch.device) -> AbstractContextManager[object]:
    """Forward passes within it multiply matrices in `dtype`; sums, norms and losses stay float32."""
    import torch

    return torch.autocast(device.type, torch.bfloat16) if dtype == "bfloat16" else nullcontext()

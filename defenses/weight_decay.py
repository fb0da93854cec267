"""Weight decay, decoupled from the gradient (Loshchilov and Hutter, ICLR 2019)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from bench.defense import Defense

if TYPE_CHECKING:
    import torch


class WeightDecay(Defense):
    """Shrink weight matrices at every step, independently of the gradient (AdamW)."""

    name: ClassVar[str] = "weight-decay"

    strength: float = Field(0.1, gt=0, description="AdamW's weight decay; biases and norms are left alone")

    def optimizer(
        self, parameters: Iterable[torch.nn.Parameter], learning_rate: float
    ) -> torch.optim.Optimizer:
        """AdamW with decay on matrices and embeddings."""
        import torch

        parameters = list(parameters)
        groups = [
            {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": self.strength},
            {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
        ]
        return torch.optim.AdamW([group for group in groups if group["params"]], lr=learning_rate)

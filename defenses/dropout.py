"""Dropout on the residual branches (Srivastava et al., JMLR 2014; placed as in Vaswani et al., 2017).

Llama-style models have no residual dropout of their own, so it is added to every architecture in the
same two places: what a block's attention and its feed-forward network add to the residual stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from bench.defense import Defense
from bench.errors import RunError

if TYPE_CHECKING:
    import torch

BRANCHES = ("attn", "attention", "self_attn", "self_attention", "mlp", "feed_forward", "ffn")


class Dropout(Defense):
    """Drop a share of what each attention and feed-forward branch adds, on any architecture."""

    name: ClassVar[str] = "dropout"

    rate: float = Field(0.1, gt=0, lt=1, description="share of activations set to zero")

    @contextmanager
    def applied(self, model: torch.nn.Module) -> Iterator[None]:
        """Hook every residual branch while training, and check that dropout acted."""
        from torch.nn.functional import dropout

        changed = 0

        def drop(module: torch.nn.Module, inputs: Any, output: Any) -> Any:
            nonlocal changed
            if not module.training:
                return output
            value = output[0] if isinstance(output, tuple) else output
            dropped = dropout(value, self.rate)
            changed += int((dropped != value).any())
            return (dropped, *output[1:]) if isinstance(output, tuple) else dropped

        handles = [branch.register_forward_hook(drop) for branch in residual_branches(model)]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()
        if changed == 0:
            raise RunError(f"{self.spec}: dropout changed no activation; this architecture is not supported")


def residual_branches(model: torch.nn.Module) -> list[torch.nn.Module]:
    """The attention and feed-forward modules of every transformer block.

    Raises:
        RunError: the model has no blocks with branches of a known name.
    """
    import torch

    lists = [module for module in model.modules() if isinstance(module, torch.nn.ModuleList)]
    blocks = max(lists, key=len, default=torch.nn.ModuleList())
    branches = [child for block in blocks for name, child in block.named_children() if name in BRANCHES]
    if len(branches) < 2 * len(blocks) or not branches:
        raise RunError(
            f"dropout: found {len(branches)} residual branches in {len(blocks)} blocks of "
            f"{type(model).__name__}; expected an attention and a feed-forward branch in each"
        )
    return branches

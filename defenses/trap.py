"""TRAP: a one-sided penalty on what the model knows better than a reference model does (arXiv:2609.32293)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from bench.defense import Defense, Half
from bench.schedule import Stop

if TYPE_CHECKING:
    import torch

    from bench.batches import Batch


class Trap(Defense):
    """Penalize tokens on which the model is ahead of a reference that never saw their record."""

    name: ClassVar[str] = "trap"

    strength: float = Field(
        2.0, ge=0, description="weight of the penalty; 1 stops learning, above 1 pushes back"
    )
    margin: float = Field(0.0, ge=0, description="nats by which a token may be ahead unpunished")
    power: float = Field(1.0, ge=1, description="exponent of the penalty")
    patience: int = Field(3, ge=0, description="early stopping's patience in epochs; 0 trains to the end")
    cross_fit: bool = Field(
        False, description="train on both halves, each penalized by the reference of the other half"
    )

    @property
    def trains_on(self) -> tuple[Half, ...]:
        """The target half, or both."""
        return ("target", "complement") if self.cross_fit else ("target",)

    @property
    def uses_reference(self) -> bool:
        """Always."""
        return True

    @property
    def stop(self) -> Stop:
        """The patience, where it is not 0."""
        return Stop(patience=self.patience or None)

    def token_losses(self, logprobs: torch.Tensor, logits: torch.Tensor, batch: Batch) -> torch.Tensor:
        """-log p + strength * max(0, TRA - margin)^power for each token."""
        advantage = logprobs - batch.reference_logprobs
        return -logprobs + self.strength * (advantage - self.margin).clamp(min=0.0) ** self.power

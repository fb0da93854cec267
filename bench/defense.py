"""The defense contract: what a defense may change in the one training loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from bench.plugin import Plugin
from bench.schedule import Stop

if TYPE_CHECKING:
    import torch

    from bench.batches import Batch
    from bench.schedule import Schedule
    from bench.updates import Updates

Half = Literal["target", "complement"]

HOOKS = ("uses_reference", "scheduled", "applied", "token_losses", "optimizer", "updates")
"""What of a defense acts on the course of its training, up to where it stops."""


class Defense(Plugin):
    """Fine-tuning as it is, unless a method is overridden: the hooks are all that a defense may change.

    Every defense gets the same base model, records, record order, epochs, batch size, learning rate
    and seed. Plugins import torch inside their methods, so that parameters are checked without it.
    """

    exact: ClassVar[bool] = False
    """Whether it looks at single gradients, which neither lower precision nor a compiler may touch."""

    @property
    def undefended(self) -> bool:
        """Whether this is the run without a defense, which the others are measured against."""
        return False

    @property
    def trains_on(self) -> tuple[Half, ...]:
        """The halves of the corpus that the model is fine-tuned on."""
        return ("target",)

    @property
    def uses_reference(self) -> bool:
        """Whether batches carry the log-probabilities of a reference that has not seen their records."""
        return False

    @property
    def stop(self) -> Stop:
        """When training ends: with the last epoch, unless told otherwise."""
        return Stop()

    @property
    def course(self) -> list[Any]:
        """What a training's course depends on, as JSON values: nothing, where no hook is overridden.

        Two defenses of one course differ at most in when they stop, and are trained once.
        """
        if all(getattr(type(self), hook) is getattr(Defense, hook) for hook in HOOKS):
            return []
        return [self.name, self.parameters, self.source_digest()]

    def check(self, units: Sequence[str], shared: Schedule) -> None:
        """Raise `InputError` where the parameters do not fit a training.

        Args:
            units: the privacy unit of each record that is trained on.
            shared: the schedule of all defenses.
        """

    def scheduled(self, shared: Schedule, units: Sequence[str]) -> Schedule:
        """The schedule that this defense trains by; another than the shared one needs a good reason."""
        return shared

    @contextmanager
    def applied(self, model: torch.nn.Module) -> Iterator[None]:
        """Change the model while it trains, undo it after, and raise `RunError` if nothing came of it."""
        yield

    def token_losses(self, logprobs: torch.Tensor, logits: torch.Tensor, batch: Batch) -> torch.Tensor:
        """The loss of each token; the engine takes the mean over a record's tokens, then over records.

        Args:
            logprobs: (B, T) nats, float32; of the true tokens.
            logits: (B, T, V) float32; what they were computed from.
            batch: its `reference_logprobs` (B, T) are there if `uses_reference`.

        Returns:
            (B, T) nats; what stands on padding never counts.
        """
        return -logprobs

    def optimizer(
        self, parameters: Iterable[torch.nn.Parameter], learning_rate: float
    ) -> torch.optim.Optimizer:
        """The optimizer: AdamW without weight decay."""
        import torch

        return torch.optim.AdamW(parameters, lr=learning_rate, weight_decay=0.0)

    def updates(self, plain: Updates) -> Updates:
        """How records become optimizer steps; only a mechanism with its own sampling or noise replaces it."""
        return plain

"""DP-SGD (Abadi et al., CCS 2016): per-record clipping and noise, with Opacus' mechanism and accounting."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from bench.defense import Defense
from bench.errors import InputError
from bench.updates import Updates

if TYPE_CHECKING:
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer


class DPSGD(Defense):
    """Differentially private training: clip every record's gradient and add noise."""

    name: ClassVar[str] = "dp-sgd"

    epsilon: float = Field(8.0, ge=0.1, description="privacy budget that is never exceeded")
    delta: Annotated[float, Field(gt=0, lt=1)] | Literal["auto"] = Field(
        "auto", description="below 1/n; auto is 1/(10 n) for n records"
    )
    max_grad_norm: float = Field(1.0, gt=0, description="clipping norm of a record's gradient")
    accountant: Literal["prv", "rdp"] = Field("prv", description="how the budget is added up")
    physical_batch_size: int = Field(16, ge=1, description="records whose gradients are held at a time")

    def check(self, n_records: int) -> None:
        """A delta of 1/n or more would allow one record to be given away."""
        if self.delta != "auto" and self.delta >= 1 / n_records:
            raise InputError(
                f"dp-sgd: delta={self.delta:g} is not allowed: it must be auto, or below 1/{n_records}"
            )

    def updates(self, plain: Updates) -> Updates:
        """Poisson-sampled, clipped and noised steps in place of shuffled ones."""
        import torch
        from opacus import GradSampleModule
        from opacus.optimizers import DPOptimizer

        n = plain.n_records
        self.check(n)
        delta = 1 / (10 * n) if self.delta == "auto" else self.delta
        batch_size = min(plain.schedule.batch_size, n)
        sample_rate = batch_size / n
        steps_per_epoch = -(-n // batch_size)
        steps = plain.schedule.epochs * steps_per_epoch
        noise_multiplier = _noise_multiplier(self.epsilon, delta, sample_rate, steps, self.accountant)
        device = next(plain.model.parameters()).device
        return PrivateUpdates(
            **vars(plain),
            defense=self,
            delta=delta,
            sample_rate=sample_rate,
            steps_per_epoch=steps_per_epoch,
            per_record=GradSampleModule(plain.model, loss_reduction="mean"),
            private_optimizer=DPOptimizer(
                plain.optimizer,
                noise_multiplier=noise_multiplier,
                max_grad_norm=self.max_grad_norm,
                expected_batch_size=batch_size,
                generator=torch.Generator(device).manual_seed(plain.seed),
            ),
        )


@dataclass
class PrivateUpdates(Updates):
    """Poisson-sampled batches, each of them one clipped and noised step.

    Attributes:
        per_record: the model, wrapped so that a backward pass leaves one gradient a record.
        private_optimizer: the optimizer, wrapped so that a step clips, adds noise, and divides by
            the expected batch size.
    """

    defense: DPSGD
    delta: float
    sample_rate: float
    steps_per_epoch: int
    per_record: GradSampleModule
    private_optimizer: DPOptimizer
    steps: int = 0

    def batches(self, epoch: int) -> Iterator[list[int]]:
        """As many batches as plain training takes; each record joins each of them at the sample rate."""
        rng = np.random.default_rng([self.seed, epoch])
        for _ in range(self.steps_per_epoch):
            yield np.flatnonzero(rng.random(self.n_records) < self.sample_rate).tolist()

    def step(self, indices: Sequence[int]) -> None:
        """Clip in physical batches, then add noise and step once; an empty batch steps on noise alone."""
        size = self.defense.physical_batch_size
        parts = [indices[start : start + size] for start in range(0, len(indices), size)] or [[]]
        for position, part in enumerate(parts, start=1):
            self._per_record_gradients(part)
            self.private_optimizer.signal_skip_step(position < len(parts))
            self.private_optimizer.step()
            self.private_optimizer.zero_grad(set_to_none=True)
        self.steps += 1

    def _per_record_gradients(self, indices: Sequence[int]) -> None:
        if not indices:
            for parameter in self.private_optimizer.params:
                parameter.grad_sample = parameter.new_zeros((0, *parameter.shape))
            return
        with _quiet("Full backward hook is firing"):
            self.record_losses(self.per_record, indices).mean().backward()

    def finish(self) -> dict[str, Any]:
        """Unwrap the model, and account for every step that was taken."""
        from opacus.accountants import create_accountant

        self.per_record.remove_hooks()
        accountant = create_accountant(mechanism=self.defense.accountant)
        noise_multiplier = self.private_optimizer.noise_multiplier
        accountant.history = [(noise_multiplier, self.sample_rate, self.steps)]
        with _quiet("Optimal order is the"):
            epsilon = float(accountant.get_epsilon(self.delta))
        return {
            "epsilon": epsilon,
            "delta": self.delta,
            "noise_multiplier": noise_multiplier,
            "max_grad_norm": self.defense.max_grad_norm,
            "sample_rate": self.sample_rate,
            "steps": self.steps,
            "accountant": self.defense.accountant,
            "unit": "record",
        }


@cache
def _noise_multiplier(epsilon: float, delta: float, sample_rate: float, steps: int, accountant: str) -> float:
    """The least noise that Opacus finds within the budget; remembered, since the search takes seconds."""
    from opacus.accountants.utils import get_noise_multiplier

    with _quiet("Optimal order is the"):
        return float(
            get_noise_multiplier(
                target_epsilon=epsilon,
                target_delta=delta,
                sample_rate=sample_rate,
                steps=steps,
                accountant=accountant,
            )
        )


@contextmanager
def _quiet(message: str) -> Iterator[None]:
    """Silence one warning that tells a user nothing.

    The PRV accountant asks the RDP one for a first guess, whose tightness is no matter; and the
    embedding's input, token ids, needs no gradient, while the embedding's own is still right.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=message)
        yield

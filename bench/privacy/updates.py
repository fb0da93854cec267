"""Steps of DP-SGD (Abadi et al., CCS 2016): sample units, clip their gradients, add noise, account."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import torch

from bench.errors import RunError
from bench.privacy.accounting import Mechanism, epsilon_of
from bench.privacy.clipping import Clipping, Ghost, Means, Noise, PerRecord, looped_sum, without_hook_warning
from bench.updates import Updates

TOLERANCE = 1e-3
"""How far, relatively, clipped gradients may be from those of a loop over single records."""

NOT_COVERED = (
    "trying several hyper-parameters on the same records is not accounted",
    "the number of records and the split count as public",
    "noise comes from a seeded generator in floating point, so that a run can be repeated",
)


@dataclass
class PrivateUpdates(Updates):
    """Poisson-sampled batches of privacy units, each of them one clipped and noised step.

    Attributes:
        mechanism: what is accounted; its sample rate is the one that batches are drawn with.
        noise: what is clipped to, and added.
        members: the privacy units, each as the indices of its records.
        unit: what they are called.
        means: how gradients are clipped.
        records_at_a_time: the physical batch.
    """

    mechanism: Mechanism
    noise: Noise
    members: Sequence[Sequence[int]]
    unit: Literal["record", "group"]
    means: Means
    records_at_a_time: int
    steps: int = 0
    clipping: Clipping = field(init=False)

    def __post_init__(self) -> None:
        self._checked = False
        self._unit_of = {index: row for row, unit in enumerate(self.members) for index in unit}
        try:
            if self.means == "ghost":
                self.clipping = Ghost(self.model, self.record_losses, self.optimizer, self.noise)
            else:
                self.clipping = PerRecord(
                    self.model, self.record_losses, self.optimizer, self.noise, self.records_at_a_time
                )
        except NotImplementedError as error:
            raise self._refusal(f"Opacus says: {error}") from None

    def batches(self, epoch: int) -> Iterator[list[int]]:
        """As many batches as the schedule counts; each unit joins each of them at the sample rate."""
        rng = np.random.default_rng([self.seed, epoch])
        for _ in range(self.mechanism.steps // self.schedule.epochs):
            drawn = np.flatnonzero(rng.random(len(self.members)) < self.mechanism.sample_rate)
            yield [index for unit in drawn.tolist() for index in self.members[unit]]

    def step(self, indices: Sequence[int]) -> None:
        """Clip part by part, then add noise and step once; an empty batch steps on noise alone."""
        if indices and not self._checked:
            self._require_right_gradients()
        optimizer = self.clipping.optimizer
        parts = list(self._parts(indices)) or [[]]
        for position, part in enumerate(parts, start=1):
            self.clipping.backward(part)
            optimizer.signal_skip_step(position < len(parts))
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        self.steps += 1

    def _parts(self, indices: Sequence[int]) -> Iterator[list[list[int]]]:
        """Whole units, as many as do not exceed the physical batch; one that does by itself goes alone.

        Those with long records come first, so that units of like lengths share a part.
        """
        by_unit: dict[int, list[int]] = {}
        for index in indices:
            by_unit.setdefault(self._unit_of[index], []).append(index)
        part: list[list[int]] = []
        longest_first = sorted(by_unit.values(), key=lambda unit: -max(self.lengths[index] for index in unit))
        for unit in longest_first:
            if part and sum(map(len, part)) + len(unit) > self.records_at_a_time:
                yield part
                part = []
            part.append(unit)
        if part:
            yield part

    def _require_right_gradients(self) -> None:
        """Compare two units, clipped together, with a loop over their records, one at a time."""
        self._checked = True
        parameters, units = self.clipping.optimizer.params, self.members[:2]
        with self.clipping.unhooked(), without_hook_warning():
            looped = looped_sum(self.model, self.record_losses, parameters, units, self.noise.max_grad_norm)
        if unreached := sum(part is None for part in looped):
            raise self._refusal(f"{unreached} trainable parameters get no gradient")
        expected = [part for part in looped if part is not None]
        try:
            got = self.clipping.clipped_sum(units)
        except (NotImplementedError, ValueError, TypeError, AttributeError, RuntimeError) as error:
            said = f": {error}" if isinstance(error, NotImplementedError) else ""
            raise self._refusal(f"{type(error).__name__} while clipping{said}") from error
        pairs = list(zip(got, expected, strict=True))
        off = torch.stack([(one - other).norm() for one, other in pairs]).norm()
        size = torch.stack([other.norm() for _, other in pairs]).norm()
        if not off <= TOLERANCE * size:
            raise self._refusal(f"they are off by {float(off / size):.2g} of their norm")

    def _refusal(self, why: str) -> RunError:
        other = "clipping=per-record, or " if self.means == "ghost" else ""
        return RunError(
            f"the gradients of single records cannot be had rightly from this model: {why}; "
            f"use {other}--tuning lora"
        )

    def finish(self) -> dict[str, Any]:
        """Unwrap the model, and account for every step that was taken."""
        self.clipping.close()
        taken = Mechanism(
            self.mechanism.sample_rate, self.steps, self.mechanism.delta, self.mechanism.accountant
        )
        spent = epsilon_of(self.noise.noise_multiplier, taken)
        return {
            "epsilon": spent.epsilon,
            "delta": taken.delta,
            "noise_multiplier": self.noise.noise_multiplier,
            "max_grad_norm": self.noise.max_grad_norm,
            "sample_rate": taken.sample_rate,
            "expected_batch_size": self.noise.expected_units,
            "steps": taken.steps,
            "accountant": spent.accountant,
            "unit": self.unit,
            "clipping": self.means,
            "notes": [*([spent.note] if spent.note else []), *NOT_COVERED],
        }

"""DP-SGD (Abadi et al., CCS 2016): per-record clipping and noise, with Opacus' mechanism and accounting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from bench.defense import Defense
from bench.errors import InputError
from bench.privacy.accounting import (
    Accountant,
    Mechanism,
    noise_multiplier_within,
    require_reachable,
)
from bench.schedule import Schedule
from bench.updates import Updates

Auto = Literal["auto"]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]

DEFAULT_EPSILON = 8.0

EPOCHS = 3
"""How many times the epochs of others a private schedule takes: each of its steps is worth less."""

STEPS_AN_EPOCH = 4
"""Into how many batches it divides the records: the larger a batch, the less its noise."""


class DPSGD(Defense):
    """Differentially private training: clip every record's gradient and add noise."""

    name: ClassVar[str] = "dp-sgd"
    exact: ClassVar[bool] = True

    epsilon: Annotated[float, Field(ge=0.01)] | Auto = Field(
        "auto", description="privacy budget that is never exceeded; auto is 8 if no noise is given"
    )
    delta: Annotated[float, Field(gt=0, lt=1)] | Auto = Field(
        "auto", description="below 1/n; auto is 1/(10 n) for n records, or groups"
    )
    max_grad_norm: float = Field(1.0, gt=0, description="clipping norm of a record's gradient")
    noise_multiplier: Annotated[float, Field(ge=0.05)] | Auto = Field(
        "auto", description="in place of epsilon, which follows from it"
    )
    accountant: Accountant = Field("prv", description="how the budget is added up; rdp is looser")
    unit: Literal["record", "group"] = Field("record", description="what is sampled, clipped and protected")
    schedule: Literal["private", "equal"] = Field(
        "private", description="what auto means below: good for privacy, or as for all other defenses"
    )
    epochs: Count | Auto = Field("auto", description="expected passes over the records")
    batch_size: Count | Auto = Field("auto", description="expected records a step")
    learning_rate: Positive | Auto = Field("auto", description="of AdamW")
    clipping: Literal["auto", "ghost", "per-record"] = Field(
        "auto", description="ghost saves the memory of one gradient a record"
    )
    physical_batch_size: Count | Auto = Field("auto", description="records in memory at a time")

    @model_validator(mode="after")
    def _parameters_agree(self) -> DPSGD:
        if self.noise_multiplier != "auto" and self.epsilon != "auto":
            raise ValueError("give epsilon or noise_multiplier, not both")
        if self.unit == "group" and self.clipping == "ghost":
            raise ValueError("clipping=ghost clips records; with unit=group give clipping=per-record")
        return self

    def check(self, units: Sequence[str], shared: Schedule) -> None:
        """A delta of 1/n or more would allow a unit to be given away; a budget must be reachable."""
        mechanism = self._mechanism(units, self.scheduled(shared, units))
        n = len(self._members(units))
        if mechanism.delta >= 1 / n:
            raise InputError(
                f"dp-sgd: delta={mechanism.delta:g} is not allowed: it must be auto, or below 1/{n}"
            )
        if self.noise_multiplier == "auto":
            require_reachable(self._epsilon, mechanism)

    def scheduled(self, shared: Schedule, units: Sequence[str]) -> Schedule:
        """What noise asks for, large batches and more of them, unless told otherwise."""
        auto = shared if self.schedule == "equal" else _private(shared, len(units))
        return Schedule(
            epochs=auto.epochs if self.epochs == "auto" else self.epochs,
            batch_size=auto.batch_size if self.batch_size == "auto" else self.batch_size,
            learning_rate=auto.learning_rate if self.learning_rate == "auto" else self.learning_rate,
        )

    def updates(self, plain: Updates) -> Updates:
        """Poisson-sampled, clipped and noised steps in place of shuffled ones."""
        from bench.privacy.clipping import Noise, means_for, physical_batch_size
        from bench.privacy.updates import PrivateUpdates

        members = self._members(plain.units)
        mechanism = self._mechanism(plain.units, plain.schedule)
        noise_multiplier = self.noise_multiplier
        if noise_multiplier == "auto":
            noise_multiplier = noise_multiplier_within(self._epsilon, mechanism)
        expected_units = mechanism.sample_rate * len(members)
        means = means_for(plain.model, self.unit) if self.clipping == "auto" else self.clipping
        size = self.physical_batch_size
        return PrivateUpdates(
            **vars(plain),
            mechanism=mechanism,
            noise=Noise(noise_multiplier, self.max_grad_norm, expected_units, plain.seed),
            members=members,
            unit=self.unit,
            means=means,
            records_at_a_time=physical_batch_size(plain.model, means) if size == "auto" else size,
        )

    @property
    def _epsilon(self) -> float:
        return DEFAULT_EPSILON if self.epsilon == "auto" else self.epsilon

    def _members(self, units: Sequence[str]) -> list[list[int]]:
        """The records of each unit that is sampled and clipped as one."""
        if self.unit == "record":
            return [[index] for index in range(len(units))]
        groups: dict[str, list[int]] = {}
        for index, unit in enumerate(units):
            groups.setdefault(unit, []).append(index)
        return list(groups.values())

    def _mechanism(self, units: Sequence[str], schedule: Schedule) -> Mechanism:
        """As many steps an epoch as plain training takes, each of which a unit joins at one rate."""
        batch_size = min(schedule.batch_size, len(units))
        return Mechanism(
            sample_rate=batch_size / len(units),
            steps=schedule.epochs * -(-len(units) // batch_size),
            delta=1 / (10 * len(self._members(units))) if self.delta == "auto" else self.delta,
            accountant=self.accountant,
        )


def _private(shared: Schedule, n_records: int) -> Schedule:
    """The rate stays: AdamW's steps do not shrink with the gradient, and a higher rate may diverge."""
    return Schedule(
        epochs=EPOCHS * shared.epochs,
        batch_size=max(shared.batch_size, -(-n_records // STEPS_AN_EPOCH)),
        learning_rate=shared.learning_rate,
    )

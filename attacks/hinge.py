"""An adaptive attack on TRAP: what a one-sided penalty on TRA leaves behind (ours, not the paper's).

The penalty acts on members alone, and on a token only where TRA exceeds the margin. So the members'
TRA piles up at the margin, while that of records which the penalty never saw spreads to both sides.
"""

import math
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from bench.attack import Floats, Knowledge, MembershipAttack, Passage


class Hinge(MembershipAttack):
    """How closely TRA keeps to the margin of TRAP, fixed in advance and fitted on nothing."""

    name: ClassVar[str] = "hinge"
    adaptive: ClassVar[bool] = True

    against: Literal["complement", "population"] = Field(
        "complement",
        description="complement: the auditor's reference; population: the adversary's own",
    )
    statistic: Literal["below", "spread"] = Field(
        "below", description="below: mean shortfall from the margin; spread: mean distance from it"
    )
    margin: float = Field(0.0, ge=0, description="nats; TRAP's margin, as the adversary supposes it")

    @property
    def knowledge(self) -> Knowledge:
        """As far as the records that the reference was trained on."""
        return self.against

    @property
    def sources(self) -> tuple[str, ...]:
        """The model under attack, and the reference."""
        return ("target", self.against)

    def scores(self, passages: Sequence[Passage]) -> Floats:
        """Mean of min(TRA - margin, 0), or minus the mean of |TRA - margin|, in nats a token."""
        return np.array([self._score(passage) for passage in passages], dtype=np.float64)

    def _score(self, passage: Passage) -> float:
        sources = passage.target, passage.signals[self.against]
        target, reference = (signals.logprobs.astype(np.float64) for signals in sources)
        if not len(target) or not np.isfinite([target, reference]).all():
            return math.nan
        excess = target - reference - self.margin
        return float(np.minimum(excess, 0).mean() if self.statistic == "below" else -np.abs(excess).mean())

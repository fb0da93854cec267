"""The reference attack (Carlini et al., USENIX Security 2021): the fine-tuned model against another one."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from bench.attack import Floats, Knowledge, MembershipAttack, Passage


class Reference(MembershipAttack):
    """Mean log-probability under the fine-tuned model minus that under a public one, the base model."""

    name: ClassVar[str] = "reference"

    against: str = Field(
        "base",
        min_length=1,
        description="base, or a folder or hub id of another model with the same tokenizer",
    )

    @property
    def knowledge(self) -> Knowledge:
        """The fine-tuned model and a public one."""
        return "base"

    @property
    def sources(self) -> tuple[str, ...]:
        """The model under attack, and the one that it is compared with."""
        return ("target", self._other)

    @property
    def _other(self) -> str:
        return "base" if self.against == "base" else f"model:{self.against}"

    def scores(self, passages: Sequence[Passage]) -> Floats:
        """Mean difference of log p in nats a token."""
        return np.array(
            [passage.target.mean_logprob - passage.signals[self._other].mean_logprob for passage in passages]
        )

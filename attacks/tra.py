"""Target Reference Advantage as a membership attack (arXiv:2609.32293)."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from bench.attack import Floats, Knowledge, MembershipAttack, Passage


class TRA(MembershipAttack):
    """Mean advantage over a reference fine-tuned on other records of the same kind."""

    name: ClassVar[str] = "tra"

    against: Literal["complement", "population"] = Field(
        "complement",
        description="complement: the auditor's reference; population: the adversary's own",
    )

    @property
    def knowledge(self) -> Knowledge:
        """As far as the records that the reference was trained on."""
        return self.against

    @property
    def sources(self) -> tuple[str, ...]:
        """The model under attack, and the reference."""
        return ("target", self.against)

    def scores(self, passages: Sequence[Passage]) -> Floats:
        """Mean TRA in nats a token."""
        return np.array(
            [passage.target.mean_logprob - passage.signals[self.against].mean_logprob for passage in passages]
        )

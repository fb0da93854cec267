"""The loss attack (Yeom et al., CSF 2018): members are predicted better."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from bench.attack import Floats, Knowledge, MembershipAttack, Passage


class Loss(MembershipAttack):
    """Mean log-probability of the passage's tokens under the fine-tuned model."""

    name: ClassVar[str] = "loss"

    @property
    def knowledge(self) -> Knowledge:
        """The fine-tuned model alone."""
        return "target"

    def scores(self, passages: Sequence[Passage]) -> Floats:
        """Mean log p in nats a token."""
        return np.array([passage.target.mean_logprob for passage in passages])

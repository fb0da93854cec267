"""The zlib attack (Carlini et al., USENIX Security 2021): loss against how compressible the text is."""

import math
import zlib
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from bench.attack import Floats, Knowledge, MembershipAttack, Passage

HEADER_BYTES = len(zlib.compress(b""))


class Zlib(MembershipAttack):
    """Log-probability over entropy according to zlib, so that dull text does not look familiar."""

    name: ClassVar[str] = "zlib"

    @property
    def knowledge(self) -> Knowledge:
        """The fine-tuned model alone: zlib needs no model."""
        return "target"

    def scores(self, passages: Sequence[Passage]) -> Floats:
        """Sum of log p in nats, over the nats that zlib needs for exactly the same text.

        Total over total, so that the score does not grow with length; zlib's header, which would
        outweigh a short span, is not counted.
        """
        return np.array([_score(passage) for passage in passages])


def _score(passage: Passage) -> float:
    compressed = len(zlib.compress(passage.text.encode("utf-8"), level=9)) - HEADER_BYTES
    if compressed <= 0:
        return math.nan
    return float(passage.target.logprobs.sum(dtype=np.float64)) / (compressed * 8 * math.log(2))

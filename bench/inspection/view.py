"""What there is to see of one record: its tokens, and the TRA of each under every model.

A view holds the record's text only if it was asked for, so that nothing that draws it can show more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.tokens import Bools, Ints

Nats = NDArray[np.float64]


@dataclass(frozen=True)
class Figures:
    """What a model's TRA of a record comes to, in nats a token; None where there is nothing to average.

    Attributes:
        personal, other: mean over the tokens of personal information, and over the others.
        above_1_nat: share of the tokens of personal information.
        remaining: `personal` as a share of the undefended run's, where that is enough to divide by.
    """

    personal: float | None
    other: float | None
    above_1_nat: float | None
    remaining: float | None


@dataclass(frozen=True)
class Line:
    """What one model says of a record: (T,) TRA in nats, and what it comes to."""

    spec: str
    advantage: Nats
    figures: Figures


@dataclass(frozen=True)
class Stretch:
    """Successive tokens, `start` to `end` exclusive, that are in the same spans; no label: in none."""

    start: int
    end: int
    label: str | None


@dataclass(frozen=True)
class View:
    """One record of `T` tokens under several models.

    Attributes:
        title: dataset, model, tuning and seed.
        member: whether models were fine-tuned on it.
        lengths: (T,) characters of each token; 0 where it is a further part of the one before.
        pieces: the tokens' texts, safe to print; None unless text is to be shown.
        personal: (T,) whether a token belongs to personal information.
        stretches: all tokens, in order.
        spans: how many spans are whole.
        lost_spans: how many lie beyond the tokens that are kept, whole or in part.
        lines: one a model, in the run's order.
        missing: models that were planned, and of which nothing is here.
    """

    record: str
    title: str
    member: bool
    lengths: Ints
    pieces: tuple[str, ...] | None
    personal: Bools
    stretches: tuple[Stretch, ...]
    spans: int
    lost_spans: int
    lines: tuple[Line, ...]
    missing: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.lengths)

"""The scale on which TRA is drawn: half a nat a step, clamped at 3 nats to either side."""

from __future__ import annotations

import math

CLAMP = 3.0
"""Nats from which on all looks alike: a token is 20 times as likely as to the reference, or a 20th."""

STEPS = 6
"""From 0 to the clamp."""


def step_of(advantage: float) -> int | None:
    """-6 to 6, 0 being what is within a quarter of a nat of the reference; None where it is no number.

    >>> [step_of(nats) for nats in (-0.2, 0.2, 0.3, -1.1, 2.9, math.inf, math.nan)]
    [0, 0, 1, -2, 6, 6, None]
    """
    if math.isnan(advantage):
        return None
    return round(max(-CLAMP, min(CLAMP, advantage)) / CLAMP * STEPS)

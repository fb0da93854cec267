"""Columns of evidence as arrays, and which half of the records a strongest attack is chosen on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.comparisons import halves
from bench.results import Audited
from bench.statistics import Interval

HALVES_SEED = 0

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


def floats(column: Sequence[float | None]) -> Floats:
    """(n,) with NaN where there is nothing."""
    return np.array([np.nan if value is None else value for value in column], dtype=np.float64)


def units_of(audited: Audited) -> NDArray[Any]:
    """(n,) the privacy unit of each record."""
    return np.array(audited.units, dtype=object)


def ends(interval: Interval | None) -> tuple[float, float] | None:
    """An interval as results hold it."""
    return None if interval is None else (interval.low, interval.high)


def calibration_half(audited: Audited) -> Bools:
    """Which records a strongest attack is chosen on: half of the members' units, half of the others'.

    (n,); the same for all attacks and defenses. A side of one unit is all for evaluation.
    """
    half, member, units = np.zeros(len(audited.ids), dtype=bool), np.array(audited.member), units_of(audited)
    for side in (member, ~member):
        if len(set(units[side])) > 1:
            half[side] = halves(units[side], HALVES_SEED)
    return half

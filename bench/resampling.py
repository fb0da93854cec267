"""The bootstrap over units: values with the unit of each in, estimates of each resample out.

A unit (a record, or a group where given) is drawn as a whole, with all of its values. The draws follow
from the seed and the names of the units alone, so that two figures of the same units are resampled
together, in whatever order their values are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_SPREAD = 1e-6
"""Share of the standard error below which that of a resample is rounding: its units have one mean."""

BLOCK = 2**18
"""Numbers that resampling holds at a time: few megabytes, and no slower than all at once."""


@dataclass(frozen=True)
class Sample:
    """Finite values, (n,), the number of each one's unit from 0, (n,), and how many units there are."""

    values: Floats
    unit: Ints
    units: int


def sample(name: str, values: ArrayLike, units: Iterable[object]) -> Sample:
    """Values and their units, numbered alike whatever the input order.

    Raises:
        ValueError: not one unit a value, no value at all, or one that is not finite.
    """
    array, (unit, count) = finite_scores(name, values), numbered(units)
    if unit.size != array.size:
        raise ValueError(f"{unit.size} units for {array.size} scores: give one a score")
    return Sample(array, unit, count)


def numbered(units: Iterable[object]) -> tuple[Ints, int]:
    """Each unit's number from 0, (n,), whatever the input order; and how many different ones there are."""
    named = list(units)
    numbers = {unit: number for number, unit in enumerate(sorted(set(named), key=repr))}
    return np.array([numbers[unit] for unit in named], dtype=np.int64), len(numbers)


def finite_scores(name: str, scores: ArrayLike) -> Floats:
    """The scores as an array, (n,) float64; ValueError where there is none, or one that is not finite."""
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a non-empty list of scores, got shape {array.shape}")
    if excluded := array.size - int(np.isfinite(array).sum()):
        raise ValueError(f"{name} hold {excluded} non-finite of {array.size} scores: exclude by split_finite")
    return array


def resampled_aucs(members: Sample, nonmembers: Sample, resamples: int, seed: int) -> Floats:
    """The AUC of each resample, (resamples,), each side's units being drawn on their own."""
    order = np.argsort(nonmembers.values)
    behind, behind_unit = nonmembers.values[order], nonmembers.unit[order]
    below, not_above = (np.searchsorted(behind, members.values, side) for side in ("left", "right"))
    inside, outside = np.random.default_rng(seed).spawn(2)
    estimates = []
    for rows in _blocks(resamples, members.values.size + behind.size):
        weight = _draws(inside, members.units, rows)[:, members.unit]
        rank = np.zeros((rows, behind.size + 1), dtype=np.int64)
        np.cumsum(_draws(outside, nonmembers.units, rows)[:, behind_unit], axis=1, out=rank[:, 1:])
        won = np.einsum("ij,ij->i", weight, rank[:, below] + rank[:, not_above])
        estimates.append(won / (2.0 * weight.sum(axis=1) * rank[:, -1]))
    return np.concatenate(estimates)


def resampled_means(drawn: Sample, resamples: int, seed: int) -> Floats:
    """The mean, sum / count over the drawn units, of each resample: (resamples,)."""
    sizes = np.bincount(drawn.unit).astype(np.float64)
    per_unit = np.stack([np.bincount(drawn.unit, weights=drawn.values), sizes], axis=1)
    totals = _totals(per_unit, resamples, seed)
    return totals[:, 0] / totals[:, 1]


def studentized_means(drawn: Sample, resamples: int, seed: int) -> tuple[float, Floats]:
    """The mean's standard error, and each resample's distance from the mean in its own standard errors.

    The error, 0 where all units have one mean, is that of a ratio of two sums over units: Cochran 1977,
    Sampling Techniques, chapter 6. The distances are (resamples,), and very large where a resample's
    units have one mean.
    """
    sizes = np.bincount(drawn.unit).astype(np.float64)
    rests = np.bincount(drawn.unit, weights=drawn.values - drawn.values.mean())
    per_unit = np.stack([rests, sizes, rests**2, rests * sizes, sizes**2], axis=1)
    error = float(_shift_and_error(per_unit.sum(axis=0), drawn.units)[1])
    if error <= 1e-12 * np.abs(drawn.values).max():
        return 0.0, np.zeros(resamples)
    shifts, errors = _shift_and_error(_totals(per_unit, resamples, seed), drawn.units)
    return error, shifts / np.maximum(errors, LEAST_SPREAD * error)


def _shift_and_error(totals: Floats, units: int) -> tuple[Floats, Floats]:
    """How far a resample's mean lies from that of all, and its standard error.

    totals: (..., 5), the sums over units of rest, size, rest^2, rest size and size^2, where the rest of
    a unit is the sum of its values, each less the mean of all.
    """
    rests, sizes, squares, products, square_sizes = np.moveaxis(totals, -1, 0)
    shift = rests / sizes
    variance = np.maximum(squares - 2 * shift * products + shift**2 * square_sizes, 0)
    return shift, np.sqrt(variance * units / (units - 1)) / sizes


def _totals(per_unit: Floats, resamples: int, seed: int) -> Floats:
    """The sums over the drawn units of each resample: (units, k) -> (resamples, k)."""
    rng, units = np.random.default_rng(seed), len(per_unit)
    return np.concatenate([_draws(rng, units, rows) @ per_unit for rows in _blocks(resamples, units)])


def _draws(rng: np.random.Generator, units: int, rows: int) -> Ints:
    """How often each unit comes up in as many draws, with replacement, as there are units: (rows, units)."""
    places = rng.integers(units, size=(rows, units)) + units * np.arange(rows)[:, None]
    return np.bincount(places.ravel(), minlength=rows * units).reshape(rows, units)


def _blocks(resamples: int, width: int) -> Iterator[int]:
    """How many resamples to take at a time, so that `width` numbers of each fit into little memory."""
    rows = max(1, BLOCK // width)
    yield from (min(rows, resamples - done) for done in range(0, resamples, rows))

"""Curves through defenses that differ in one parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.report.points import Point
from bench.results import Row

Params = Mapping[str, Mapping[str, object]]
"""By spec, the parameters of a defense."""


@dataclass(frozen=True)
class Sweep:
    """Defenses of one name that differ in one parameter, in its order."""

    parameter: str
    points: tuple[Point, ...]
    values: tuple[float, ...]


def sweeps_of(points: Sequence[Point], rows: Sequence[Row]) -> list[Sweep]:
    """The curves: of each defense the parameter with most values, one for each setting of its others."""
    params = {row.spec: row.params for row in rows}
    names = dict.fromkeys(point.defense for point in points if not point.floor)
    return [
        sweep
        for name in names
        for sweep in _of_one([point for point in points if point.defense == name], params)
    ]


def _of_one(points: Sequence[Point], params: Params) -> list[Sweep]:
    """The curves of one defense."""
    values = {
        parameter: {
            point.spec: value
            for point in points
            if (value := _number(params[point.spec].get(parameter))) is not None
        }
        for parameter in sorted(params[points[0].spec])
    }
    counts = {parameter: len(set(found.values())) for parameter, found in values.items()}
    if max(counts.values(), default=0) < 2:
        return []
    swept = max(counts, key=lambda parameter: counts[parameter])
    families: dict[str, list[Point]] = {}
    for point in points:
        if point.spec in values[swept]:
            others = {name: value for name, value in params[point.spec].items() if name != swept}
            families.setdefault(repr(sorted(others.items())), []).append(point)
    return [_ordered(swept, family, values[swept]) for family in families.values() if len(family) > 1]


def _ordered(parameter: str, points: Sequence[Point], values: Mapping[str, float]) -> Sweep:
    ordered = sorted(points, key=lambda point: values[point.spec])
    return Sweep(parameter, tuple(ordered), tuple(values[point.spec] for point in ordered))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

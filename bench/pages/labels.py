"""Labels beside the points of a drawing: none over another, and a thin line to a point that is not near."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from matplotlib.axes import Axes
from matplotlib.transforms import BboxBase

from bench.pages.drawing import FAINT, INK, dress

SIZE = 8.5
"""Points of a label's text."""
NEAR, STEP, RINGS = 6.0, 8.0, 24
"""Points from a mark to its label, at the nearest and from one ring of places to the next."""
SIDES = tuple(
    (math.cos(turn), math.sin(turn)) for turn in (math.pi * k / 8 for k in (0, 8, 4, 12, *range(16)))
)
"""Directions from a mark to its label, the plainest first."""
RING = 40.0
"""What it costs to be a ring further off, in square pixels of what a label might cover."""
MARK = 5.0
"""Points that a mark reaches to each side."""

Box = tuple[float, float, float, float]
"""Left, low, right and high, in pixels of the figure."""


@dataclass(frozen=True)
class Label:
    """A text to stand beside the point (x, y), in the units of the axes."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class _Place:
    """Where a label may stand: its box, its middle in points from the mark, and how far off it is."""

    box: Box
    offset: tuple[float, float]
    ring: int
    apart: float


def place_labels(axes: Axes, labels: Sequence[Label], kept_free: Sequence[Box] = ()) -> None:
    """Put the labels where they cover neither each other, nor a mark, nor what is to be kept free.

    The layout of the figure is settled first, and stays.
    """
    settle(axes)
    figure = axes.get_figure(root=True)
    scale = (figure.dpi if figure else 72) / 72
    points = [(float(x), float(y)) for x, y in (axes.transData.transform((one.x, one.y)) for one in labels)]
    sizes = [_size(axes, one.text) for one in labels]
    reach = MARK * scale
    marks = [(x - reach, y - reach, x + reach, y + reach) for x, y in points]
    inside = _box(axes.get_window_extent())
    chosen: dict[int, _Place] = {}
    # The second round moves what stood in the way of those that came after it.
    for _, own in itertools.product(range(2), range(len(labels))):
        taken = [place.box for at, place in chosen.items() if at != own]
        others = [point for at, point in enumerate(points) if at != own]
        chosen[own] = _best(
            _places(points[own], sizes[own], scale),
            partial(_cost, taken=taken, marks=marks, kept_free=kept_free, inside=inside, others=others),
        )
    for own, label in enumerate(labels):
        _write(axes, label, chosen[own])


def settle(axes: Axes) -> None:
    """Lay the figure out once and for all, so that pixels stay where they are."""
    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("the axes belong to no figure")
    dress(axes)
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
        figure.set_layout_engine("none")


def _size(axes: Axes, text: str) -> tuple[float, float]:
    drawn = axes.text(0, 0, text, fontsize=SIZE, parse_math=False)
    left, low, right, high = _box(drawn.get_window_extent())
    drawn.remove()
    return right - left, high - low


def _box(extent: BboxBase) -> Box:
    return float(extent.x0), float(extent.y0), float(extent.x1), float(extent.y1)


def _places(point: tuple[float, float], size: tuple[float, float], scale: float) -> Iterator[_Place]:
    """Where a label may stand, ring by ring."""
    (at_x, at_y), (width, height) = point, size
    for ring, (right, up) in itertools.product(range(RINGS), SIDES):
        far = (NEAR + STEP * ring) * scale
        x, y = at_x + far * right + width * right / 2, at_y + far * up + height * up / 2
        box = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        yield _Place(box, ((x - at_x) / scale, (y - at_y) / scale), ring, _distance(box, point))


def _best(places: Iterator[_Place], cost: Callable[[_Place], float]) -> _Place:
    """The least bad place; the search ends where being so far off costs more than it."""
    best = next(places)
    least = cost(best)
    for place in places:
        if least <= RING * place.ring:
            break
        if (own := cost(place)) < least:
            best, least = place, own
    return best


def _cost(
    place: _Place,
    taken: Sequence[Box],
    marks: Sequence[Box],
    kept_free: Sequence[Box],
    inside: Box,
    others: Sequence[tuple[float, float]],
) -> float:
    """How bad a place is: what it covers, in square pixels, how far off it is, and whose it might seem."""
    box = place.box
    outside = (box[2] - box[0]) * (box[3] - box[1]) - _shared(box, inside)
    nearer = sum(_distance(box, point) < place.apart for point in others)
    return (
        100 * outside
        + 100 * sum(_shared(box, other) for other in taken)
        + 20 * sum(_shared(box, other) for other in marks)
        + 5 * sum(_shared(box, other) for other in kept_free)
        + RING * place.ring
        + 150 * nearer
    )


def _shared(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return width * height if width > 0 and height > 0 else 0.0


def _distance(box: Box, point: tuple[float, float]) -> float:
    across = max(box[0] - point[0], 0.0, point[0] - box[2])
    up = max(box[1] - point[1], 0.0, point[1] - box[3])
    return math.hypot(across, up)


def _write(axes: Axes, label: Label, place: _Place) -> None:
    axes.annotate(
        label.text,
        (label.x, label.y),
        place.offset,
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=SIZE,
        color=INK,
        arrowprops={"arrowstyle": "-", "color": FAINT, "linewidth": 0.6, "shrinkB": 4}
        if place.ring
        else None,
    )

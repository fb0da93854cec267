"""The two floors in the frontier plot: lines through what never saw a member."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from bench.pages import FAINT, INK
from bench.pages.labels import Box, Label
from bench.report.points import Point

DASHED = (0, (4, 3))


def draw_floors(axes: Axes, floors: Sequence[Point]) -> tuple[dict[str, str], list[Label], list[Box]]:
    """Lines at the leak of each floor and at what the reference keeps; their tips, labels, and room taken."""
    tips, labels, taken = {}, [], []
    for point in floors:
        gid = f"floor-{point.defense}"
        taken.append(_along(axes, point, across=True))
        across = axes.axhline(point.leak, color=FAINT, linewidth=0.9, linestyle=DASHED, zorder=1.5)
        if point.defense != "reference":
            across.set_gid(gid)
            taken.append(_noted(axes, point))
        else:
            taken.append(_along(axes, point, across=False))
            axes.axvline(point.gain, color=FAINT, linewidth=0.9, linestyle=DASHED, zorder=1.5)
            axes.plot([point.gain], [point.leak], marker="+", markersize=9, color=INK, gid=gid)
            labels.append(Label(point.gain, point.leak, point.spec))
        tips[gid] = point.tip
    return tips, labels, taken


def _along(axes: Axes, point: Point, across: bool) -> Box:
    """The room of a line through a floor, in pixels."""
    x, y = axes.transData.transform((point.gain, point.leak))
    box = axes.get_window_extent()
    return (box.x0, y - 1, box.x1, y + 1) if across else (x - 1, box.y0, x + 1, box.y1)


def _noted(axes: Axes, point: Point) -> Box:
    """Where its line begins, what the base model leaks; its gain is 0, which may be far to the left."""
    text = axes.annotate(
        f"{point.spec} model: {100 * point.leak:.0f} %",
        (0, point.leak),
        (4, 4),
        xycoords=axes.get_yaxis_transform(),
        textcoords="offset points",
        fontsize=8,
        color=FAINT,
    )
    box = text.get_window_extent()
    return box.x0, box.y0, box.x1, box.y1

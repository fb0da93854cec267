"""The frontier plot: gain kept to the right, the strongest leak upwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from bench.pages import INK, PAPER, as_svg, new_figure
from bench.pages.drawing import GRID, PERCENT, TEXT
from bench.pages.labels import Box, Label, place_labels, settle
from bench.report.floors import draw_floors
from bench.report.marks import Mark, shortened
from bench.report.points import Point
from bench.report.sweeps import Sweep

LONGEST = 30
"""Characters of a label; the whole name is in the mark's tip."""


def frontier_plot(
    points: Sequence[Point],
    sweeps: Sequence[Sweep],
    marks: Mapping[str, Mark],
    size: tuple[float, float],
    title: str,
    description: str,
) -> Markup:
    """All points of one adversary; the floors are lines, swept parameters curves."""
    figure = new_figure(*size)
    axes = figure.subplots()
    defended = [point for point in points if not point.floor]
    left, right = _limits(axes, points)
    _dominated(axes, defended, left, right)
    for sweep in sweeps:
        colour = marks[sweep.points[0].defense].colour
        axes.plot(
            [point.gain for point in sweep.points],
            [point.leak for point in sweep.points],
            color=colour,
            linewidth=1.4,
        )
    tips = {}
    for place, point in enumerate(defended):
        _draw(axes, point, marks[point.defense], gid=f"point-{place}")
        tips[f"point-{place}"] = point.tip
    axes.set_title("Leak to the strongest attack: less is better ↓", loc="left", fontsize=TEXT, color=INK)
    axes.set_xlabel("Fine-tuning gain kept: more is better →", loc="right")
    settle(axes)
    more_tips, labels, taken = draw_floors(axes, [point for point in points if point.floor])
    labels += [Label(point.gain, point.leak, _named(point, sweeps)) for point in defended]
    place_labels(axes, labels, [*taken, *_bars(axes, defended)])
    return as_svg(figure, title, description, tips | more_tips)


def _limits(axes: Axes, points: Sequence[Point]) -> tuple[float, float]:
    """Wide enough for all but the base model, whose gain is 0 by definition and far from all others."""
    shown = [point for point in points if point.defense != "base"] or list(points)
    ends = [end for point in shown for end in (point.gain, *(point.gain_ends or ()))]
    pad = max(0.03, 0.12 * (max(ends) - min(ends)))
    left, right = min(ends) - pad, max(ends) + pad
    axes.set_xlim(left, right)
    axes.set_ylim(-0.06, 1.06)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(PERCENT)
    axes.yaxis.set_major_formatter(PERCENT)
    return left, right


def _dominated(axes: Axes, points: Sequence[Point], left: float, right: float) -> None:
    """Shade where another defense keeps as much and leaks as little."""
    steps = sorted((point.gain, point.leak) for point in points if point.frontier)
    if not steps:
        return
    gains, leaks = [left], [steps[0][1]]
    for gain, leak in steps:
        gains += [gain]
        leaks += [leak]
    axes.fill_between(gains, leaks, 1.06, step="pre", color=GRID, alpha=0.55, linewidth=0)


def _draw(axes: Axes, point: Point, mark: Mark, gid: str) -> None:
    for ends, across in ((point.gain_ends, True), (point.leak_ends, False)):
        if ends is not None:
            xs, ys = (ends, (point.leak,) * 2) if across else ((point.gain,) * 2, ends)
            axes.plot(xs, ys, color=mark.colour, linewidth=1.1, alpha=0.55, solid_capstyle="butt")
    axes.plot(
        [point.gain],
        [point.leak],
        marker=mark.shape,
        markersize=8,
        linestyle="none",
        color=mark.colour,
        markerfacecolor=mark.colour if point.frontier else PAPER,
        markeredgewidth=1.5,
        clip_on=False,
        zorder=4,
        gid=gid,
    )


def _named(point: Point, sweeps: Sequence[Sweep]) -> str:
    """What a user types, and the value of a swept parameter that stands at its default."""
    for sweep in sweeps:
        if point in sweep.points and f"{sweep.parameter}=" not in point.spec:
            value = sweep.values[sweep.points.index(point)]
            return shortened(f"{point.spec} ({sweep.parameter}={value:g})", LONGEST)
    return shortened(point.spec, LONGEST)


def _bars(axes: Axes, points: Sequence[Point]) -> list[Box]:
    """Where intervals stand, in pixels, so that labels keep off them."""
    boxes = []
    for point in points:
        for ends, across in ((point.gain_ends, True), (point.leak_ends, False)):
            if ends is not None:
                corners = [(end, point.leak) if across else (point.gain, end) for end in ends]
                (x0, y0), (x1, y1) = axes.transData.transform(corners)
                boxes.append((x0 - 1, y0 - 1, x1 + 1, y1 + 1))
    return boxes

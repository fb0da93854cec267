"""Dot plots: one line a row, its name above it, its figure and interval on it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import Formatter, FuncFormatter, LogLocator, MaxNLocator

from bench.pages import FAINT, INK, as_svg, new_figure
from bench.pages.drawing import GRID, PERCENT
from bench.report.marks import Mark, shortened
from bench.report.prose import Ends

WIDTH = 336.0
LINE, HEAD, FOOT = 36.0, 18.0, 26.0
"""CSS pixels of a panel's width, and of the height of a line, and of what is above and below all lines."""
SIDE = 15.0
CHARACTER = 7.3
"""CSS pixels beside the axes, and of a letter of a name."""


@dataclass(frozen=True)
class Dot:
    """One line: a figure with its interval, or what it would need.

    Attributes:
        missing: what stands in place of a figure that there is none of.
        against: other figures on the same line, by name, as small upright strokes.
    """

    label: str
    value: float | None
    tip: str
    mark: Mark
    ends: Ends | None = None
    missing: str = "n/a"
    against: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Scale:
    """What is measured: from where to where, in which words, and lines to compare with."""

    low: float
    high: float
    format: Formatter
    lines: Mapping[str, float] = field(default_factory=dict)
    log: bool = False


PLAIN = FuncFormatter(lambda value, _: f"{value + 0.0:,.6g}")
SHARES = Scale(-0.02, 1.02, PERCENT)


def scale_of(values: Sequence[float | None], format: Formatter, lines: Mapping[str, float]) -> Scale:
    """From the least to the most of the values and lines, with some room."""
    known = [value for value in (*values, *lines.values()) if value is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    room = 0.05 * ((high - low) or 1.0)
    return Scale(low - room, high + room, format, lines)


def log_scale_of(values: Sequence[float], format: Formatter) -> Scale:
    """By powers of ten, from below the least positive value to above the most."""
    known = [math.log10(value) for value in values if value > 0]
    low, high = min(known, default=0.0), max(known, default=1.0)
    return Scale(10 ** (low - 0.15), 10 ** (high + 0.15), format, log=True)


def dot_plot(dots: Sequence[Dot], scale: Scale, title: str, description: str, width: float = WIDTH) -> Markup:
    """The panel; with the tips of all lines that have a figure."""
    height = LINE * len(dots) + HEAD + FOOT
    figure = new_figure(width, height)
    figure.set_layout_engine("none")
    axes = figure.add_axes((SIDE / width, FOOT / height, 1 - 2.4 * SIDE / width, 1 - (HEAD + FOOT) / height))
    _prepare(axes, scale, len(dots))
    tips = {}
    for place, dot in enumerate(dots):
        axes.text(
            0,
            place + 0.02,
            shortened(dot.label, int(width / CHARACTER)),
            transform=axes.get_yaxis_transform(),
            fontsize=8.5,
            color=INK,
            va="bottom",
        )
        _draw(axes, dot, place + 0.27, f"dot-{place}", scale)
        if dot.value is not None:
            tips[f"dot-{place}"] = dot.tip
    return as_svg(figure, title, description, tips)


def _prepare(axes: Axes, scale: Scale, count: int) -> None:
    if scale.log:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=4))
        axes.minorticks_off()
    else:
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axes.set_xlim(scale.low, scale.high)
    axes.set_ylim(count - 0.4, -0.5)
    axes.xaxis.set_major_formatter(scale.format)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    for name, value in scale.lines.items():
        axes.axvline(value, color=FAINT, linewidth=0.9, linestyle=(0, (4, 3)))
        share = (value - scale.low) / (scale.high - scale.low)
        axes.annotate(
            name,
            (value, 1),
            (0, 3),
            xycoords=axes.get_xaxis_transform(),
            textcoords="offset points",
            ha="left" if share < 0.25 else "right" if share > 0.75 else "center",
            fontsize=8,
            color=FAINT,
        )


def _draw(axes: Axes, dot: Dot, at: float, gid: str, scale: Scale) -> None:
    if dot.value is None:
        axes.text(
            0.0, at, dot.missing, transform=axes.get_yaxis_transform(), fontsize=8, color=FAINT, va="center"
        )
        return
    axes.axhline(at, color=GRID, linewidth=0.8)
    for value in dot.against.values():
        if value is not None:
            axes.plot([value], [at], marker="|", markersize=9, markeredgewidth=1.4, color=INK, clip_on=False)
    if dot.ends is not None:
        low, high = (min(max(end, scale.low), scale.high) for end in dot.ends)
        axes.plot(
            [low, high], [at, at], color=dot.mark.colour, linewidth=2.2, alpha=0.55, solid_capstyle="butt"
        )
    axes.plot(
        [dot.value],
        [at],
        marker=dot.mark.shape,
        markersize=7,
        markeredgewidth=1.4,
        color=dot.mark.colour,
        linestyle="none",
        clip_on=False,
        gid=gid,
        zorder=4,
    )

"""One panel of ROC curves on log axes, each with its name at its beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter

from bench.pages import FAINT, INK, as_svg, new_figure
from bench.pages.drawing import GRID
from bench.pages.labels import settle
from bench.report.marks import Mark, shortened

SIZE = (440.0, 380.0)
APART = 12.5
"""Points between the base lines of two names."""
LONGEST = 22
SHARE = FuncFormatter(lambda share, _: f"{100 * share:g} %")


@dataclass(frozen=True)
class Curve:
    """The true positive rate at 0, 1, ... n of n non-members taken for members.

    `members` and `seeds` bound how small a rate can be that is not 0.
    """

    name: str
    rates: tuple[float, ...]
    members: int
    mark: Mark
    tip: str
    seeds: int = 1

    def begins(self, count: int) -> float:
        """The rate at one in `count` non-members, who may be fewer than its own."""
        return self.rates[(len(self.rates) - 1) // count]


def roc_plot(curves: Sequence[Curve], title: str, description: str) -> Markup:
    """All curves under one attack, from one in n non-members on."""
    figure = new_figure(*SIZE)
    axes = figure.subplots()
    count = min(len(curve.rates) - 1 for curve in curves)
    least = 0.7 / max(curve.members * curve.seeds for curve in curves)
    axes.set_xscale("log")
    axes.set_yscale("log")
    # Two fifths of the panel are for what is not known, and for the names.
    left = min(0.1, count**-1.7)
    axes.set_xlim(left, 1)
    axes.set_ylim(least, 1.3)
    _ticks(axes, least)
    axes.axvspan(left, 1 / count, color=GRID, alpha=0.7, linewidth=0)
    axes.plot([1 / count, 1], [1 / count, 1], color=FAINT, linewidth=0.9, linestyle=(0, (4, 3)))
    more = "" if all(len(curve.rates) - 1 == count for curve in curves) else " or more"
    axes.set_xlabel(f"non-members taken for members (of {count}{more})", loc="right")
    axes.set_title("members found", loc="left", fontsize=9, color=INK)
    tips = {}
    for place, curve in enumerate(curves):
        _draw(axes, curve, count, least, f"curve-{place}")
        tips[f"curve-{place}"] = curve.tip
    settle(axes)
    _name(axes, curves, count, least)
    return as_svg(figure, title, description, tips)


def _ticks(axes: Axes, least: float) -> None:
    axes.minorticks_off()
    axes.xaxis.set_major_locator(FixedLocator([0.001, 0.01, 0.1, 1]))
    axes.yaxis.set_major_locator(
        FixedLocator([least, *(tick for tick in (0.001, 0.01, 0.1, 1) if tick > 2 * least)])
    )
    axes.xaxis.set_major_formatter(SHARE)
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda share, _: "0" if share <= least * 1.001 else f"{100 * share:g} %")
    )


def _draw(axes: Axes, curve: Curve, count: int, least: float, gid: str) -> None:
    own = len(curve.rates) - 1
    # A step stands where the rate changes; the last one brings the curve to its end.
    changes = [k for k in range(1, own) if curve.rates[k] != curve.rates[k - 1] and k * count > own]
    steps = [(1 / count, curve.begins(count)), *((k / own, curve.rates[k]) for k in (*changes, own))]
    axes.plot(
        [share for share, _ in steps],
        [max(rate, least) for _, rate in steps],
        drawstyle="steps-post",
        color=curve.mark.colour,
        linewidth=1.3,
        marker=curve.mark.shape,
        markersize=5,
        markevery=[0],
        clip_on=False,
        gid=gid,
    )


def _name(axes: Axes, curves: Sequence[Curve], count: int, least: float) -> None:
    """Names on the shaded side, at the height where each curve begins, moved apart where those are close."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    scale = figure.dpi / 72
    box = axes.get_window_extent()
    begins = [axes.transData.transform((1 / count, max(curve.begins(count), least))) for curve in curves]
    order = sorted(range(len(curves)), key=lambda place: (begins[place][1], place))
    heights = _apart(
        [float(begins[place][1]) for place in order], APART * scale, box.y0 + 4 * scale, box.y1 - 5 * scale
    )
    for place, height in zip(order, heights, strict=True):
        y = float(begins[place][1])
        axes.annotate(
            shortened(curves[place].name, LONGEST),
            (1 / count, max(curves[place].begins(count), least)),
            (-16, (height - y) / scale),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=9,
            color=INK,
            arrowprops={"arrowstyle": "-", "color": FAINT, "linewidth": 0.6, "shrinkB": 3, "shrinkA": 0},
        )


def _apart(heights: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Ascending heights, moved so that neighbours are at least so far from each other, within bounds."""
    moved: list[float] = []
    for height in heights:
        moved.append(max(height, low, moved[-1] + least if moved else low))
    for place in range(len(moved) - 1, -1, -1):
        moved[place] = min(moved[place], high if place == len(moved) - 1 else moved[place + 1] - least)
    return moved

"""The pictures of a study: memorization, extraction and loss along the axis; or against difficulty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from statistics import fmean

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

from bench.pages import FAINT, INK, MARKERS, SERIES, as_svg, new_figure
from bench.pages.drawing import PERCENT, TEXT
from bench.pages.labels import Label, place_labels
from bench.results import Ends
from bench.studies.file import Course, Hardness, Point
from bench.tables import number

WIDE, NARROW = 640.0, 368.0
"""CSS pixels of a drawing on a wide and on a narrow page: each is drawn for its own room."""
HEIGHT, LOW = 660.0, 400.0
WIDEST = 4
"""Values whose largest is at least so many times the smallest stand on a logarithmic axis."""


Reading = Callable[[Point], float | None]


def along(
    points: Sequence[Point],
    courses: Sequence[Course],
    axis: str,
    title: str,
    description: str,
    width: float = WIDE,
) -> Markup:
    """Three panels that share the axis: memorized, extracted, and the loss of records held out."""
    figure = new_figure(width, HEIGHT)
    panels = figure.subplots(3, 1, sharex=True, height_ratios=(3, 2, 2))
    tips: dict[str, str] = {}
    placed = [point for point in points if point.value is not None]
    for place, (series, own) in enumerate(groupby(placed, key=lambda point: point.series)):
        line = _Line(place, series, list(own), axis)
        tips |= line.draw(panels[0], "memorized", lambda point: point.tra_pii, lambda point: point.tra_pii_ci)
        line.draw_quietly(panels[0], lambda point: point.tra_other)
        tips |= line.draw(
            panels[1], "extracted", lambda point: point.extracted, lambda point: point.extracted_ci
        )
        line.draw_quietly(panels[1], lambda point: point.extracted_floor)
        tips |= line.draw(panels[2], "loss", lambda point: point.nll, lambda point: None)
        line.draw_quietly(panels[2], lambda point: point.reference_nll)
    panels[0].axhline(0, color=FAINT, linewidth=0.75)
    panels[1].yaxis.set_major_formatter(PERCENT)
    headings = (
        "TRA, nats: identifiers, and the rest (dotted)",
        "Identifiers extracted, and the floor (dotted)",
        "Loss held out, nats, and the reference's (dotted)",
    )
    for panel, heading in zip(panels, headings, strict=True):
        panel.set_title(heading, loc="left", fontsize=TEXT, color=INK)
        if courses:
            panel.axvline(
                fmean(course.best_epoch for course in courses),
                color=FAINT,
                linewidth=1,
                linestyle=(0, (4, 3)),
            )
    if courses:
        panels[0].annotate(
            "validation minimum",
            (fmean(course.best_epoch for course in courses), 1),
            (4, -10),
            xycoords=panels[0].get_xaxis_transform(),
            textcoords="offset points",
            fontsize=8,
            color=FAINT,
        )
    _scale(panels[-1], sorted({point.value or 0.0 for point in placed}), even=bool(courses))
    panels[-1].set_xlabel(axis, loc="right")
    if len({point.series for point in placed}) > 1:
        panels[-1].legend(fontsize=8, frameon=False, labelcolor=INK)
    return as_svg(figure, title, description, tips)


class _Line:
    """One series of points: a colour, a shape, and what is said of each mark."""

    def __init__(self, place: int, series: str, points: Sequence[Point], axis: str) -> None:
        self.place, self.series, self.points, self.axis = place, series, points, axis
        self.colour, self.shape = SERIES[place % len(SERIES)], MARKERS[place % len(MARKERS)]

    def draw(
        self, axes: Axes, what: str, figure: Reading, ends: Callable[[Point], Ends | None]
    ) -> dict[str, str]:
        """The line, a mark with its tip at each place, and intervals where there are some."""
        known = [(point, value) for point in self.points if (value := figure(point)) is not None]
        xs, ys = [point.value or 0.0 for point, _ in known], [value for _, value in known]
        axes.plot(xs, ys, color=self.colour, linewidth=1.5, label=self.series, marker=self.shape)
        tips = {}
        for at, (point, value) in enumerate(known):
            x, reach = point.value or 0.0, ends(point)
            if reach is not None:
                axes.plot([x] * 2, reach, color=self.colour, linewidth=1.1, alpha=0.55)
            gid = f"{what}-{self.place}-{at}"
            axes.plot(
                [x],
                [value],
                color=self.colour,
                marker=self.shape,
                markersize=6,
                clip_on=False,
                gid=gid,
            )
            of = "" if reach is None else f" ({reach[0]:.3g} to {reach[1]:.3g})"
            tips[gid] = f"{point.spec}, {self.axis} {x:g}: {what} {value:.3g}{of}"
        return tips

    def draw_quietly(self, axes: Axes, figure: Reading) -> None:
        """A dotted line that the first is to be compared with."""
        known = [(point.value or 0.0, value) for point in self.points if (value := figure(point)) is not None]
        if known:
            xs, ys = zip(*known, strict=True)
            axes.plot(xs, ys, color=self.colour, linewidth=1.2, linestyle=(0, (1, 2)))


def _scale(axes: Axes, values: Sequence[float], even: bool) -> None:
    """Logarithmic where values lie far apart, unless it is to be even; ticks where there is room for them."""
    if not even and values[0] > 0 and values[-1] >= WIDEST * values[0]:
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks(_apart(values, axes.get_xscale() == "log"), minor=False)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _apart(values: Sequence[float], logarithmic: bool) -> list[float]:
    """Those that lie a twelfth of the axis from the next, and the last one."""
    kept = [values[-1]]
    whole = values[-1] / values[0] if logarithmic else values[-1] - values[0]
    for value in reversed(values[:-1]):
        near = kept[-1] / value < whole**0.08 if logarithmic else kept[-1] - value < 0.08 * whole
        if not near:
            kept.append(value)
    return kept[::-1]


def gained(points: Sequence[Point], axis: str, title: str, description: str, width: float = WIDE) -> Markup:
    """What is kept to the right and what leaks upwards, joined in the order of the parameter."""
    figure = new_figure(width, LOW)
    axes = figure.subplots()
    known = [point for point in points if None not in (point.gain_kept, point.leak)]
    curve = [point for point in known if point.value is not None]
    axes.plot(
        [point.gain_kept or 0.0 for point in curve],
        [point.leak or 0.0 for point in curve],
        color=SERIES[0],
        linewidth=1.4,
    )
    tips, labels = {}, []
    for at, point in enumerate(known):
        gain, leak = point.gain_kept or 0.0, point.leak or 0.0
        beside = point.value is None
        colour, shape = (FAINT, MARKERS[1]) if beside else (SERIES[0], MARKERS[0])
        if point.leak_ci is not None:
            axes.plot([gain] * 2, point.leak_ci, color=colour, linewidth=1.1, alpha=0.55)
        gid = f"kept-{at}"
        axes.plot([gain], [leak], color=colour, marker=shape, markersize=7, clip_on=False, gid=gid)
        tips[gid] = (
            f"{point.spec}: keeps {100 * gain:.0f} % of the gain, "
            f"leaks {100 * leak:.0f} % to {point.leak_attack}"
        )
        labels.append(Label(gain, leak, point.spec if beside else f"{axis} {point.value:g}"))
    axes.set_ylim(-0.05, 1.05)
    axes.margins(x=0.15)
    for side in (axes.xaxis, axes.yaxis):
        side.set_major_formatter(PERCENT)
    axes.set_title("Leak to the strongest attack: less is better ↓", loc="left", fontsize=TEXT, color=INK)
    axes.set_xlabel("Fine-tuning gain kept: more is better →", loc="right")
    place_labels(axes, labels)
    return as_svg(figure, title, description, tips)


def against_difficulty(
    found: Sequence[Hardness], title: str, description: str, width: float = WIDE
) -> Markup:
    """Quarters of the records and labels of their spans: loss of an outsider's model, and TRA."""
    figure = new_figure(width, HEIGHT)
    panels = figure.subplots(2, 1)
    tips: dict[str, str] = {}
    for axes, of in zip(panels, ("quarter", "label"), strict=True):
        for place, spec in enumerate(dict.fromkeys(one.spec for one in found)):
            own = [one for one in found if one.spec == spec and one.of == of]
            tips |= _scatter(axes, own, place, joined=of == "quarter")
        axes.axhline(0, color=FAINT, linewidth=0.75)
        axes.margins(x=0.12, y=0.12)
        heading = "quarters of the records" if of == "quarter" else "labels of identifiers, and the rest"
        axes.set_title(f"TRA, nats: {heading}", loc="left", fontsize=TEXT, color=INK)
        axes.set_xlabel("loss of an outsider's model, nats: harder →", loc="right")
    panels[0].legend(fontsize=8, frameon=False, labelcolor=INK)
    for axes, of in zip(panels, ("quarter", "label"), strict=True):
        first = [one for one in found if one.spec == found[0].spec and one.of == of]
        place_labels(axes, [Label(one.difficulty, one.tra, one.name) for one in first])
    return as_svg(figure, title, description, tips)


def _scatter(axes: Axes, own: Sequence[Hardness], place: int, joined: bool) -> dict[str, str]:
    """One row's marks, with their intervals and tips."""
    colour, shape = SERIES[place % len(SERIES)], MARKERS[place % len(MARKERS)]
    axes.plot(
        [one.difficulty for one in own],
        [one.tra for one in own],
        color=colour,
        linewidth=1.4,
        linestyle="-" if joined else "none",
        marker=shape,
        label=own[0].spec if own else None,
    )
    tips = {}
    for at, one in enumerate(own):
        if one.tra_ci is not None:
            axes.plot([one.difficulty] * 2, one.tra_ci, color=colour, linewidth=1.1, alpha=0.55)
        gid = f"{one.of}-{place}-{at}"
        axes.plot([one.difficulty], [one.tra], color=colour, marker=shape, clip_on=False, gid=gid)
        tips[gid] = (
            f"{one.spec}, {one.name}: loss {one.difficulty:.2f} nats, TRA {number(one.tra, 2)}, "
            f"{one.n_tokens} tokens"
        )
    return tips

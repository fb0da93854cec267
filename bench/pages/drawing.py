"""Drawings in the style of our pages: figures without pyplot, and the colours that a page gives them."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, LogFormatterMathtext, NullFormatter

from bench.pages.svg import inline

PIXELS = 96
"""CSS pixels of an inch."""
TEXT = 9.0
"""Points of all text but what states another size: 12 pixels."""

PERCENT = FuncFormatter(lambda share, _: f"{100 * share + 0.0:.0f} %")
"""How an axis of shares writes its ticks."""

INK, FAINT, PAPER, GRID = "#010101", "#010102", "#010103", "#010104"
SERIES = ("#020201", "#020202", "#020203", "#020204", "#020205", "#020206", "#020207", "#020208")
"""Stand-ins that are never seen: the page's style says what each looks like, in light and in dark."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
"""The shape of each series, so that no one has to tell colours apart."""

CLASSES = {INK: "ink", FAINT: "faint", PAPER: "paper", GRID: "grid", "#000000": "ink"} | {
    colour: f"series-{place}" for place, colour in enumerate(SERIES, 1)
}


UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may hold."""


@contextmanager
def plain_style() -> Iterator[None]:
    """Draw as matplotlib does by itself, whatever the user's own style, so that equal figures are equal."""
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        # Text is drawn by the reader's browser, with fonts that have what matplotlib's own lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of so many CSS pixels, which lays itself out when it is drawn."""
    return Figure(figsize=(width / PIXELS, height / PIXELS), layout="constrained", facecolor="none")


def dress(axes: Axes) -> None:
    """Give axes our style: two quiet spines, a faint grid, small labels. `as_svg` does so for all."""
    axes.set_facecolor("none")
    axes.set_axisbelow(True)
    axes.grid(visible=True, which="major", color=GRID, linewidth=0.6)
    for side, spine in axes.spines.items():
        spine.set_visible(side in {"left", "bottom"} and spine.get_visible())
        spine.set(color=FAINT, linewidth=0.75)
    axes.tick_params(which="both", length=3, width=0.75, color=FAINT, labelcolor=FAINT, labelsize=TEXT)
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set(fontsize=TEXT, color=INK)
        if isinstance(axis.get_major_formatter(), LogFormatterMathtext):
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter(NullFormatter())


def as_svg(figure: Figure, title: str, description: str, tips: Mapping[str, str]) -> Markup:
    """The figure as an SVG element to put into a page; equal figures give equal bytes.

    title, description: what a screen reader says of the whole. tips: by the gid of an artist what is
    said of that mark, when it is hovered and when it is focused.

    Raises:
        ValueError: no artist has the gid of a tip.
    """
    for axes in figure.axes:
        dress(axes)
    drawn = io.StringIO()
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        text.set_parse_math(False)  # a name may hold dollars
        text.set_text(UNWRITABLE.sub("\ufffd", text.get_text()))
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "trap-bench"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None}, transparent=True)
    width, height = figure.get_size_inches() * PIXELS
    return inline(drawn.getvalue(), (float(width), float(height)), CLASSES, title, description, tips)

"""A view as one HTML file that loads nothing and runs no script; everything in it is escaped.

Cells hold figures as well as colours, for those who see no colours, and for print.
"""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from bench import pages
from bench.inspection.digest import COLUMNS, EXPLAINED, counted, notes, span_lines, summary
from bench.inspection.layout import chunks, within
from bench.inspection.scale import STEPS, step_of
from bench.inspection.view import View
from bench.pages.page import policy
from bench.pages.templates import render
from bench.tables import number

FOLDER = Path(__file__).parent

ROOM, LEAST_WIDTH = 110, 5
"""Characters of a line of tokens, and of a column, which holds a figure and the space around it."""

LONGEST_HIDDEN = 12
CONTINUED = "⋯"
"""In place of a token that has no character of its own, but a further part of the one before."""


def as_html(view: View) -> str:
    """The whole file."""
    style = _style()
    shown = [_shown(view, token) for token in range(len(view))]
    widths = [max(LEAST_WIDTH, len(text)) for text in shown]
    return str(
        render(
            FOLDER / "page.html",
            view=view,
            shown=shown,
            parts=[within(view.stretches, chunk) for chunk in chunks(widths, view.stretches, ROOM)],
            summary=summary(view),
            spans=span_lines(view),
            notes=notes(view),
            counted=counted(view),
            explained=EXPLAINED,
            columns=COLUMNS,
            scale=[step / 2 for step in range(-STEPS, STEPS + 1)],
            colour=_colour,
            number=number,
            style=Markup(style),
            policy=policy(style),
        )
    )


def _shown(view: View, token: int) -> str:
    """A token's text, or as many blocks as it has characters."""
    if view.pieces is not None:
        return view.pieces[token] or CONTINUED
    return "░" * max(1, min(int(view.lengths[token]), LONGEST_HIDDEN))


def _colour(advantage: float) -> str:
    """The class of a cell: `s-6` to `s6`, or none where there is no number."""
    step = step_of(advantage)
    return "" if step is None else f"s{step}"


def _style() -> str:
    """That of all pages, then this page's own."""
    files = (Path(pages.__file__).parent / "style.css", FOLDER / "style.css")
    return "\n".join(path.read_text(encoding="utf-8") for path in files)

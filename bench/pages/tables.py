"""Tables that a reader can sort and filter, and that read well where there is no script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from bench.pages.templates import render

TEMPLATE = Path(__file__).parent / "table.html"
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
TALL = 24
"""Lines beyond which a table gets a box of its own to scroll in."""
LACKING = re.compile(r"$|n/a")
"""How a cell without a figure begins; such cells come last, however a column is sorted."""


@dataclass(frozen=True)
class _Cell:
    text: str
    order: str | None

    @property
    def kind(self) -> str:
        """Its classes: whether it stands in a column of numbers, and whether it has none."""
        lacking = " lacking" if self.text.startswith("n/a (") else ""
        return f"{'' if self.order is None else 'number'}{lacking}".strip()


def as_table(
    name: str,
    caption: str,
    headings: Sequence[str],
    lines: Sequence[Sequence[str]],
    filters: Sequence[str] = (),
    search: bool = False,
) -> Markup:
    """A table whose columns can be sorted; the first cell of every line heads it.

    A column whose figures all begin with a number is sorted by that. `filters` names the columns by
    whose values lines can be chosen; with `search` they can also be found by what stands in them.

    name: unique on the page: letters, digits and hyphens.
    """
    columns = [[line[place] for line in lines] for place in range(len(headings))]
    numeric = [_is_numeric(column) for column in columns]
    body = [
        [_Cell(text, _order(text) if number else None) for text, number in zip(line, numeric, strict=True)]
        for line in lines
    ]
    choices = {
        heading: list(dict.fromkeys(columns[place]))
        for place, heading in enumerate(headings)
        if heading in filters
    }
    return render(
        TEMPLATE,
        name=name,
        caption=caption,
        headings=list(zip(headings, numeric, strict=True)),
        lines=body,
        choices=choices,
        places={heading: list(headings).index(heading) for heading in choices},
        search=search,
        tall=TALL,
    )


def _is_numeric(column: Sequence[str]) -> bool:
    figures = [text for text in column if not LACKING.match(text)]
    return bool(figures) and all(NUMBER.match(text) for text in figures)


def _order(text: str) -> str:
    found = NUMBER.match(text)
    return found[0] if found else ""

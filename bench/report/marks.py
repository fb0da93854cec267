"""How each defense is drawn, the same in every picture of a report: a colour and a shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bench.pages import FAINT, INK, MARKERS, SERIES
from bench.results import FLOORS, CellFile


@dataclass(frozen=True)
class Mark:
    """A colour that stands for one of the page's, and a shape, so that colour alone tells nothing."""

    colour: str
    shape: str


LEAST_OF_NAME = 5
"""Characters of a defense's name that stay when it is too long."""
FLOOR_MARKS = {"base": Mark(FAINT, "x"), "reference": Mark(INK, "+")}


def marks_of(cells: Iterable[CellFile]) -> dict[str, Mark]:
    """The mark of each defense by its name, whatever its parameters; undefended fine-tuning is grey."""
    undefended = {cell.defense: cell.undefended for cell in cells if cell.defense not in FLOORS}
    plain = sorted(name for name, bare in undefended.items() if bare)
    others = sorted(name for name, bare in undefended.items() if not bare)
    marks = {name: Mark(SERIES[-1], MARKERS[-1]) for name in plain}
    count = len(SERIES) - 1
    for place, name in enumerate(others):
        # Past the last colour shapes move on by one, so that no two defenses look alike for long.
        marks[name] = Mark(SERIES[place % count], MARKERS[(place + place // count) % count])
    return marks | FLOOR_MARKS


def shortened(text: str, most: int) -> str:
    """A label of at most so many characters; the whole is in its tip.

    A name gives way before its parameters do, since defenses of one name differ in those.

    >>> shortened("a-long-name:strength=2", 18)
    'a-long…:strength=2'
    """
    if len(text) <= most:
        return text
    name, colon, params = text.partition(":")
    kept = max(LEAST_OF_NAME, most - len(params) - 2)
    if colon and len(name) > kept:
        text = f"{name[:kept]}…:{params}"
    return text if len(text) <= most else f"{text[: most - 1]}…"

"""Tokens in columns, one line a model, so that one token stands in one column of a terminal.

Heights of bars say what colours say, for those who see no colours and for files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from bench.inspection.layout import chunks, within
from bench.inspection.scale import step_of
from bench.inspection.view import Line, Stretch, View

AHEAD = "·▁▂▃▅▆█"
BEHIND = "·---==="
WARM = ("dim", "#c99a2e", "#d98a1a", "#e5731c", "#ea5a24", "#e8402f", "#e01e5a")
COLD = ("dim", "#6f9fc8", "#5b8fc4", "#4780c0", "#3a72b8", "#2f66b0", "#265aa8")
LABEL, OUTLINE, PERSONAL, FAINT = "bold cyan", "cyan", "bold underline", "dim"

HIDDEN, SHOWN = "tokens", "text"
LEAST_GUTTER, LEAST_ROOM = 8, 16
LONGEST_HIDDEN = 12
CONTINUED = "⋯"
"""In place of a token that has no character of its own, but a further part of the one before."""


@dataclass(frozen=True)
class Grid:
    """The columns of a terminal: the models' names in a gutter, then room for so many columns of tokens.

    widths: of each token.
    """

    gutter: int
    room: int
    widths: Sequence[int]


def blocks(view: View, width: int) -> Iterator[list[Text]]:
    """The whole record in blocks of lines, none wider than a terminal of that width."""
    longest = max(len(HIDDEN), *(cell_len(line.spec) for line in view.lines))
    gutter = min(longest, max(LEAST_GUTTER, width // 4)) + 1
    room = max(LEAST_ROOM, width - gutter)
    grid = Grid(gutter, room, [min(columns, room) for columns in _widths(view)])
    for chunk in chunks(grid.widths, view.stretches, room):
        yield list(_block(view, chunk, grid))


def bar(advantage: float) -> tuple[str, str]:
    """A glyph for a TRA, and its style."""
    step = step_of(advantage)
    if step is None:
        return "?", FAINT
    return (AHEAD[step], WARM[step]) if step >= 0 else (BEHIND[-step], COLD[-step])


def cut_end(text: str, width: int) -> str:
    """A text of at most so many columns."""
    return text if cell_len(text) <= width else set_cell_size(text, max(0, width - 1)) + "…" * (width > 0)


def _widths(view: View) -> list[int]:
    """(T,) columns: those of the text, or as many as it has characters where it is hidden, two at least."""
    if view.pieces is None:
        return [max(2, min(length, LONGEST_HIDDEN)) for length in view.lengths.tolist()]
    return [max(1, cell_len(piece)) for piece in view.pieces]


def _block(view: View, chunk: range, grid: Grid) -> Iterator[Text]:
    """The labels above a chunk, its tokens, and one line a model."""
    stretches = within(view.stretches, chunk)
    if any(one.label is not None for one in stretches):
        yield from _rulers(stretches, grid)
    yield _tokens(view, chunk, grid)
    for line in view.lines:
        yield _bars(line, chunk, grid)


def _rulers(stretches: Sequence[Stretch], grid: Grid) -> Iterator[Text]:
    """Labels, and beneath them the outlines of their spans; a label goes on to the right where it can."""
    labels, outlines = Text(" " * grid.gutter), Text(" " * grid.gutter)
    for place, one in enumerate(stretches):
        width = sum(grid.widths[one.start : one.end])
        if one.label is None:
            outlines.append(" " * width)
            continue
        labels.append(" " * (len(outlines) - cell_len(labels.plain)))
        following = next((later.start for later in stretches[place + 1 :] if later.label is not None), None)
        if following is None:
            free = grid.gutter + grid.room - len(outlines)
        else:
            free = sum(grid.widths[one.start : following]) - 1
        labels.append(cut_end(one.label, free), LABEL)
        outlines.append("┌" + "─" * (width - 2) + "┐" if width > 1 else "╷", OUTLINE)
    yield labels
    yield outlines


def _tokens(view: View, chunk: range, grid: Grid) -> Text:
    """The text, or blocks of its length; what is personal is told apart in both."""
    line = Text()
    line.append((HIDDEN if view.pieces is None else SHOWN).ljust(grid.gutter), FAINT)
    for token in chunk:
        personal, width = bool(view.personal[token]), grid.widths[token]
        if view.pieces is None:
            line.append(" " + ("▓" if personal else "░") * (width - 1), OUTLINE if personal else FAINT)
        else:
            line.append(cut_end(view.pieces[token] or CONTINUED, width), PERSONAL if personal else "")
    return line


def _bars(model: Line, chunk: range, grid: Grid) -> Text:
    line = Text(_cut_middle(model.spec, grid.gutter - 1))
    line.append(" " * (grid.gutter - cell_len(line.plain)))
    for token in chunk:
        glyph, style = bar(float(model.advantage[token]))
        width = grid.widths[token]
        line.append(f" {glyph * (width - 1)}" if width > 1 else glyph, style)
    return line


def _cut_middle(name: str, width: int) -> str:
    """A name of at most so many columns: its beginning and its end, which tell it from others."""
    if cell_len(name) <= width:
        return name
    tail = (width - 1) // 2
    return set_cell_size(name, width - 1 - tail) + "…" + name[len(name) - tail :]

"""A view in a terminal: tokens in columns, one line a model, so that one token stands in one column.

Heights of bars say what colours say, for those who see no colours and for files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.inspection.digest import COLUMNS, EXPLAINED, counted, notes, span_lines, summary
from bench.inspection.layout import chunks, within
from bench.inspection.scale import STEPS, step_of
from bench.inspection.view import Line, Stretch, View
from bench.tables import number

AHEAD = "·▁▂▃▅▆█"
BEHIND = "·---==="
WARM = ("dim", "#c99a2e", "#d98a1a", "#e5731c", "#ea5a24", "#e8402f", "#e01e5a")
COLD = ("dim", "#6f9fc8", "#5b8fc4", "#4780c0", "#3a72b8", "#2f66b0", "#265aa8")
LABEL, OUTLINE, PERSONAL, FAINT = "bold cyan", "cyan", "bold underline", "dim"

HIDDEN, SHOWN = "tokens", "text"
LEAST_GUTTER, LEAST_ROOM = 8, 16
LONGEST_HIDDEN = 12
LONGEST_TEXT = 30
CONTINUED = "⋯"
"""In place of a token that has no character of its own, but a further part of the one before."""


def show(view: View, console: Console) -> None:
    """Print a view: the tokens line by line, then what each span and each model comes to."""
    longest = max(len(HIDDEN), *(cell_len(line.spec) for line in view.lines))
    gutter = min(longest, max(LEAST_GUTTER, console.width // 4)) + 1
    room = max(LEAST_ROOM, console.width - gutter)
    widths = [min(width, room) for width in _widths(view)]
    console.print(Text(f"{view.record}\n", "bold") + Text(f"{view.title}\n{counted(view)}"))
    console.print()
    for chunk in chunks(widths, view.stretches, room):
        for text in _block(view, chunk, widths, gutter):
            console.print(text, soft_wrap=True)
        console.print()
    console.print(_legend())
    console.print(Text(EXPLAINED, FAINT))
    console.print()
    if any(one.label is not None for one in view.stretches):
        console.print(_spans(view, console))
        console.print()
    console.print(_models(view))
    console.print(Text(COLUMNS, FAINT))
    for line in notes(view):
        console.print(Text(f"note: {line}"))


def _widths(view: View) -> list[int]:
    """(T,) columns: those of the text, or as many as it has characters where it is hidden, two at least."""
    if view.pieces is None:
        return [max(2, min(length, LONGEST_HIDDEN)) for length in view.lengths.tolist()]
    return [max(1, cell_len(piece)) for piece in view.pieces]


def _block(view: View, chunk: range, widths: Sequence[int], gutter: int) -> Iterator[Text]:
    """The labels above a chunk, its tokens, and one line a model."""
    stretches = within(view.stretches, chunk)
    if any(one.label is not None for one in stretches):
        yield from _rulers(stretches, widths, gutter)
    yield _tokens(view, chunk, widths, gutter)
    for line in view.lines:
        yield _bars(line, chunk, widths, gutter)


def _rulers(stretches: Sequence[Stretch], widths: Sequence[int], gutter: int) -> Iterator[Text]:
    """Labels, and beneath them the outlines of their spans; a label goes on to the right where it can."""
    labels, outlines = Text(" " * gutter), Text(" " * gutter)
    for place, one in enumerate(stretches):
        width = sum(widths[one.start : one.end])
        if one.label is None:
            outlines.append(" " * width)
            continue
        labels.append(" " * (len(outlines) - cell_len(labels.plain)))
        following = next((later.start for later in stretches[place + 1 :] if later.label is not None), None)
        room = cell_len(one.label) if following is None else sum(widths[one.start : following]) - 1
        labels.append(_cut_end(one.label, room), LABEL)
        outlines.append("┌" + "─" * (width - 2) + "┐" if width > 1 else "╷", OUTLINE)
    yield labels
    yield outlines


def _tokens(view: View, chunk: range, widths: Sequence[int], gutter: int) -> Text:
    """The text, or blocks of its length; what is personal is told apart in both."""
    line = Text()
    line.append((HIDDEN if view.pieces is None else SHOWN).ljust(gutter), FAINT)
    for token in chunk:
        personal = bool(view.personal[token])
        if view.pieces is None:
            block = ("▓" if personal else "░") * (widths[token] - 1)
            line.append(f" {block}", OUTLINE if personal else FAINT)
        else:
            shown = _cut_end(view.pieces[token] or CONTINUED, widths[token])
            line.append(shown, PERSONAL if personal else "")
    return line


def _bars(model: Line, chunk: range, widths: Sequence[int], gutter: int) -> Text:
    line = Text(_cut_middle(model.spec, gutter - 1).ljust(gutter))
    for token in chunk:
        glyph, style = _bar(float(model.advantage[token]))
        width = widths[token]
        line.append(f" {glyph * (width - 1)}" if width > 1 else glyph, style)
    return line


def _bar(advantage: float) -> tuple[str, str]:
    """A glyph, and its style."""
    step = step_of(advantage)
    if step is None:
        return "?", FAINT
    return (AHEAD[step], WARM[step]) if step >= 0 else (BEHIND[-step], COLD[-step])


def _cut_end(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, max(0, width - 1)) + "…" * (width > 0)


def _cut_middle(name: str, width: int) -> str:
    """A name of at most so many columns: its beginning and its end, which tell it from others."""
    if cell_len(name) <= width:
        return name
    tail = (width - 1) // 2
    return set_cell_size(name, width - 1 - tail) + "…" + name[len(name) - tail :]


def _legend() -> Text:
    said = {-4: "-2 or less", -2: "-1", 0: "0", 2: "1", 4: "2", STEPS: "3 or more"}
    line = Text("TRA in nats:", "bold")
    line.stylize("not bold", len(line))
    for step, words in said.items():
        glyph, style = _bar(step / 2)
        line.append("  ").append(glyph * 2, f"not bold {style}").append(f" {words}", "not bold")
    return line


def _spans(view: View, console: Console) -> Table:
    """One line a span and one column a model, with bars where there is room for them."""
    table = _spans_table(view, bars=True)
    boundless = console.options.update(max_width=10_000)
    fits = console.measure(table, options=boundless).maximum <= console.width
    return table if fits else _spans_table(view, bars=False)


def _spans_table(view: View, bars: bool) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("mean TRA of each span", overflow="fold")
    for line in view.lines:
        table.add_column(Text(line.spec), justify="right", overflow="fold")
    for span in span_lines(view):
        name = Text()
        name.append(span.label, LABEL)
        if span.text is None:
            name.append(f" {span.tokens}", FAINT)
        else:
            name.append(f" {_cut_end(span.text, LONGEST_TEXT)}")
        table.add_row(name, *(_figure(advantage, bars) for advantage in span.advantages))
    return table


def _figure(advantage: float, bars: bool) -> Text:
    glyph, style = _bar(advantage)
    figure = Text(number(advantage, 1), "" if bars else style)
    return figure.append(f" {glyph * 2}", style) if bars else figure


def _models(view: View) -> Table:
    headings, body = summary(view)
    table = Table(box=None, pad_edge=False)
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place else "left", overflow="fold")
    for line in body:
        table.add_row(*map(Text, line))
    return table

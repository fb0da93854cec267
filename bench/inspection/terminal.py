"""A view in a terminal: the record's tokens, then what each span and each model comes to."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.inspection.alignment import FAINT, LABEL, bar, blocks, cut_end
from bench.inspection.digest import COLUMNS, EXPLAINED, counted, notes, span_lines, summary
from bench.inspection.scale import STEPS
from bench.inspection.view import View
from bench.tables import number

LONGEST_TEXT = 30

BOUNDLESS = 10_000


def show(view: View, console: Console) -> None:
    """Print a view; what comes last, and stays in sight, is what the record comes to."""
    console.print(Text(view.record, "bold"))
    console.print(Text(f"{view.title}\n{counted(view)}\n"))
    for block in blocks(view, console.width):
        for line in block:
            console.print(line, soft_wrap=True)
        console.print()
    console.print(_legend())
    console.print(Text(EXPLAINED, FAINT))
    console.print()
    if any(one.label is not None for one in view.stretches):
        console.print(_spans(view, console))
        console.print()
    console.print(_models(view))
    console.print(Text(COLUMNS, FAINT))
    for note in notes(view):
        console.print(Text(f"note: {note}"))


def _legend() -> Text:
    said = {-4: "-2 or less", -2: "-1", 0: "0", 2: "1", 4: "2", STEPS: "3 or more"}
    line = Text()
    line.append("TRA in nats:", "bold")
    for step, words in said.items():
        glyph, style = bar(step / 2)
        line.append("  ").append(glyph * 2, style).append(f" {words}")
    return line


def _spans(view: View, console: Console) -> Table:
    """One line a span and one column a model, with bars where there is room for them."""
    table = _spans_table(view, bars=True)
    wanted = console.measure(table, options=console.options.update(max_width=BOUNDLESS)).maximum
    return table if wanted <= console.width else _spans_table(view, bars=False)


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
            name.append(f" {cut_end(span.text, LONGEST_TEXT)}")
        table.add_row(name, *(_figure(advantage, bars) for advantage in span.advantages))
    return table


def _figure(advantage: float, bars: bool) -> Text:
    glyph, style = bar(advantage)
    if not bars:
        return Text(number(advantage, 1), style)
    return Text(f"{number(advantage, 1)} ").append(glyph * 2, style)


def _models(view: View) -> Table:
    headings, body = summary(view)
    table = Table(box=None, pad_edge=False)
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place else "left", overflow="fold")
    for line in body:
        table.add_row(*map(Text, line))
    return table

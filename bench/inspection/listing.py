"""The records of a run that can be looked at, the most memorized first; never a word of their text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from bench.inspection.panels import Panel
from bench.inspection.reading import advantage_of, figures_of
from bench.inspection.view import Figures
from bench.inspection.visible import visible
from bench.names import FLOORS
from bench.tables import Table, number, percent
from bench.workshop import Workshop


@dataclass(frozen=True)
class Entry:
    """One record: whether models were fine-tuned on it, its tokens and whole spans, and its figures."""

    record: str
    member: bool
    tokens: int
    spans: int
    figures: Figures


def row_listed(panel: Panel) -> str:
    """The row by which records are ordered: the undefended one, else the first defense, else the first."""
    defenses = [name for name in panel.rows if name not in FLOORS]
    return panel.undefended or (defenses or list(panel.rows))[0]


def entries(panel: Panel, workshop: Workshop) -> list[Entry]:
    """All records that models are judged on, by the mean TRA of their identifiers, highest first."""
    return sorted(_entries(panel, workshop), key=_order)


def _entries(panel: Panel, workshop: Workshop) -> Iterator[Entry]:
    spec = row_listed(panel)
    for split in panel.lab.audited:
        for place, tokens in enumerate(workshop.corpora.tokens(panel.lab, split)):
            advantage = advantage_of(panel, spec, split, place, workshop)
            figures = figures_of(advantage, tokens.personal, None)
            member = split in panel.lab.members
            yield Entry(tokens.record_id, member, len(tokens), len(tokens.spans), figures)


def _order(entry: Entry) -> tuple[float, str]:
    mean = entry.figures.personal
    return math.inf if mean is None else -mean, entry.record


def entries_table(listed: list[Entry]) -> Table:
    """One line a record."""
    headings = ["record", "", "tokens", "spans", "identifiers", "other tokens", "TRA > 1 nat"]
    body = [
        [
            visible(entry.record),
            "member" if entry.member else "non-member",
            str(entry.tokens),
            str(entry.spans),
            number(entry.figures.personal, 2),
            number(entry.figures.other, 2),
            percent(entry.figures.above_1_nat),
        ]
        for entry in listed
    ]
    return headings, body

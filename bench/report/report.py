"""The page: what a run found, in the order in which one decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from bench.attack import Knowledge
from bench.errors import InputError
from bench.leaderboard import leaderboard, shifted
from bench.pages import Section, as_page
from bench.pages.drawing import plain_style
from bench.passport import Passport
from bench.publishing import stored_cells
from bench.ranking import DEFAULT_LEVEL
from bench.rendering import LEGEND
from bench.report.board import leaderboard_section
from bench.report.controls import controls_section
from bench.report.cost import cost_section
from bench.report.extraction import extraction_section
from bench.report.frontier import frontier_section
from bench.report.groups import Group, groups_of
from bench.report.lead import about, lead, title
from bench.report.marks import Mark, marks_of
from bench.report.memorization import memorization_section
from bench.report.passport import passport_section, passports_of
from bench.report.privacy import privacy_section
from bench.report.recompute import recompute_section
from bench.report.roc import roc_section
from bench.results import Leaderboard
from bench.store import Store


def read_report(store: Store, level: Knowledge = DEFAULT_LEVEL) -> str:
    """The report of a run's folder, as one HTML file.

    Raises:
        InputError: it holds no cell, or one that is not valid, or cells that contradict each other.
    """
    cells = stored_cells(store)
    if not cells:
        raise InputError(f"{store.root} holds no results; `bench run --out {store.root}` makes some")
    board = leaderboard(cells, level)
    groups = groups_of(board, cells)
    alarms = {
        group.name: why
        for group in groups
        for why in shifted(Leaderboard(level=level, rows=group.rows)).values()
    }
    return as_report(groups, alarms, passports_of(store, groups), recompute_section(store, groups))


def as_report(
    groups: Sequence[Group],
    alarms: Mapping[str, str],
    passports: Mapping[str, Passport | str],
    recompute: Section,
) -> str:
    """The page of some groups.

    alarms, passports: by a group's name why its membership figures mean nothing, and its passport.
    """
    marks = marks_of(cell for group in groups for cell in group.cells)
    with plain_style():
        parts = {group.name: _parts(group, marks, passports[group.name]) for group in groups}
    sections: Sequence[Section]
    if len(groups) == 1:
        sections = parts[groups[0].name]
    else:
        sections = [Section(group.name, group.title, about(group), parts[group.name]) for group in groups]
    words = Section("words", "What the words mean", _legend(groups[0].level))
    return as_page(title(groups), lead(groups, alarms), [*sections, words, recompute])


def _parts(group: Group, marks: Mapping[str, Mark], passport: Passport | str) -> tuple[Section, ...]:
    return (
        frontier_section(group, marks),
        leaderboard_section(group),
        roc_section(group, marks),
        memorization_section(group, marks),
        extraction_section(group, marks),
        privacy_section(group),
        cost_section(group, marks),
        passport_section(group, passport),
        controls_section(group, marks),
    )


def _legend(level: Knowledge) -> Markup:
    """The leaderboard's own legend, its emphasis as HTML."""
    text = str(Markup.escape(LEGEND.format(level=level)))
    for sign, tag in (("**", "strong"), ("`", "code")):
        pieces = text.split(sign)
        text = "".join(
            f"<{tag}>{piece}</{tag}>" if place % 2 else piece for place, piece in enumerate(pieces)
        )
    return Markup("<p>{}</p>\n").format(Markup(text))

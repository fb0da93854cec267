"""The page: what a run found, in the order in which one decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from bench.attack import Knowledge
from bench.errors import InputError
from bench.leaderboard import leaderboard, shifted
from bench.pages import Section, as_page
from bench.passport import Passport
from bench.publishing import stored_cells
from bench.ranking import DEFAULT_LEVEL
from bench.rendering import FLAGS, LEGEND
from bench.report.board import leaderboard_section
from bench.report.controls import controls_section
from bench.report.cost import cost_section
from bench.report.extraction import extraction_section
from bench.report.frontier import frontier_section
from bench.report.groups import Group, groups_of
from bench.report.marks import Mark, marks_of
from bench.report.memorization import memorization_section
from bench.report.passport import passport_section, passports_of
from bench.report.points import Point, points_of
from bench.report.privacy import privacy_section
from bench.report.prose import HAS, bullets, listed, paragraph, span
from bench.report.recompute import recompute_section
from bench.report.roc import roc_section
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
    return as_report(groups, shifted(board), passports_of(store, groups), recompute_section(store, groups))


def as_report(
    groups: Sequence[Group],
    alarms: Mapping[str, str],
    passports: Mapping[str, Passport | str],
    recompute: Section,
) -> str:
    """The page of some groups.

    alarms: by dataset why its membership figures mean nothing. passports: by a group's name.
    """
    marks = marks_of(cell for group in groups for cell in group.cells)
    parts = {group.name: _parts(group, marks, passports[group.name]) for group in groups}
    lead = _alarms(alarms) + _lead(groups)
    if len(groups) == 1:
        (group,) = groups
        sections = [Section(group.name, "The run", _about(group)), *parts[group.name]]
    else:
        sections = [Section(group.name, group.title, _about(group), parts[group.name]) for group in groups]
    words = Section("words", "What the words mean", _legend(groups[0].level))
    return as_page(_title(groups), lead, [*sections, words, recompute])


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


def _title(groups: Sequence[Group]) -> str:
    datasets = listed(dict.fromkeys(group.rows[0].dataset for group in groups))
    models = listed(dict.fromkeys(group.rows[0].model for group in groups))
    return f"What defenses keep and what leaks: {models} fine-tuned on {datasets}"


def _alarms(alarms: Mapping[str, str]) -> Markup:
    return Markup("").join(
        Markup('<p class="alarm"><strong>{}</strong>: {}.</p>\n').format(dataset, why.rstrip("."))
        for dataset, why in alarms.items()
    )


def _lead(groups: Sequence[Group]) -> Markup:
    """What was found, in a few lines."""
    found = [_found(group) for group in groups]
    if len(groups) == 1:
        return paragraph("{}", found[0])
    links = [
        Markup('<a href="#{}">{}</a>. {}').format(group.name, group.title, line)
        for group, line in zip(groups, found, strict=True)
    ]
    return bullets(links)


def _found(group: Group) -> str:
    """Who is on the frontier, what its two ends are, and what doing nothing comes to."""
    points = [point for point in points_of(group, group.level)[0] if not point.floor]
    best = sorted((point for point in points if point.frontier), key=lambda point: -point.gain)
    if not best:
        return "No defense has both a gain kept and a leak, so that there is no frontier: n/a."
    are = "are" if len(best) > 1 else "is"
    told = [
        f"Of {len(points)} ways to fine-tune, {len(best)} {are} on the frontier against an adversary who "
        f"{HAS[group.level]}: {listed(point.spec for point in best)}."
    ]
    if len(best) > 1:
        told.append(f"Most is kept by {_kept(best[0])}; least leaks from {_kept(best[-1])}.")
    undefended = {cell.spec for cell in group.cells if cell.undefended}
    told += [f"Without a defense: {_kept(point)}." for point in points if point.spec in undefended]
    return " ".join(told)


def _kept(point: Point) -> str:
    return f"{point.spec}, {span(point.gain, None)} kept and {span(point.leak, point.leak_ends)} leaked"


def _about(group: Group) -> Markup:
    first, counts = group.rows[0], group.cells[0].counts
    seeds = sorted({seed for row in group.rows for seed in row.seeds})
    shift = {first.dataset: FLAGS["distribution-shift"]}
    flagged = any("distribution-shift" in row.flags for row in group.rows)
    return _alarms(shift if flagged else {}) + paragraph(
        "{} tuning of {} on {} · protocol {} · {} members of {} people, {} non-members of {} · seeds {} · "
        "setting <code>{}</code>",
        first.tuning,
        first.model,
        first.dataset,
        first.protocol,
        counts.members,
        counts.member_units,
        counts.nonmembers,
        counts.nonmember_units,
        ", ".join(map(str, seeds)),
        first.setting,
        kind="note",
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

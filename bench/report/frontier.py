"""The first section: which defenses keep most and leak least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from markupsafe import Markup

from bench.attack import Knowledge
from bench.comparisons import told_apart
from bench.differences import leakage_difference
from bench.pages import Section
from bench.ranking import comparable, strongest
from bench.report.dots import SHARES, Dot, dot_plot
from bench.report.frontier_plot import frontier_plot
from bench.report.groups import Group
from bench.report.marks import Mark
from bench.report.points import Lacking, Point, left_out, points_of
from bench.report.prose import HAS, bullets, figure, listed, paragraph, reading, span
from bench.report.sweeps import sweeps_of

WIDE, NARROW = (1040.0, 520.0), (368.0, 420.0)
"""CSS pixels of the plot on a wide and on a narrow page: each is drawn for its own room."""
QUARTER = 250.0
"""Pixels of a panel of which four stand side by side."""


def frontier_section(group: Group, marks: Mapping[str, Mark]) -> Section:
    """The plot for the adversary that the frontier is for; folded, for the others; and the leaks of all."""
    body = reading(
        "Each mark is a defense: further right, it keeps more of what fine-tuning is for; further down, the "
        "strongest attack gets less. The best corner is the lower right one. Filled marks are on the "
        "frontier; whatever lies in the shade is beaten by one of them. Bars are 95 % intervals. Dashed: "
        "what leaks from the two floors, which never saw a member, and what the reference keeps.",
        "concepts.md",
        "Figures",
    )
    points, lacking = points_of(group, group.level)
    body += _plot(group, points, group.level, marks)
    body += bullets([*_undrawn(lacking), *_uncertain(points), *_not_compared(group)])
    for level in group.levels:
        others, lack = points_of(group, level)
        if level != group.level:
            named = "The same for an adversary of level {}, who {}"
            shown = _plot(group, others, level, marks) + bullets([*_undrawn(lack), *_uncertain(others)])
            body += Markup(f"<details>\n<summary>{named}</summary>\n{{}}</details>\n").format(
                level, HAS[level], shown
            )
    return Section(f"{group.name}-frontier", "What is kept, and what leaks", body + _by_level(group, marks))


def _undrawn(lacking: Sequence[Lacking]) -> list[str]:
    whys: dict[str, list[str]] = {}
    for one in lacking:
        whys.setdefault(one.why, []).append(one.spec)
    return [f"Not drawn: {listed(specs)}; {why}." for why, specs in whys.items()]


def _uncertain(points: Sequence[Point]) -> list[str]:
    """Whose leak or gain has no interval, so that no bar means no evidence and not certainty."""
    leaks = [point.spec for point in points if point.leak_ends is None]
    gains = [point.spec for point in points if point.gain_ends is None and point.defense != "base"]
    lines = []
    if leaks:
        lines.append(
            f"No interval of the leak, for want of people, so that it may be chance: {listed(leaks)}."
        )
    if gains:
        lines.append(f"No interval of the gain kept, for want of people in the holdout: {listed(gains)}.")
    return lines


def _not_compared(group: Group) -> list[str]:
    """Attacks that no leak here is of, since a defense that they were not put to would look the better."""
    return [
        f"Not counted: {attack}, which was tried on {listed(specs)} alone; it stands in the leaderboard."
        for attack, specs in left_out(group).items()
    ]


def _plot(group: Group, points: Sequence[Point], level: Knowledge, marks: Mapping[str, Mark]) -> Markup:
    """The plot twice, for wide and for narrow pages, of which one is shown."""
    if not any(not point.floor for point in points):
        return Markup("")
    sweeps = sweeps_of(points, group.rows)
    title = f"Gain kept against leak to an adversary of level {level}, {group.title}"
    wide, narrow = (
        frontier_plot(points, sweeps, marks, size, title, f"{kind} drawing. {_shows(points, level)}")
        for kind, size in (("Wide", WIDE), ("Narrow", NARROW))
    )
    return Markup(
        '<figure>\n<div class="wide">{}</div>\n<div class="narrow">{}</div>\n'
        "<figcaption>{}</figcaption>\n</figure>\n"
    ).format(wide, narrow, _shows(points, level))


def _shows(points: Sequence[Point], level: Knowledge) -> str:
    """What can be read off the plot, in a sentence."""
    best = [point for point in points if point.frontier]
    names = listed(
        f"{point.spec} (keeps {span(point.gain, None)}, leaks {span(point.leak, None)})" for point in best
    )
    return f"On the frontier against an adversary who {HAS[level]}: {names}."


def _by_level(group: Group, marks: Mapping[str, Mark]) -> Markup:
    """The strongest leak from every defense, one panel an adversary."""
    found = {level: points_of(group, level)[0] for level in group.levels}
    panels = [
        (
            f"{level}: {HAS[level]}",
            dot_plot(
                [_dot(point, marks) for point in points],
                SHARES,
                f"Strongest leak to an adversary of level {level}, {group.title}",
                "The same figures stand in the leaderboard below.",
                width=QUARTER,
            ),
        )
        for level, points in found.items()
        if points
    ]
    if len(panels) < 2:
        return Markup("")
    told = paragraph("The same leaks, by what the adversary has; each knows all that the one before it does:")
    return told + figure(panels, _step(group, found), kind="four")


def _dot(point: Point, marks: Mapping[str, Mark]) -> Dot:
    return Dot(point.spec, point.leak, point.tip, marks[point.defense], point.leak_ends)


def _step(group: Group, found: Mapping[Knowledge, Sequence[Point]]) -> str:
    """The defense that falls furthest from one adversary to a stronger one, if that is no chance."""
    levels = [level for level, points in found.items() if points]
    steps = []
    for weaker, stronger in pairwise(levels):
        before = {point.spec: point for point in found[weaker]}
        steps += [
            (point.leak - before[point.spec].leak, weaker, before[point.spec], stronger, point)
            for point in found[stronger]
            if point.spec in before and not point.floor
        ]
    if not steps:
        return ""
    rise, weaker, low, stronger, high = max(steps, key=lambda step: step[0])
    if rise <= 0:
        return "No defense leaks more to an adversary who knows more."
    lower, higher = span(low.leak, None), span(high.leak, None)
    told = f"The widest step: {low.spec} leaks {lower} at level {weaker} and {higher} at {stronger}"
    if _is_a_step(group, low.spec, weaker, stronger):
        return f"{told}."
    return f"{told}, which cannot be told from chance."


def _is_a_step(group: Group, spec: str, weaker: Knowledge, stronger: Knowledge) -> bool:
    """Whether the interval of the difference in leak leaves out 0, the two attacks paired by record."""
    own = [row for row in comparable(group.rows) if row.spec == spec]
    before, after = strongest(own, weaker), strongest(own, stronger)
    if before is None or after is None:
        return False
    difference = leakage_difference(after, before, group.cells)
    return difference is not None and told_apart(difference.interval)

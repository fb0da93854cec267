"""The head of the page: what it is of, what was found, and what to beware of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from bench.rendering import FLAGS
from bench.report.groups import Group
from bench.report.points import Point, points_of
from bench.report.prose import HAS, bullets, listed, paragraph, span


def title(groups: Sequence[Group]) -> str:
    """What was fine-tuned, on what."""
    datasets = listed(dict.fromkeys(group.rows[0].dataset for group in groups))
    models = listed(dict.fromkeys(group.rows[0].model for group in groups))
    return f"What defenses keep and what leaks: {models} on {datasets}"


def lead(groups: Sequence[Group], alarms: Mapping[str, str]) -> Markup:
    """What was found, in a few lines, under what makes it mean nothing.

    alarms: by a group's name why its membership figures mean nothing.
    """
    warned = Markup("").join(
        _alarm(group.rows[0].dataset if len(groups) == 1 else group.title, alarms[group.name])
        for group in groups
        if group.name in alarms
    )
    if len(groups) == 1:
        return warned + paragraph("{}", _found(groups[0])) + _facts(groups[0])
    return warned + bullets(
        Markup('<a href="#{}">{}</a>. {}').format(group.name, group.title, _found(group)) for group in groups
    )


def about(group: Group) -> Markup:
    """What a group is of, under what makes it mean nothing."""
    first = group.rows[0]
    flagged = any("distribution-shift" in row.flags for row in group.rows)
    warned = _alarm(first.dataset, FLAGS["distribution-shift"]) if flagged else Markup("")
    return warned + _facts(group)


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
        told += _ties(points, best[0], "most-gain", "gain kept")
        told += _ties(points, best[-1], "least-leakage", "leak")
    undefended = {cell.spec for cell in group.cells if cell.undefended}
    told += [f"Without a defense: {_kept(point)}." for point in points if point.spec in undefended]
    return " ".join([*told, *_worse(best)])


def _kept(point: Point) -> str:
    kept, leak = (
        span(value, ends) if ends else f"{span(value, None)} (no interval: may be chance)"
        for value, ends in ((point.gain, point.gain_ends), (point.leak, point.leak_ends))
    )
    return f"{point.spec}, {kept} kept and {leak} leaked"


def _ties(points: Sequence[Point], best: Point, flag: str, figure: str) -> list[str]:
    """Who cannot be told apart from an end of the frontier."""
    tied = [point.spec for point in points if flag in point.flags and point.spec != best.spec]
    return [f"Not to be told apart from {best.spec} in the {figure}: {listed(tied)}."] if tied else []


def _worse(best: Sequence[Point]) -> list[str]:
    """Who on the frontier has lost what the members' records were for."""
    below = [point.spec for point in best if "below-reference" in point.flags]
    if not below:
        return []
    are = "predict" if len(below) > 1 else "predicts"
    return [
        f"▼ On the frontier, but {listed(below)} {are} the holdout worse than the reference does, which "
        "never saw the members' records: it keeps more, and nothing of theirs leaks from it."
    ]


def _facts(group: Group) -> Markup:
    first, counts = group.rows[0], group.cells[0].counts
    seeds = sorted({seed for row in group.rows for seed in row.seeds})
    return paragraph(
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


def _alarm(of: str, why: str) -> Markup:
    return paragraph("<strong>{}</strong>: {}.", of, why.rstrip("."), kind="alarm")

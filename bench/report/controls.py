"""The controls: what must look like chance, and whether it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from bench.pages import INK, Section
from bench.report.dots import PLAIN, Dot, Scale, dot_plot
from bench.report.groups import Group
from bench.report.marks import Mark
from bench.report.prose import between, figure, reading
from bench.results import FLOORS, Row
from bench.statistics import LEAST_UNITS
from bench.tables import refusal

CHANCE = Scale(-0.02, 1.02, PLAIN, {"chance": 0.5})


def controls_section(group: Group, marks: Mapping[str, Mark]) -> Section:
    """The blind control, and every membership attack on the two models that never saw a member."""
    body = reading(
        "Three things must look like chance, an AUC of 0.5: a classifier that sees no model at all (the "
        "blind control), and every attack on the base model and on the reference, which never saw a member.",
        "concepts.md",
        "Attacks",
    )
    panels = [("the blind control, text alone", _plot(group, [_blind(group.rows[0])], "blind control"))]
    lines = [_blind_line(group.rows[0])]
    for floor in FLOORS:
        rows = [
            row
            for row in group.rows
            if row.defense == floor and row.unit == "record" and row.extraction is None
        ]
        if rows:
            dots = [_dot(row, marks[floor]) for row in rows]
            panels.append((f"attacks on records, {floor} model", _plot(group, dots, floor)))
            lines.append(_floor_line(floor, rows))
    return Section(f"{group.name}-controls", "Controls", body + figure(panels, " ".join(lines)))


def _plot(group: Group, dots: Sequence[Dot], what: str) -> Markup:
    return dot_plot(dots, CHANCE, f"AUC of the {what}, {group.title}", "95 % intervals; 0.5 is chance.")


def _blind(row: Row) -> Dot:
    blind = row.blind
    if blind.auc is None:
        needs = f"n/a (needs >= {LEAST_UNITS} units on either side)"
        return Dot("words and characters", None, "", Mark(INK, "o"), missing=needs)
    shown = f" ({between(blind.auc_ci)})" if blind.auc_ci else ""
    judged = f"{blind.n_members} members, {blind.n_nonmembers} non-members"
    tip = f"blind control\nAUC {blind.auc:.2f}{shown}\n{judged}"
    return Dot("words and characters", blind.auc, tip, Mark(INK, "o"), blind.auc_ci)


def _blind_line(row: Row) -> str:
    if row.blind.auc is None:
        return "The blind control could not be computed, so that nothing vouches for the split."
    if row.blind.auc_ci is None:
        return (
            f"The blind control has an AUC of {row.blind.auc:.2f}, but no interval for want of people, so "
            "that nothing vouches for the split."
        )
    verdict = "text alone tells members from non-members" if row.blind.shifted else "as it should be"
    return f"The blind control has an AUC of {row.blind.auc:.2f} ({between(row.blind.auc_ci)}): {verdict}."


def _dot(row: Row, mark: Mark) -> Dot:
    if row.auc is None:
        return Dot(row.attack_spec, None, "", mark, missing=refusal(row, "auc"))
    ends = between(row.auc_ci) if row.auc_ci else refusal(row, "auc_ci")
    tip = f"{row.spec} under {row.attack_spec}\nAUC {row.auc:.2f} ({ends})"
    return Dot(row.attack_spec, row.auc, tip, mark, row.auc_ci)


def _floor_line(floor: str, rows: Sequence[Row]) -> str:
    known = [row.auc_ci for row in rows if row.auc_ci]
    hold = sum(low <= 0.5 <= high for low, high in known)
    if not known:
        return f"No attack on the {floor} model has an interval."
    return f"On the {floor} model, {hold} of {len(known)} intervals hold 0.5; of 20 true ones about 19 do."

"""ROC curves from the scores that cells keep, and never finer than the non-members allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup

from bench.attack import Knowledge
from bench.pages import Section
from bench.report.groups import Group
from bench.report.marks import Mark
from bench.report.prose import between, bullets, figure, listed, paragraph, reading
from bench.report.roc_plot import Curve, roc_plot
from bench.results import FLOORS, CellFile, MembershipEvidence, Row
from bench.statistics import Floats


def roc_section(group: Group, marks: Mapping[str, Mark]) -> Section:
    """A panel for each level's strongest attack, and behind a fold one for each other attack on records."""
    body = reading(
        "How many members an attack finds (up) for each non-member that it takes for one (right), both on "
        "log axes, since what counts is to be sure of a few. On the dashed line it guesses. Where there are "
        "fewer than one in n non-members, on the shaded side, nothing is known and nothing is drawn.",
        "statistics.md",
        "Figures",
    )
    found = _attacks(group)
    if not found:
        body += paragraph("No membership attack on records has scores for both sides: n/a.")
        return Section(f"{group.name}-roc", "Who can tell members", body)
    first = [_strongest(group, level, found) for level in group.levels]
    shown = [attack for attack in dict.fromkeys(first) if attack is not None]
    body += figure([_panel(group, attack, marks) for attack in shown], _says(group, shown), kind="large")
    if others := [attack for attack in found if attack not in shown]:
        more = figure([_panel(group, attack, marks) for attack in others], _says(group, others), kind="large")
        body += Markup("<details>\n<summary>{} more attacks</summary>\n{}</details>\n").format(
            len(others), more
        )
    return Section(f"{group.name}-roc", "Who can tell members", body)


def _attacks(group: Group) -> dict[str, Knowledge]:
    """The membership attacks that have an AUC on records, by what their adversary has."""
    judged = [row for row in group.rows if row.unit == "record" and row.auc is not None]
    return {
        row.attack_spec: row.knowledge for level in group.levels for row in judged if row.knowledge == level
    }


def _strongest(group: Group, level: Knowledge, attacks: Mapping[str, Knowledge]) -> str | None:
    """Of those of a level the attack that gets most from all defenses together, on the calibration half."""
    own = [attack for attack, known in attacks.items() if known == level]

    def gets(attack: str) -> float:
        got = [
            row.leakage.calibration
            for row in group.rows
            if row.attack_spec == attack and row.unit == "record" and row.defense not in FLOORS
        ]
        known = [value for value in got if value is not None]
        return sum(known) / len(known) if known else -1.0

    return max(own, key=gets, default=None)


def _panel(group: Group, attack: str, marks: Mapping[str, Mark]) -> tuple[str, Markup]:
    rows = [row for row in group.rows if row.attack_spec == attack and row.unit == "record"]
    curves = [curve for row in rows if (curve := curve_of(row, group.cells, marks)) is not None]
    known = rows[0].knowledge
    drawn = roc_plot(
        curves,
        f"ROC curves under {attack}, {group.title}",
        "; ".join(curve.tip.replace("\n", ", ") for curve in curves),
    )
    return f"{attack} ({known})", drawn


def _says(group: Group, attacks: Sequence[str]) -> Markup:
    """Of each attack, who is found best and whose AUC cannot be told from chance."""
    sentences = []
    for attack in attacks:
        rows = [
            row
            for row in group.rows
            if row.attack_spec == attack and row.unit == "record" and row.auc_ci and row.defense not in FLOORS
        ]
        chance = [row.spec for row in rows if row.auc_ci and row.auc_ci[0] <= 0.5 <= row.auc_ci[1]]
        told = f"the 95 % interval of its AUC holds 0.5, which is chance, on {listed(chance, 'no defense')}"
        if rows:
            sentences.append(Markup("<strong>{}</strong>: {}.").format(attack, told))
    return bullets(sentences)


def curve_of(row: Row, cells: Sequence[CellFile], marks: Mapping[str, Mark]) -> Curve | None:
    """A row's curve, the mean over its seeds; None where a side has no finite score."""
    found = [
        rates
        for cell in cells
        if (cell.spec, cell.attack_spec) == (row.spec, row.attack_spec)
        and isinstance(cell.evidence, MembershipEvidence)
        and (rates := true_positive_rates(cell.evidence, cell.audited.member)) is not None
    ]
    if not found or row.auc is None or len({rates.size for rates in found}) > 1:
        return None
    ends = f" ({between(row.auc_ci)})" if row.auc_ci else ""
    judged = f"{row.n_members} members, {row.n_nonmembers} non-members"
    tip = f"{row.spec}\n{row.attack_spec}: AUC {row.auc:.2f}{ends}\n{judged}"
    return Curve(
        name=row.spec,
        rates=tuple(float(rate) for rate in np.mean(found, axis=0)),
        members=row.n_members,
        mark=marks[row.defense],
        tip=tip,
    )


def true_positive_rates(evidence: MembershipEvidence, member: Sequence[bool]) -> Floats | None:
    """(n + 1,): the highest true positive rate with at most k of n non-members above the threshold, by k.

    None where a side has no finite score. Scores of one value fall on one side of a threshold together.
    """
    scores = np.array(evidence.records, dtype=np.float64)
    inside = np.array(member, dtype=bool)
    ahead = scores[inside & np.isfinite(scores)]
    behind = np.sort(scores[~inside & np.isfinite(scores)])
    if not ahead.size or not behind.size:
        return None
    # With k allowed above it, the threshold is the non-member that comes after those k, at last none.
    thresholds = np.concatenate([behind[::-1], [-np.inf]])
    return np.array([np.mean(ahead > threshold) for threshold in thresholds])

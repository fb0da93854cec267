"""ROC curves from the scores that cells keep, and never finer than the non-members allow.

All is of the half of the records that no attack was chosen on (the evaluation half): on the other one the
strongest attack is partly the luckiest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from markupsafe import Markup

from bench.attack import Knowledge
from bench.evaluation.columns import Bools, calibration_half
from bench.pages import Section
from bench.ranking import comparable
from bench.report.groups import Group
from bench.report.marks import Mark
from bench.report.prose import Ends, between, bullets, figure, listed, paragraph, reading
from bench.report.roc_plot import Curve, roc_plot
from bench.results import FLOORS, CellFile, MembershipEvidence, Row
from bench.statistics import Floats
from bench.tables import refusal


def roc_section(group: Group, marks: Mapping[str, Mark]) -> Section:
    """A panel for each level's strongest attack, and behind a fold one for each other attack on records."""
    body = reading(
        "How many members an attack finds (up) for each non-member that it takes for one (right), both on "
        "log axes, since what counts is to be sure of a few. On the dashed line it guesses. Where there are "
        "fewer than one in n non-members, on the shaded side, nothing is known and nothing is drawn. Of the "
        "half of the records that no attack was chosen on.",
        "statistics.md",
        "Figures",
    )
    found = _attacks(group)
    if not found:
        body += paragraph("No membership attack on records has scores for both sides: n/a.")
        return Section(f"{group.name}-roc", "Who can tell members", body)
    first = [_strongest(group, level, found) for level in group.levels]
    shown = [attack for attack in dict.fromkeys(first) if attack is not None]
    if shown:
        body += _panels(group, shown, marks)
    if others := [attack for attack in found if attack not in shown]:
        more = "1 more attack" if len(others) == 1 else f"{len(others)} more attacks"
        body += Markup("<details>\n<summary>{}</summary>\n{}</details>\n").format(
            more, _panels(group, others, marks)
        )
    return Section(f"{group.name}-roc", "Who can tell members", body)


def _attacks(group: Group) -> dict[str, Knowledge]:
    """The membership attacks that have an AUC on records, by what their adversary has."""
    judged = [row for row in group.rows if row.unit == "record" and row.auc is not None]
    return {
        row.attack_spec: row.knowledge for level in group.levels for row in judged if row.knowledge == level
    }


def _strongest(group: Group, level: Knowledge, attacks: Mapping[str, Knowledge]) -> str | None:
    """Of those of a level the attack that gets most from all defenses together, on the calibration half.

    Only of those that all defenses were put to: elsewhere it would be chosen by whom it was put to.
    """
    rows = [row for row in comparable(group.rows) if row.unit == "record" and row.defense not in FLOORS]
    own = [attack for attack, known in attacks.items() if known == level]

    def gets(attack: str) -> float:
        got = [row.leakage.calibration for row in rows if row.attack_spec == attack]
        known = [value for value in got if value is not None]
        return sum(known) / len(known) if known else -1.0

    return max((one for one in own if any(row.attack_spec == one for row in rows)), key=gets, default=None)


def _rows(group: Group, attack: str) -> list[Row]:
    return [row for row in group.rows if row.attack_spec == attack and row.unit == "record"]


def _panels(group: Group, attacks: Sequence[str], marks: Mapping[str, Mark]) -> Markup:
    panels, lines = [], []
    for attack in attacks:
        rows = _rows(group, attack)
        curves = [curve for row in rows if (curve := curve_of(row, group.cells, marks)) is not None]
        drawn = {curve.name for curve in curves}
        panels.append((f"{attack} ({rows[0].knowledge})", _panel(group, attack, curves)))
        lines += [_says(attack, rows), *_undrawn(attack, [row for row in rows if row.spec not in drawn])]
    return figure(panels, bullets(lines), kind="large")


def _panel(group: Group, attack: str, curves: Sequence[Curve]) -> Markup:
    if not curves:
        return paragraph("No model has finite scores of members and of non-members in this half: n/a.")
    return roc_plot(
        curves,
        f"ROC curves under {attack}, {group.title}",
        "; ".join(curve.tip.replace("\n", ", ") for curve in curves),
    )


def _undrawn(attack: str, rows: Sequence[Row]) -> list[Markup]:
    """Who has no curve, and why."""
    whys: dict[str, list[str]] = {}
    for row in rows:
        lacking = "for want of finite scores of members and of non-members in this half, in every seed"
        why = refusal(row, "auc") if row.auc is None else lacking
        whys.setdefault(why, []).append(row.spec)
    told = Markup("<strong>{}</strong>: no curve of {}; {}.")
    return [told.format(attack, listed(specs), why) for why, specs in whys.items()]


def _says(attack: str, rows: Sequence[Row]) -> Markup:
    """Of each model where the interval of its AUC lies to 0.5, which is chance."""
    ends = {row.spec: auc_of(row)[1] for row in rows if row.defense not in FLOORS}
    lies: dict[str, Callable[[Ends | None], bool]] = {
        "above 0.5, which is chance": lambda ends: ends is not None and ends[0] > 0.5,
        "not to be told from 0.5": lambda ends: ends is not None and ends[0] <= 0.5 <= ends[1],
        "below 0.5": lambda ends: ends is not None and ends[1] < 0.5,
        "without an interval, so that it may be chance": lambda ends: ends is None,
    }
    found = {where: [spec for spec, one in ends.items() if holds(one)] for where, holds in lies.items()}
    told = "; ".join(f"{where}: {listed(specs)}" for where, specs in found.items() if specs)
    return Markup("<strong>{}</strong>, AUC with its 95 % interval {}.").format(
        attack, told or "of no model but the floors"
    )


def auc_of(row: Row) -> tuple[float | None, Ends | None]:
    """A membership row's AUC on the evaluation half, and its interval: what leaks there is 2 AUC - 1."""
    leak, ends = row.leakage.evaluation, row.leakage.evaluation_ci
    shown = None if ends is None else ((1 + ends[0]) / 2, (1 + ends[1]) / 2)
    return (None, None) if leak is None else ((1 + leak) / 2, shown)


def curve_of(row: Row, cells: Sequence[CellFile], marks: Mapping[str, Mark]) -> Curve | None:
    """A row's curve on the evaluation half, the mean over its seeds at as many points as all of them have.

    None where a side of a seed has no finite score.
    """
    own = [
        (cell.evidence, np.array(cell.audited.member, dtype=bool), ~calibration_half(cell.audited))
        for cell in cells
        if (cell.spec, cell.attack_spec) == (row.spec, row.attack_spec)
        and isinstance(cell.evidence, MembershipEvidence)
    ]
    rates = [found for one in own if (found := true_positive_rates(*one)) is not None]
    if not own or len(rates) < len(own):
        return None
    sizes = [_finite(evidence) & held for evidence, _, held in own]
    members = [int((kept & member).sum()) for kept, (_, member, _) in zip(sizes, own, strict=True)]
    outside = [found.size - 1 for found in rates]
    area, ends = auc_of(row)
    shown = "n/a" if area is None else f"{area:.2f}" + (f" ({between(ends)})" if ends else "")
    judged = f"{_most(members)} members, {_most(outside)} non-members of the evaluation half"
    return Curve(
        name=row.spec,
        rates=mean_rates(rates),
        members=max(members),
        mark=marks[row.defense],
        tip=f"{row.spec}\n{row.attack_spec}: AUC {shown}\n{judged}",
        seeds=len(rates),
    )


def _most(counts: Sequence[int]) -> str:
    """A count that seeds may not agree in."""
    return str(counts[0]) if len(set(counts)) == 1 else f"{min(counts)} to {max(counts)}"


def mean_rates(rates: Sequence[Floats]) -> tuple[float, ...]:
    """The mean of curves with different numbers of non-members, at 0, 1, ... n of the least number.

    A curve of more has at k/n the rate of as many of its own as are no greater a share.
    """
    least = min(found.size - 1 for found in rates)
    shares = np.arange(least + 1)
    aligned = [found[shares * (found.size - 1) // least] for found in rates]
    return tuple(float(rate) for rate in np.mean(aligned, axis=0))


def _finite(evidence: MembershipEvidence) -> Bools:
    return np.isfinite(np.array(evidence.records, dtype=np.float64))


def true_positive_rates(evidence: MembershipEvidence, member: Bools, held: Bools) -> Floats | None:
    """(n + 1,): the highest true positive rate with at most k of n non-members above the threshold, by k.

    member, held: (records,) who was trained on, and who is looked at. None where a side has no finite
    score. Scores of one value fall on one side of a threshold together.
    """
    scores, kept = np.array(evidence.records, dtype=np.float64), _finite(evidence) & held
    ahead, behind = scores[kept & member], np.sort(scores[kept & ~member])
    if not ahead.size or not behind.size:
        return None
    # With k allowed above it, the threshold is the non-member that comes after those k, at last none.
    thresholds = np.concatenate([behind[::-1], [-np.inf]])
    return np.array([np.mean(ahead > threshold) for threshold in thresholds])

"""The leaderboard: one line a defense, then one line for each attack on each."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from bench.pages import Section, as_table
from bench.rendering import flag_notes
from bench.report.groups import Group
from bench.report.prose import between, bullets, paragraph, reading, span
from bench.results import Row
from bench.tables import defense_table, number, percent, refusal

REFUSED_BY_ALL = "{} is left out of this table: {}."


def leaderboard_section(group: Group) -> Section:
    """Every defense, what is flagged of it, and every attack on it."""
    body = reading(
        "One line a defense. Press a heading to sort by it; ★ frontier, ≈ not to be told apart from the "
        "best of its column, ▼ predicts the holdout worse than the reference.",
        "concepts.md",
        "Figures",
    )
    headings, lines = defense_table(group.rows, group.level)
    body += as_table(f"{group.name}-defenses", f"Defenses: {group.title}", headings, lines, search=True)
    body += _notes(group.rows)
    body += _attacks(group)
    return Section(f"{group.name}-leaderboard", "Leaderboard", body)


def _notes(rows: Sequence[Row]) -> Markup:
    """What the flags say, and of whom."""
    notes = flag_notes([(row.spec, row.flags) for row in rows])
    return bullets(Markup("<code>{}</code> {}").format(flag, note) for flag, note in notes.items())


def _attacks(group: Group) -> Markup:
    """One line an attack on a defense, on records or on spans."""
    rates = sorted({fpr for row in group.rows for fpr in row.tpr_at_fpr}, key=float, reverse=True)
    refused = {fpr: _refused_by_all(group.rows, f"tpr_at_fpr.{fpr}", fpr) for fpr in rates}
    shown = [fpr for fpr in rates if refused[fpr] is None]
    headings = ["defense", "attack", "adversary has", "on", "leak (95 % interval)", "AUC (95 % interval)"]
    headings += [f"TPR at {100 * float(fpr):g} % FPR" for fpr in shown]
    headings += ["extracted", "ε at least", "n", "no score"]
    lines = [_line(row, shown) for row in group.rows]
    notes = [
        paragraph(REFUSED_BY_ALL, f"TPR at {100 * float(fpr):g} % FPR", why, kind="note")
        for fpr, why in refused.items()
        if why is not None
    ]
    filters = ("defense", "attack", "adversary has", "on")
    table = as_table(
        f"{group.name}-attacks", f"Every attack: {group.title}", headings, lines, filters=filters, search=True
    )
    return table + Markup("").join(notes)


def _refused_by_all(rows: Sequence[Row], figure: str, fpr: str) -> str | None:
    """Why no row has a figure, None where one has."""
    judged = [row for row in rows if row.auc is not None]
    if any(row.tpr_at_fpr[fpr] is not None for row in judged) or not judged:
        return None
    return refusal(judged[0], figure)


def _line(row: Row, rates: Sequence[str]) -> list[str]:
    membership = row.extraction is None
    leak, ends = row.leakage.evaluation, row.leakage.evaluation_ci
    line = [row.spec, row.attack_spec, row.knowledge, f"{row.unit}s"]
    line.append("n/a" if leak is None else span(leak, ends))
    line.append(_auc(row) if membership else "")
    line += [
        percent(row.tpr_at_fpr.get(fpr), 1, refusal(row, f"tpr_at_fpr.{fpr}")) if membership else ""
        for fpr in rates
    ]
    rate = None if row.extraction is None else row.extraction.not_in_prefix.rate
    line.append("" if membership else percent(rate, 1, refusal(row, "extraction.not_in_prefix.rate")))
    line.append(number(row.epsilon_lower_bound, 2, ""))
    count = (
        row.n_members + row.n_nonmembers if row.extraction is None else row.extraction.not_in_prefix.n_spans
    )
    return [*line, str(count), str(row.n_excluded)]


def _auc(row: Row) -> str:
    if row.auc is None:
        return refusal(row, "auc")
    return f"{row.auc:.2f} ({between(row.auc_ci) if row.auc_ci else refusal(row, 'auc_ci')})"

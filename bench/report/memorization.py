"""What is left of the members' personal information in each model, by label."""

from __future__ import annotations

from collections.abc import Mapping

from bench.pages import Section, as_table
from bench.report.dots import PLAIN, Dot, dot_plot, scale_of
from bench.report.groups import Group
from bench.report.marks import Mark
from bench.report.prose import Ends, between, figure, listed, paragraph, reading
from bench.results import Row, RowMemorization, TokensTRA
from bench.tables import by_spec, memorization_table, number, percent, rarity_table

ZERO = {"as a model that never saw them": 0.0}


def memorization_section(group: Group, marks: Mapping[str, Mark]) -> Section:
    """Mean TRA of identifiers, and of each label's tokens, one panel each."""
    body = reading(
        "How much better a model knows the members' tokens than one that learned the task from other "
        "records does, in nats a token (TRA). At 0 it knows no more of them; 1 nat makes a token 2.7 "
        "times as likely. Bars are 95 % intervals, given for all labels together.",
        "concepts.md",
        "Memorization",
    )
    kept = [(own[0], own[0].memorization) for own in by_spec(group.rows)]
    known = [(row, found) for row, found in kept if found is not None]
    # The base model has not learned the task: far below 0, and told of in the table alone.
    drawn = [(row, found) for row, found in known if row.defense != "base"]
    if not drawn:
        body += paragraph("Not measured: it needs the auditor's reference; add --attack tra.")
        return Section(f"{group.name}-memorization", "What is memorized", body)
    labels = sorted({label for _, found in drawn for label in found.by_label})
    values = [found.tra_pii for _, found in drawn]
    values += [end for _, found in drawn for end in found.tra_pii_ci or ()]
    values += [part.tra for _, found in drawn for part in found.by_label.values()]
    scale = scale_of(values, PLAIN, ZERO)
    whole = [_whole(row, found, marks[row.defense]) for row, found in drawn]
    panels = [("all personal information, nats a token", dot_plot(whole, scale, *_told(group, "all")))]
    for label in labels:
        dots = [_part(row, found.by_label.get(label), marks[row.defense]) for row, found in drawn]
        count = max(found.by_label[label].n_tokens for _, found in drawn if label in found.by_label)
        panels.append(
            (f"{label}, nats a token ({count} tokens)", dot_plot(dots, scale, *_told(group, label)))
        )
    body += figure(panels, _says(drawn))
    for name, caption, (headings, lines) in (
        ("memorization", "Mean TRA in nats", memorization_table(group.rows)),
        (
            "rarity",
            "Mean TRA in nats, by how often a token occurs in the complement",
            rarity_table(group.rows),
        ),
    ):
        body += as_table(f"{group.name}-{name}-figures", caption, headings, lines)
    return Section(f"{group.name}-memorization", "What is memorized", body)


def _told(group: Group, label: str) -> tuple[str, str]:
    return f"Memorization of {label}, {group.title}", "The same figures stand in the table below."


def _whole(row: Row, kept: RowMemorization, mark: Mark) -> Dot:
    ends: Ends | None = kept.tra_pii_ci
    shown = f" ({between(ends)})" if ends else ""
    lines = [
        row.spec,
        f"mean TRA {number(kept.tra_pii, 2)} nats{shown}",
        f"{percent(kept.remaining_pii)} of the undefended run's",
        f"{percent(kept.share_above_1_nat, 1)} of {kept.n_pii_tokens} tokens above 1 nat",
    ]
    return Dot(row.spec, kept.tra_pii, "\n".join(lines), mark, ends)


def _part(row: Row, part: TokensTRA | None, mark: Mark) -> Dot:
    if part is None:
        return Dot(row.spec, None, "", mark, missing="n/a (no such tokens)")
    lines = [
        row.spec,
        f"mean TRA {number(part.tra, 2)} nats of {part.n_tokens} tokens",
        f"one in ten above {number(part.q90, 2)}, one in a hundred above {number(part.q99, 2)}",
        f"{percent(part.share_above_1_nat, 1)} above 1 nat",
    ]
    return Dot(row.spec, part.tra, "\n".join(lines), mark)


def _says(drawn: list[tuple[Row, RowMemorization]]) -> str:
    """Who holds most, and in whom nothing can be told from nothing."""
    known = [(found.tra_pii, row.spec) for row, found in drawn if found.tra_pii is not None]
    if not known:
        return "No model's memorization could be measured: n/a."
    held, most = max(known, key=lambda one: one[0])
    nothing = [
        row.spec for row, one in drawn if one.tra_pii_ci and one.tra_pii_ci[0] <= 0 <= one.tra_pii_ci[1]
    ]
    told = f"{most} holds most, {number(held, 2)} nats a token"
    rest = f"; 0 lies in the interval of {listed(nothing)}" if nothing else ""
    return f"{told}{rest}. The base model has not learned the task, so it is in the table only."

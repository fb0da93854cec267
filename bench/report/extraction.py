"""What can be had from a model word for word, always beside what a model gives that never saw it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup

from bench.extraction_tables import extraction_by_label_table, extraction_table, sampling_table
from bench.pages import Section, as_table
from bench.report.dots import SHARES, Dot, dot_plot
from bench.report.groups import Group
from bench.report.marks import Mark
from bench.report.prose import between, figure, listed, paragraph, reading, span
from bench.results import FLOORS, Extraction, Rates, Row
from bench.tables import refusal

Chosen = Callable[[Extraction], Rates | None]


def extraction_section(group: Group, marks: Mapping[str, Mark]) -> Section:
    """Greedily, by sampling, and by label; each beside its floors."""
    body = reading(
        "Of the members' spans, how many an adversary gets exactly who has the text before them, and where "
        "that text does not hold them already. The upright stroke is what the reference model gives away "
        "that never saw them: only what lies beyond it was memorized.",
        "concepts.md",
        "Attacks",
    )
    rows = [row for row in group.rows if row.extraction is not None and row.unit == "span"]
    if not rows:
        body += paragraph("No extraction of spans was run; add --attack extraction.")
    for attack in dict.fromkeys(row.attack_spec for row in rows):
        own = [row for row in rows if row.attack_spec == attack]
        body += figure(_panels(group, own, marks), _says(own))
    filters = ("defense", "of")
    for name, caption, table, chosen in (
        ("extraction", "Extraction, by what could be a cue", extraction_table(group.rows), filters),
        (
            "by-label",
            "Extraction by label: rate / the reference model's",
            extraction_by_label_table(group.rows),
            (),
        ),
        (
            "sampling",
            "Extraction by sampling: chance / the reference model's",
            sampling_table(group.rows),
            (),
        ),
    ):
        if table[1]:
            body += as_table(f"{group.name}-{name}-figures", caption, *table, filters=chosen)
    return Section(f"{group.name}-extraction", "What can be extracted", body)


def _panels(group: Group, rows: Sequence[Row], marks: Mapping[str, Mark]) -> list[tuple[str, Markup]]:
    found = [row.extraction for row in rows if row.extraction is not None]
    labels = sorted({label for one in found for label in one.by_label})
    most = max((name for one in found for name in one.sampled), key=int, default=None)
    attack = rows[0].attack_spec
    chosen: list[tuple[str, str, Chosen]] = [
        (f"{attack}: spans not in the text before them", "not_in_prefix.rate", lambda one: one.not_in_prefix)
    ]
    if most is not None:
        chosen.append((f"{attack}: the same, within {most} samples", f"sampled.{most}.rate", _sampled(most)))
    chosen += [
        (f"{attack}: all {label} spans", f"by_label.{label}.rate", _labelled(label)) for label in labels
    ]
    panels = []
    for title, name, pick in chosen:
        dots = [_dot(row, pick, f"extraction.{name}", marks[row.defense]) for row in rows]
        told = f"{title}, {group.title}", "The same figures stand in the tables below."
        alike = {dot.missing if dot.value is None else None for dot in dots}
        (refused,) = alike if len(alike) == 1 else (None,)
        panels.append((title, paragraph("{}", refused) if refused else dot_plot(dots, SHARES, *told)))
    return panels


def _sampled(tries: str) -> Chosen:
    return lambda one: one.sampled.get(tries)


def _labelled(label: str) -> Chosen:
    return lambda one: one.by_label.get(label)


def _dot(row: Row, pick: Chosen, figure: str, mark: Mark) -> Dot:
    rates = None if row.extraction is None else pick(row.extraction)
    if rates is None or rates.rate is None:
        return Dot(row.spec, None, "", mark, missing=refusal(row, figure))
    lines = [f"{row.spec}", f"extracted {span(rates.rate, rates.rate_ci, 1)} of {rates.n_spans} spans"]
    if rates.reference_rate is not None:
        lines.append(f"reference {span(rates.reference_rate, None, 1)}")
    if rates.base_rate is not None:
        lines.append(f"base {span(rates.base_rate, None, 1)}")
    if rates.above_reference is not None and rates.above_reference_ci is not None:
        lines.append(f"above the reference by {between(rates.above_reference_ci, 100, 1)} points")
    against = {"reference": rates.reference_rate}
    return Dot(row.spec, rates.rate, "\n".join(lines), mark, rates.rate_ci, against=against)


def _says(rows: Sequence[Row]) -> str:
    """From whom more is extracted than from the reference, for sure."""
    judged = [
        (row.spec, row.extraction.not_in_prefix.above_reference_ci)
        for row in rows
        if row.extraction is not None and row.defense not in FLOORS
    ]
    known = [(spec, ends) for spec, ends in judged if ends is not None]
    above = [spec for spec, ends in known if ends[0] > 0]
    level = [spec for spec, ends in known if ends[0] <= 0]
    if not known:
        return "Whether any of it lies above the reference cannot be told: n/a (no interval)."
    told = f"More than from the reference (95 % interval of the difference, span by span): {listed(above)}."
    return f"{told} Not to be told from it: {listed(level)}."

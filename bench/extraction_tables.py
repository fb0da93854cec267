"""What was extracted, as tables of text: beside the floors, by cue, by label and by sampling."""

from __future__ import annotations

from collections.abc import Sequence

from bench.results import Row
from bench.tables import Table, percent, refusal


def extraction_table(rows: Sequence[Row]) -> Table:
    """One line a defense, extraction attack and subset: the rate beside those of the floors."""
    headers = ["defense", "attack", "of", "n", "rate (95 % interval)", "base", "reference"]
    headers += ["above reference (95 % interval)"]
    body = []
    for row in rows:
        if (got := row.extraction) is None:
            continue
        subsets = (
            ("all", "rate", got),
            ("not in prefix", "not_in_prefix.rate", got.not_in_prefix),
            ("first mention", "first_mention.rate", got.first_mention),
            ("base fails", "base_fails.rate", got.base_fails),
            ("all three", "without_cue.rate", got.without_cue),
        )
        for title, name, rates in subsets:
            refused = refusal(row, f"extraction.{name}")
            body.append(
                [
                    row.spec,
                    f"{row.attack_spec} ({row.knowledge})",
                    title if row.unit == "span" else f"{row.unit}s",
                    str(rates.n_spans),
                    _with_ends(rates.rate, rates.rate_ci, refused),
                    percent(rates.base_rate, 1),
                    percent(rates.reference_rate, 1),
                    _with_ends(rates.above_reference, rates.above_reference_ci, "n/a"),
                ]
            )
            if row.unit == "record":
                break
    return headers, body


def extraction_by_label_table(rows: Sequence[Row]) -> Table:
    """One line a defense and extraction attack on spans, one column a label: rate, reference's, n."""
    judged = [row for row in rows if row.extraction is not None and row.unit == "span"]
    labels = sorted({label for row in judged if row.extraction for label in row.extraction.by_label})
    body = []
    for row in judged:
        by_label = row.extraction.by_label if row.extraction else {}
        parts = [by_label.get(label) for label in labels]
        body.append(
            [
                row.spec,
                row.attack_spec,
                *(
                    ""
                    if part is None
                    else f"{percent(part.rate, 1, refusal(row, f'extraction.by_label.{label}.rate'))}"
                    + (
                        f" / {percent(part.reference_rate, 1)} of {part.n_spans}"
                        if part.rate is not None
                        else ""
                    )
                    for label, part in zip(labels, parts, strict=True)
                ),
            ]
        )
    return ["defense", "attack", *labels], body


def sampling_table(rows: Sequence[Row]) -> Table:
    """One line a defense and extraction attack, one column a number of tries: the chance that one is right.

    Of passages whose value does not stand before them; beside it the reference model's.
    """
    judged = [(row, row.extraction) for row in rows if row.extraction is not None and row.extraction.sampled]
    tries = list(dict.fromkeys(name for _, got in judged for name in got.sampled))
    body = []
    for row, got in judged:
        parts = [(name, got.sampled[name]) for name in tries if name in got.sampled]
        shown = [
            _with_ends(part.rate, part.rate_ci, refusal(row, f"extraction.sampled.{name}.rate"))
            + ("" if part.rate is None else f" / {percent(part.reference_rate, 1)}")
            for name, part in parts
        ]
        body.append([row.spec, row.attack_spec, *shown])
    return ["defense", "attack", *(f"{name} {'try' if name == '1' else 'tries'}" for name in tries)], body


def _with_ends(value: float | None, ends: tuple[float, float] | None, missing: str) -> str:
    if value is None:
        return missing
    return percent(value, 1) + (
        f" ({percent(ends[0], 1)[:-2]} to {percent(ends[1], 1)[:-2]})" if ends else ""
    )

"""The leaderboard as text: Markdown, CSV, JSON, and a summary for the terminal."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from tabulate import tabulate

from bench.extraction_tables import extraction_by_label_table, extraction_table, sampling_table
from bench.results import Leaderboard, Row
from bench.store import to_json
from bench.tables import (
    Table,
    auc_table,
    cost_table,
    defense_table,
    memorization_table,
    privacy_notes,
    privacy_table,
    rarity_table,
    strongest_table,
    tpr_table,
)

LEGEND = """\
**Gain kept**: share of what undefended fine-tuning, at its validation minimum, gains on the holdout
over the base model. **Leak**: what the strongest attack gets for an adversary who knows that much or
less (95 % interval), chosen on one half of the records and read off the other; 100 % is everything. The
two floors never saw a member: what leaks from them is chance. **Memorized**: mean TRA on the members'
personal information, against the undefended run's. **Extracted**: spans reproduced exactly from the text
before them, where that does not hold them already; the floor is the same for the reference model.
★ marks the frontier: no other defense keeps as much and leaks as little (to the level `{level}`). ≈ marks
the best of its column and what cannot be told apart from it on the same records. ▼ marks a defense that
predicts the holdout worse than the reference, which never saw the members' records.
"""

FLAGS = {
    "below-reference": "holdout loss above the reference's, record by record (95 %)",
    "distribution-shift": "text alone tells members from non-members: membership figures mean nothing",
    "no-interval": "too few people for an interval of the leak (needs 40 on either side): it may be chance",
    "record-level": "the privacy guarantee is for one record, and groups have several (dp-sgd:unit=group)",
    "trained-on-both-halves": "the complement was trained on as well",
    "no-undefended-run": "nothing to measure the gain kept against; add --defense none",
    "no-auditor-reference": "nothing to measure memorization with; add --attack tra",
    "spans-lost-by-truncation": "some spans lie beyond the tokens that are kept; raise --max-length",
}


def as_json(board: Leaderboard) -> str:
    """The leaderboard file."""
    return to_json(board.model_dump(mode="json", by_alias=True))


def as_csv(board: Leaderboard) -> str:
    """One line a row, nested names joined by dots; what is nested by label or listed is left to the JSON."""
    flat = [dict(_flattened(row.model_dump(mode="json"))) for row in board.rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def _flattened(value: dict[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, inner in value.items():
        if isinstance(inner, dict) and name in {"params", "attack_params"}:
            yield prefix + name, " ".join(f"{key}={item}" for key, item in inner.items())
        elif isinstance(inner, dict) and name != "by_label":
            yield from _flattened(inner, f"{prefix}{name}.")
        elif isinstance(inner, list):
            yield prefix + name, " ".join(str(item) for item in inner)
        elif not isinstance(inner, dict):
            yield prefix + name, inner


def as_markdown(board: Leaderboard) -> str:
    """The page that people publish: for every dataset and model, the defenses, the attacks, the cost."""
    parts = ["# Leaderboard\n", LEGEND.format(level=board.level)]
    for (dataset, model, tuning, setting), rows in _groups(board):
        parts.append(f"## {dataset} · {model} · {tuning} fine-tuning\n")
        parts.append(_shift(rows))
        parts.append(_about(rows, setting))
        parts.append(_github(defense_table(rows, board.level)))
        parts.append(_notes(rows))
        parts.append("### Strongest attack, by what the adversary has\n")
        parts.append(_github(strongest_table(rows)))
        parts.append("### Attacks on records: AUC (95 % interval)\n")
        parts.append(_github(auc_table(rows, "record")))
        for fpr in sorted(rows[0].tpr_at_fpr, key=float, reverse=True):
            parts.append(f"### Attacks on records: TPR at {100 * float(fpr):g} % FPR\n")
            parts.append(_github(tpr_table(rows, fpr)))
        parts.append("### Attacks on spans: AUC (95 % interval)\n")
        parts.append(_github(auc_table(rows, "span")))
        parts.append("### Extraction\n")
        parts.append(_github(extraction_table(rows)))
        parts.append("### Extraction by label: rate / the reference model's\n")
        parts.append(_github(extraction_by_label_table(rows)))
        parts.append(
            "### Extraction by sampling, of what does not stand before it: chance / the reference model's\n"
        )
        parts.append(_github(sampling_table(rows)))
        parts.append("### Memorization: TRA in nats\n")
        parts.append(_github(memorization_table(rows)))
        parts.append("### Memorization by how often a token occurs in the complement\n")
        parts.append(_github(rarity_table(rows)))
        parts.append("### Privacy budget\n")
        parts.append(_github(privacy_table(rows)))
        parts.append("".join(f"- {note}\n" for note in privacy_notes(rows)))
        parts.append("### Cost\n")
        parts.append(_github(cost_table(rows)))
    return "\n".join(part for part in _without_empty(parts))


def as_terminal(board: Leaderboard) -> str:
    """The defenses of every dataset and model, one plain table each, and what the columns mean."""
    parts = []
    for (dataset, model, tuning, setting), rows in _groups(board):
        headers, body = defense_table(rows, board.level)
        aligned = ("left",) + ("right",) * (len(headers) - 1)
        headers = [header.replace(" ", "\n", 1) for header in headers]
        table = tabulate(body, headers, tablefmt="simple", disable_numparse=True, colalign=aligned)
        title = f"{dataset} · {model} · {tuning} fine-tuning\n{_shift(rows)}{_about(rows, setting)}"
        parts.append(f"{title}\n{table}\n\n{_notes(rows)}")
    return "\n".join([*parts, LEGEND.format(level=board.level)]).replace("**", "").replace("`", "")


def _groups(board: Leaderboard) -> list[tuple[tuple[str, str, str, str], list[Row]]]:
    grouped = itertools.groupby(board.rows, key=lambda row: (row.dataset, row.model, row.tuning, row.setting))
    return [(key, list(rows)) for key, rows in grouped]


def _without_empty(parts: Sequence[str]) -> list[str]:
    """Drop tables that hold nothing, with the headings above them."""
    return [
        part
        for part, following in itertools.zip_longest(parts, parts[1:], fillvalue="-")
        if part and not (part.startswith("### ") and not following)
    ]


def _github(table: Table | str) -> str:
    if isinstance(table, str):
        return f"{table}\n"
    headers, body = table
    if not body or len(headers) < 2:
        return ""
    aligned = ("left",) + ("right",) * (len(headers) - 1)
    body = [[cell.replace("|", "\\|") for cell in line] for line in [headers, *body]]
    return tabulate(body[1:], body[0], tablefmt="github", disable_numparse=True, colalign=aligned) + "\n"


def _shift(rows: Sequence[Row]) -> str:
    """What stands on top where text alone tells members from non-members."""
    if not any("distribution-shift" in row.flags for row in rows):
        return ""
    return (
        f"**distribution-shift: text alone tells members from non-members (blind AUC {_blind(rows[0])}). "
        "No membership figure here means anything.**\n"
    )


def _blind(row: Row) -> str:
    ends = row.blind.auc_ci
    shown = f" ({ends[0]:.2f}-{ends[1]:.2f})" if ends else ""
    return "n/a" if row.blind.auc is None else f"{row.blind.auc:.2f}{shown}"


def _about(rows: Sequence[Row], setting: str) -> str:
    records = [row for row in rows if row.unit == "record" and row.auc is not None]
    judged = f"{records[0].n_members} members and {records[0].n_nonmembers} non-members · " if records else ""
    seeds = ", ".join(str(seed) for seed in rows[0].seeds)
    blind = f"blind control AUC {_blind(rows[0])}"
    return f"{judged}{blind} · protocol {rows[0].protocol} · seeds {seeds} · setting `{setting}`\n"


def _notes(rows: Sequence[Row]) -> str:
    """What the flags say, and of whom."""
    notes = flag_notes([(row.spec, row.flags) for row in rows])
    return "".join(f"- `{flag}` {note}\n" for flag, note in notes.items())


def flag_notes(flagged: Sequence[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """By flag, in the order of `FLAGS`, who has it and what it says.

    flagged: names, which may occur more than once, and their flags.
    """
    names = list(dict.fromkeys(name for name, _ in flagged))
    notes = {}
    for flag, meaning in FLAGS.items():
        bearers = {name for name, flags in flagged if flag in flags}
        if bearers:
            whose = "all" if len(bearers) == len(names) else ", ".join(n for n in names if n in bearers)
            notes[flag] = f"({whose}): {meaning}"
    return notes

"""The leaderboard as text: Markdown, CSV, JSON, and a summary for the terminal."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from tabulate import tabulate

from bench.leaderboard import LEVELS, comparable, worst_leakage
from bench.results import Leaderboard, Row
from bench.statistics import nonmembers_needed
from bench.store import to_json

Table = tuple[list[str], list[list[str]]]

FPRS = ("0.01", "0.001")

LEGEND = """\
**Gain kept**: share of what undefended fine-tuning, at its validation minimum, gains on the holdout
over the base model. **Leak**: the most that any attack gets from an adversary who knows that much or
less, by attacks that all rows were put to; 100 % is everything. The two floors never saw a member: what
leaks from them is chance, and so is as much from any other. **Memorized**: mean TRA on the members'
personal information, against the undefended run's. **Extracted**: spans reproduced exactly from the text
before them, where that does not hold them already; the floor is the same for the reference model.
★ marks the frontier: no other defense keeps as much and leaks as little. ▼ marks a defense that falls
short of the reference, which never saw the members' records, by over 1 % of the gain.
"""

FLAGS = {
    "below-reference": "holdout loss above the reference's by over 1 % of the gain",
    "record-level": "the privacy guarantee is for one record, and groups have several",
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
    parts = ["# Leaderboard\n", LEGEND]
    for (dataset, model, tuning, setting), rows in _groups(board):
        parts.append(f"## {dataset} · {model} · {tuning} fine-tuning\n")
        parts.append(_about(rows, setting))
        parts.append(_github(defense_table(rows)))
        parts.append(_notes(rows))
        parts.append("### Attacks on records: AUC (95 % interval)\n")
        parts.append(_github(_auc_table(rows, "record")))
        for fpr in FPRS:
            parts.append(f"### Attacks on records: TPR at {100 * float(fpr):g} % FPR\n")
            parts.append(_tpr(rows, fpr))
        parts.append("### Attacks on spans: AUC (95 % interval)\n")
        parts.append(_github(_auc_table(rows, "span")))
        parts.append("### Extraction\n")
        parts.append(_github(_extraction_table(rows)))
        parts.append("### Memorization: TRA in nats\n")
        parts.append(_github(_memorization_table(rows)))
        parts.append("### Privacy budget\n")
        parts.append(_github(_privacy_table(rows)))
        parts.append("### Cost\n")
        parts.append(_github(_cost_table(rows)))
    return "\n".join(part for part in _without_empty(parts))


def as_terminal(board: Leaderboard) -> str:
    """The defenses of every dataset and model, one plain table each, and what the columns mean."""
    parts = []
    for (dataset, model, tuning, setting), rows in _groups(board):
        headers, body = defense_table(rows)
        aligned = ("left",) + ("right",) * (len(headers) - 1)
        headers = [header.replace(" ", "\n", 1) for header in headers]
        table = tabulate(body, headers, tablefmt="simple", disable_numparse=True, colalign=aligned)
        title = f"{dataset} · {model} · {tuning} fine-tuning\n{_about(rows, setting)}"
        parts.append(f"{title}\n{table}\n\n{_notes(rows)}")
    return "\n".join([*parts, LEGEND]).replace("**", "").replace("`", "")


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


def _github(table: Table) -> str:
    headers, body = table
    if not body or len(headers) < 2:
        return ""
    aligned = ("left",) + ("right",) * (len(headers) - 1)
    body = [[cell.replace("|", "\\|") for cell in line] for line in [headers, *body]]
    return tabulate(body[1:], body[0], tablefmt="github", disable_numparse=True, colalign=aligned) + "\n"


def _about(rows: Sequence[Row], setting: str) -> str:
    records = [row for row in rows if row.unit == "record" and row.auc is not None]
    judged = f"{records[0].n_members} members and {records[0].n_nonmembers} non-members · " if records else ""
    seeds = ", ".join(str(seed) for seed in rows[0].seeds)
    return f"{judged}protocol {rows[0].protocol} · seeds {seeds} · setting `{setting}`\n"


def _notes(rows: Sequence[Row]) -> str:
    """What the flags say, and of whom."""
    specs = list(dict.fromkeys(row.spec for row in rows))
    lines = []
    for flag, meaning in FLAGS.items():
        flagged = [spec for spec in specs if any(row.spec == spec and flag in row.flags for row in rows)]
        if flagged:
            whose = "all" if len(flagged) == len(specs) else ", ".join(flagged)
            lines.append(f"- `{flag}` ({whose}): {meaning}")
    return "\n".join(lines) + "\n" if lines else ""


def _by_spec(rows: Sequence[Row]) -> list[list[Row]]:
    specs = dict.fromkeys(row.spec for row in rows)
    return [[row for row in rows if row.spec == spec] for spec in specs]


def _marked(row: Row) -> str:
    below = " ▼" if "below-reference" in row.flags else ""
    return f"{row.spec}{' ★' if row.frontier else ''}{below}"


def defense_table(rows: Sequence[Row]) -> Table:
    """One line a defense: what it keeps, what it leaks at each level of knowledge, what is left in it.

    Columns that hold nothing for any of them are left out.
    """
    judged = comparable(rows)
    levels = [level for level in LEVELS if any(row.knowledge == level for row in judged)]
    headers = ["defense", "gain kept", "NLL", *(f"leak: {level}" for level in levels)]
    headers += ["memorized", "TRA > 1 nat", "extracted", "floor", "ε"]
    body = []
    for own in _by_spec(rows):
        row = own[0]
        extraction = next(
            (r.extraction.not_in_prefix for r in own if r.extraction and r.unit == "span"), None
        )
        memorization = row.memorization
        worst = [worst_leakage([r for r in judged if r.spec == row.spec], level) for level in levels]
        body.append(
            [
                _marked(row),
                _percent(row.utility.gain_kept),
                _number(row.utility.nll, 3),
                *(_percent(one.leakage if one else None) for one in worst),
                _percent(memorization.remaining_pii if memorization else None),
                _percent(memorization.share_above_1_nat if memorization else None, 1),
                _percent(extraction.rate if extraction else None, 1),
                _percent(extraction.reference_rate if extraction else None, 1),
                _number(row.privacy.epsilon if row.privacy else None, 2, ""),
            ]
        )
    kept = [i for i in range(len(headers)) if any(line[i] not in {"", "n/a"} for line in body)]
    return [headers[i] for i in kept], [[line[i] for i in kept] for line in body]


def _attack_columns(rows: Sequence[Row], unit: str) -> list[str]:
    return list(dict.fromkeys(row.attack_spec for row in rows if row.unit == unit and row.extraction is None))


def _attack_table(rows: Sequence[Row], unit: str, show: Any) -> Table:
    columns = _attack_columns(rows, unit)
    knowledge = {row.attack_spec: row.knowledge for row in rows}
    body = []
    for own in _by_spec(rows):
        by_attack = {row.attack_spec: row for row in own if row.unit == unit}
        body.append([own[0].spec, *(show(by_attack[c]) if c in by_attack else "" for c in columns)])
    return ["defense", *(f"{column} ({knowledge[column]})" for column in columns)], body


def _auc_table(rows: Sequence[Row], unit: str) -> Table:
    def show(row: Row) -> str:
        if row.auc is None:
            return "n/a"
        ends = f" ({row.auc_ci[0]:.2f}-{row.auc_ci[1]:.2f})" if row.auc_ci else ""
        return f"{row.auc:.2f}{ends}"

    return _attack_table(rows, unit, show)


def _tpr(rows: Sequence[Row], fpr: str) -> str:
    """A table of TPRs at one FPR, or one line where there are too few non-members for any."""
    refused = f"n/a (needs >= {nonmembers_needed(float(fpr))} non-members)"
    judged = [row for row in rows if row.unit == "record" and row.auc is not None]
    if judged and all(row.tpr_at_fpr[fpr] is None for row in judged):
        return f"{refused}\n"
    return _github(_attack_table(rows, "record", lambda row: _percent(row.tpr_at_fpr[fpr], 1, refused)))


def _extraction_table(rows: Sequence[Row]) -> Table:
    headers = ["defense", "attack", "of", "n", "rate (95 % interval)", "base", "reference"]
    headers += ["not in prefix", "base", "reference", "where base fails"]
    body = []
    for row in rows:
        if (got := row.extraction) is None:
            continue
        ends = f" ({_percent(got.rate_ci[0], 1)}-{_percent(got.rate_ci[1], 1)})" if got.rate_ci else ""
        body.append(
            [
                row.spec,
                f"{row.attack_spec} ({row.knowledge})",
                f"{row.unit}s",
                str(got.n_spans),
                _percent(got.rate, 1) + ends,
                _percent(got.base_rate, 1),
                _percent(got.reference_rate, 1),
                _percent(got.not_in_prefix.rate, 1),
                _percent(got.not_in_prefix.base_rate, 1),
                _percent(got.not_in_prefix.reference_rate, 1),
                _percent(got.base_fails.rate, 1),
            ]
        )
    return headers, body


def _memorization_table(rows: Sequence[Row]) -> Table:
    firsts = [own[0] for own in _by_spec(rows)]
    labels = sorted({label for row in firsts if row.memorization for label in row.memorization.by_label})
    headers = ["defense", "identifiers (95 % interval)", "remaining", "other tokens", "remaining", *labels]
    body = []
    for row in firsts:
        if (kept := row.memorization) is None:
            continue
        ends = f" ({kept.tra_pii_ci[0]:.2f} to {kept.tra_pii_ci[1]:.2f})" if kept.tra_pii_ci else ""
        by_label = [kept.by_label[label].tra if label in kept.by_label else None for label in labels]
        body.append(
            [
                row.spec,
                _number(kept.tra_pii, 2) + ends,
                _percent(kept.remaining_pii),
                _number(kept.tra_other, 2),
                _percent(kept.remaining_other),
                *(_number(value, 2) for value in by_label),
            ]
        )
    return headers, body


def _privacy_table(rows: Sequence[Row]) -> Table:
    headers = [
        "defense",
        "ε",
        "δ",
        "noise multiplier",
        "clipping norm",
        "sample rate",
        "steps",
        "accountant",
        "unit",
    ]
    body = [
        [
            own[0].spec,
            f"{spent.epsilon:.3f}",
            f"{spent.delta:.2g}",
            f"{spent.noise_multiplier:.3f}",
            f"{spent.max_grad_norm:g}",
            f"{spent.sample_rate:.4f}",
            str(spent.steps),
            spent.accountant,
            spent.unit,
        ]
        for own in _by_spec(rows)
        if (spent := own[0].privacy) is not None
    ]
    return headers, body


def _cost_table(rows: Sequence[Row]) -> Table:
    headers = ["defense", "trainings", "seconds", "peak memory (MB)"]
    body = [
        [own[0].spec, str(cost.trainings), f"{cost.train_seconds:.1f}", f"{cost.peak_memory_mb:.0f}"]
        for own in _by_spec(rows)
        if (cost := own[0].cost).trainings
    ]
    return headers, body


def _percent(value: float | None, digits: int = 0, missing: str = "n/a") -> str:
    return missing if value is None else f"{round(100 * value, digits) + 0.0:.{digits}f} %"


def _number(value: float | None, digits: int, missing: str = "n/a") -> str:
    # Adding 0 turns the -0 of a rounded small number into 0.
    return missing if value is None else f"{round(value, digits) + 0.0:.{digits}f}"

"""Rows of the leaderboard as tables of text: what each column says of each defense."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.attack import Knowledge
from bench.ranking import LEVELS, comparable, leaked, strongest
from bench.results import Row

Table = tuple[list[str], list[list[str]]]
"""Headers, and the cells of every line."""


def by_spec(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each defense and floor, in their order."""

    specs = dict.fromkeys(row.spec for row in rows)
    return [[row for row in rows if row.spec == spec] for spec in specs]


def _marked(row: Row) -> str:
    below = " ▼" if "below-reference" in row.flags else ""
    return f"{row.spec}{' ★' if row.frontier else ''}{below}"


def defense_table(rows: Sequence[Row], level: Knowledge) -> Table:
    """One line a defense: what it keeps, what it leaks at each level of knowledge, what is left in it.

    The frontier is for adversaries of `level`. Columns that hold nothing for any of them are left out.
    """
    judged = comparable(rows)
    levels = _levels(judged)
    decisive = [known for known in levels if LEVELS.index(known) <= LEVELS.index(level)][-1:]
    headers = ["defense", "gain kept", "NLL", *(f"leak: {known}" for known in levels)]
    headers += ["memorized", "TRA > 1 nat", "extracted", "floor", "ε"]
    body = []
    for own in by_spec(rows):
        row = own[0]
        extraction = next(
            (r.extraction.not_in_prefix for r in own if r.extraction and r.unit == "span"), None
        )
        memorization = row.memorization
        body.append(
            [
                _marked(row),
                percent(row.utility.gain_kept) + _tied(row, "most-gain"),
                number(row.utility.nll, 3),
                *(_leak([r for r in judged if r.spec == row.spec], known, decisive) for known in levels),
                percent(memorization.remaining_pii if memorization else None),
                percent(memorization.share_above_1_nat if memorization else None, 1),
                percent(extraction.rate if extraction else None, 1),
                percent(extraction.reference_rate if extraction else None, 1),
                number(row.privacy.epsilon if row.privacy else None, 2, ""),
            ]
        )
    kept = [i for i in range(len(headers)) if any(line[i] not in {"", "n/a"} for line in body)]
    return [headers[i] for i in kept], [[line[i] for i in kept] for line in body]


def _levels(rows: Sequence[Row]) -> list[Knowledge]:
    return [level for level in LEVELS if any(row.knowledge == level for row in rows)]


def _leak(rows: Sequence[Row], level: Knowledge, decisive: Sequence[Knowledge]) -> str:
    """What the strongest attack of that level gets, with its interval, on records it was not chosen by."""
    worst = strongest(rows, level)
    if worst is None:
        return "n/a"
    ends = worst.leakage.evaluation_ci
    shown = f" ({percent(max(0.0, ends[0]))[:-2]}-{percent(max(0.0, ends[1]))[:-2]})" if ends else ""
    tied = _tied(worst, "least-leakage") if level in decisive else ""
    return percent(leaked(worst)) + shown + tied


def _tied(row: Row, flag: str) -> str:
    return " ≈" if flag in row.flags else ""


def strongest_table(rows: Sequence[Row]) -> Table:
    """One line a defense and one column a level of knowledge: the attack that is strongest there."""
    judged = comparable(rows)
    levels = _levels(judged)
    body = []
    for own in by_spec(judged):
        found = [strongest(own, level) for level in levels]
        body.append([own[0].spec, *(f"{one.attack_spec} on {one.unit}s" if one else "n/a" for one in found)])
    return ["defense", *levels], body


def _attack_columns(rows: Sequence[Row], unit: str) -> list[str]:
    return list(dict.fromkeys(row.attack_spec for row in rows if row.unit == unit and row.extraction is None))


def _attack_table(rows: Sequence[Row], unit: str, show: Callable[[Row], str]) -> Table:
    columns = _attack_columns(rows, unit)
    knowledge = {row.attack_spec: row.knowledge for row in rows}
    body = []
    for own in by_spec(rows):
        by_attack = {row.attack_spec: row for row in own if row.unit == unit}
        body.append([own[0].spec, *(show(by_attack[c]) if c in by_attack else "" for c in columns)])
    return ["defense", *(f"{column} ({knowledge[column]})" for column in columns)], body


def auc_table(rows: Sequence[Row], unit: str) -> Table:
    """One line a defense and one column a membership attack: AUC and its 95 % interval."""

    def show(row: Row) -> str:
        if row.auc is None:
            return refusal(row, "auc")
        ends = f"{row.auc_ci[0]:.2f}-{row.auc_ci[1]:.2f}" if row.auc_ci else refusal(row, "auc_ci")
        return f"{row.auc:.2f} ({ends})"

    return _attack_table(rows, unit, show)


def tpr_table(rows: Sequence[Row], fpr: str) -> Table | str:
    """One line a defense and one column an attack on records, or one text where all are refused alike."""
    name = f"tpr_at_fpr.{fpr}"
    judged = [row for row in rows if row.unit == "record" and row.auc is not None]
    if judged and all(row.tpr_at_fpr[fpr] is None for row in judged):
        return refusal(judged[0], name)
    return _attack_table(rows, "record", lambda row: percent(row.tpr_at_fpr[fpr], 1, refusal(row, name)))


def rarity_table(rows: Sequence[Row]) -> Table:
    """One line a defense: mean TRA in nats, by how often a token occurs in the complement."""
    firsts = [own[0] for own in by_spec(rows) if own[0].memorization is not None]
    names = list(firsts[0].memorization.pii_by_rarity) if firsts and firsts[0].memorization else []
    headers = ["defense", *(f"identifiers, {name} times" for name in names)]
    headers += [f"other tokens, {name} times" for name in names]
    body = []
    for row in firsts:
        if (kept := row.memorization) is None:
            continue
        parts = [*(kept.pii_by_rarity[n] for n in names), *(kept.other_by_rarity[n] for n in names)]
        body.append([row.spec, *(f"{number(part.tra, 2)} (n {part.n_tokens})" for part in parts)])
    return headers, body


def memorization_table(rows: Sequence[Row]) -> Table:
    """One line a defense: mean TRA in nats of identifiers, of other tokens, and by label."""

    firsts = [own[0] for own in by_spec(rows)]
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
                number(kept.tra_pii, 2) + ends,
                percent(kept.remaining_pii),
                number(kept.tra_other, 2),
                percent(kept.remaining_other),
                *(number(value, 2) for value in by_label),
            ]
        )
    return headers, body


def privacy_table(rows: Sequence[Row]) -> Table:
    """One line a differentially private defense: what it guarantees, and by what."""

    headers = [
        "defense",
        "ε",
        "δ",
        "noise multiplier",
        "clipping norm",
        "unit",
        "sample rate",
        "units a step",
        "steps",
        "accountant",
        "clipping",
    ]
    body = [
        [
            own[0].spec,
            f"{spent.epsilon:.3f}",
            f"{spent.delta:.2g}",
            f"{spent.noise_multiplier:.3f}",
            f"{spent.max_grad_norm:g}",
            spent.unit,
            f"{spent.sample_rate:.4f}",
            f"{spent.expected_batch_size:g}",
            str(spent.steps),
            spent.accountant,
            spent.clipping,
        ]
        for own in by_spec(rows)
        if (spent := own[0].privacy) is not None
    ]
    return headers, body


def privacy_notes(rows: Sequence[Row]) -> list[str]:
    """What the guarantees leave out, each once, with the defenses where it does not hold for all."""
    private = [own[0] for own in by_spec(rows) if own[0].privacy is not None]
    whose: dict[str, list[str]] = {}
    for row in private:
        for note in row.privacy.notes if row.privacy else ():
            whose.setdefault(note, []).append(row.spec)
    return [
        note if len(specs) == len(private) else f"{note} ({', '.join(specs)})"
        for note, specs in whose.items()
    ]


def cost_table(rows: Sequence[Row]) -> Table:
    """One line a training: what it took, references included."""

    headers = ["defense", "trainings", "seconds", "peak memory (MB)"]
    body = [
        [own[0].spec, str(cost.trainings), f"{cost.train_seconds:.1f}", f"{cost.peak_memory_mb:.0f}"]
        for own in by_spec(rows)
        if (cost := own[0].cost).trainings
    ]
    return headers, body


def refusal(row: Row, figure: str) -> str:
    """What stands in place of a figure that a row does not have."""
    return f"n/a ({row.refused[figure]})" if figure in row.refused else "n/a"


def percent(value: float | None, digits: int = 0, missing: str = "n/a") -> str:
    """A share as a percentage."""
    return missing if value is None else f"{round(100 * value, digits) + 0.0:.{digits}f} %"


def number(value: float | None, digits: int, missing: str = "n/a") -> str:
    """A number to so many digits."""
    # Adding 0 turns the -0 of a rounded small number into 0.
    return missing if value is None else f"{round(value, digits) + 0.0:.{digits}f}"

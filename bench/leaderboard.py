"""The leaderboard: cells in, rows out. A pure function; no training, no torch."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import ValidationError

from bench.attack import Knowledge
from bench.errors import InputError
from bench.results import (
    FLOORS,
    Attacked,
    CellFile,
    Leaderboard,
    Memorization,
    Row,
    RowMemorization,
    RowUtility,
)
from bench.store import digest
from bench.validation import first_fault

LEAST_MEMORIZED = 0.1
"""Nats of mean TRA under which the undefended run has memorized too little to divide by."""

LEVELS: tuple[str, ...] = get_args(Knowledge)


def checked_cell(stated: dict[str, Any], where: object) -> CellFile:
    """A cell that fits its schema.

    Raises:
        InputError: it does not; the message names the file and the field.
    """
    try:
        return CellFile.model_validate(stated)
    except ValidationError as error:
        fault = first_fault(error)
        raise InputError(f"cell {where}: {fault.field}: {fault.message}; delete it and run again") from None


def leaderboard(cells: Sequence[CellFile]) -> Leaderboard:
    """All rows: grouped by what is comparable, floors first, then the frontier, then the other defenses.

    Raises:
        InputError: two cells are of the same thing.

    A defense is on the frontier if no other has both at least its fine-tuning gain kept and at most
    its worst leakage, and is better in one of the two.
    """
    groups: dict[tuple[str, ...], list[CellFile]] = defaultdict(list)
    for cell in cells:
        groups[_group(cell)].append(cell)
    rows = [row for name in sorted(groups) for row in _group_rows(groups[name])]
    return Leaderboard(rows=tuple(rows))


def _group(cell: CellFile) -> tuple[str, ...]:
    return (cell.dataset, cell.model, cell.tuning, setting_id(cell))


def setting_id(cell: CellFile) -> str:
    """A short name for what cells must share to stand in one table."""
    return digest(cell.setting.model_dump(mode="json"))[:12]


@dataclass(frozen=True)
class _Yardsticks:
    """What one seed's figures are measured against: base model, reference, undefended run."""

    base_nll: float | None
    reference_nll: float | None
    best_nll: float | None
    undefended: Memorization | None


def _yardsticks(cells: Iterable[CellFile]) -> _Yardsticks:
    base = reference = best = None
    undefended: Memorization | None = None
    for cell in cells:
        if cell.defense == "base":
            base = cell.utility.nll
        elif cell.defense == "reference":
            reference = cell.utility.nll
        elif cell.undefended:
            best = cell.utility.best_nll
            undefended = cell.memorization or undefended
    return _Yardsticks(base, reference, best, undefended)


def _group_rows(cells: Sequence[CellFile]) -> list[Row]:
    by_seed: dict[int, list[CellFile]] = defaultdict(list)
    by_row: dict[tuple[str, str, str], dict[int, tuple[CellFile, Attacked]]] = defaultdict(dict)
    for cell in sorted(cells, key=lambda cell: (cell.seed, cell.spec, cell.attack_spec)):
        by_seed[cell.seed].append(cell)
        for result in cell.results:
            of_row = by_row[cell.spec, cell.attack_spec, result.unit]
            if cell.seed in of_row:
                raise InputError(
                    f"{cell.dataset} · {cell.model} · {cell.spec} · {cell.attack_spec} · seed {cell.seed} "
                    "stands in two cell files; delete one of them"
                )
            of_row[cell.seed] = (cell, result)
    yardsticks = {seed: _yardsticks(of_seed) for seed, of_seed in by_seed.items()}
    memorizations = {(cell.spec, cell.seed): cell.memorization for cell in cells if cell.memorization}
    rows = [
        _row(
            [_figures(cell, result, yardsticks[cell.seed], memorizations) for cell, result in of_row.values()]
        )
        for of_row in by_row.values()
    ]
    return _ordered(_with_frontier(rows))


def _figures(
    cell: CellFile,
    result: Attacked,
    against: _Yardsticks,
    memorizations: dict[tuple[str, int], Memorization],
) -> dict[str, Any]:
    memorization = memorizations.get((cell.spec, cell.seed))
    return {
        **result.model_dump(),
        "cell": cell,
        "leakage": _leakage(result),
        "utility": RowUtility(
            **cell.utility.model_dump(exclude={"best_nll"}), gain_kept=_gain_kept(cell, against)
        ).model_dump(),
        "memorization": None
        if memorization is None
        else RowMemorization(
            **memorization.model_dump(),
            remaining_pii=_remaining(memorization.tra_pii, against.undefended, "tra_pii"),
            remaining_other=_remaining(memorization.tra_other, against.undefended, "tra_other"),
        ).model_dump(),
        "privacy": None if cell.privacy is None else cell.privacy.model_dump(),
        "cost": cell.cost.model_dump(),
        "flags": _flags(cell, against, memorization),
    }


def _leakage(result: Attacked) -> float | None:
    """How much an attack gets, from 0 (as from a model that never saw the members) to 1 (everything).

    Membership: 2 AUC - 1, Somers' D, 0 below chance. Extraction: the rate on what cannot be copied
    from the prefix, less that of the reference model.
    """
    if result.auc is not None:
        return max(0.0, 2 * result.auc - 1)
    if result.extraction is None or result.extraction.not_in_prefix.rate is None:
        return None
    fresh = result.extraction.not_in_prefix
    return max(0.0, (fresh.rate or 0.0) - (fresh.reference_rate or 0.0))


def _gain_kept(cell: CellFile, against: _Yardsticks) -> float | None:
    if against.base_nll is None or against.best_nll is None or against.base_nll <= against.best_nll:
        return None
    return (against.base_nll - cell.utility.nll) / (against.base_nll - against.best_nll)


def _below_reference(cell: CellFile, against: _Yardsticks) -> bool:
    """Whether utility falls short of the reference's by over 1 % of the gain: the records were wasted."""
    if against.base_nll is None or against.reference_nll is None:
        return False
    return cell.utility.nll > against.reference_nll + 0.01 * abs(against.base_nll - against.reference_nll)


def _remaining(tra: float | None, undefended: Memorization | None, field: str) -> float | None:
    whole = None if undefended is None else getattr(undefended, field)
    return tra / whole if tra is not None and whole is not None and whole >= LEAST_MEMORIZED else None


def _flags(cell: CellFile, against: _Yardsticks, memorization: Memorization | None) -> list[str]:
    flags = []
    if cell.defense not in FLOORS and _below_reference(cell, against):
        flags.append("below-reference")
    grouped = cell.counts.member_units < cell.counts.members
    if grouped and cell.privacy is not None and cell.privacy.unit == "record":
        flags.append("record-level")
    if len(cell.trained_on) > 1:
        flags.append("trained-on-both-halves")
    if against.best_nll is None:
        flags.append("no-undefended-run")
    if memorization is None:
        flags.append("no-auditor-reference")
    if cell.counts.spans_lost_by_truncation:
        flags.append("spans-lost-by-truncation")
    return flags


def _row(figures: Sequence[dict[str, Any]]) -> Row:
    cells: list[CellFile] = [seed.pop("cell") for seed in figures]
    first = cells[0]
    return Row.model_validate(
        {
            **_over_seeds(figures),
            "flags": sorted({flag for seed in figures for flag in seed["flags"]}),
            "dataset": first.dataset,
            "model": first.model,
            "tuning": first.tuning,
            "protocol": first.setting.protocol,
            "setting": setting_id(first),
            "defense": first.defense,
            "params": first.params,
            "spec": first.spec,
            "seeds": [cell.seed for cell in cells],
            "attack": first.attack,
            "attack_params": first.attack_params,
            "attack_spec": first.attack_spec,
            "knowledge": first.knowledge,
            "frontier": False,
        }
    )


def _over_seeds(values: Sequence[Any]) -> Any:
    """One value for several seeds: mean of numbers, hull of intervals, nothing where a seed has nothing."""
    first = values[0]
    if len(values) == 1:
        return first
    if any(value is None for value in values):
        return None
    if isinstance(first, dict):
        names = [name for name in first if all(name in value for value in values)]
        return {name: _over_seeds([value[name] for value in values]) for name in names}
    if isinstance(first, tuple) and isinstance(first[0], float):
        return (min(low for low, _ in values), max(high for _, high in values))
    if isinstance(first, int) and not isinstance(first, bool):
        return round(math.fsum(values) / len(values))
    if isinstance(first, float):
        return math.fsum(values) / len(values)
    return first


def comparable(rows: Sequence[Row]) -> list[Row]:
    """The rows of attacks that every defense among them was put to."""
    put_to: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row.defense not in FLOORS:
            put_to[row.spec].add(row.attack_spec)
    shared = set.intersection(*put_to.values()) if put_to else set()
    return [row for row in rows if row.attack_spec in shared]


def worst_leakage(rows: Iterable[Row], level: str = LEVELS[-1]) -> Row | None:
    """The row that leaks most to an adversary who knows no more than `level`."""
    known = LEVELS[: LEVELS.index(level) + 1]
    judged = [row for row in rows if row.leakage is not None and row.knowledge in known]
    return max(judged, key=lambda row: row.leakage or 0.0, default=None)


def _with_frontier(rows: Sequence[Row]) -> list[Row]:
    points: dict[str, tuple[float, float]] = {}
    judged = comparable(rows)
    for spec in dict.fromkeys(row.spec for row in judged if row.defense not in FLOORS):
        own = [row for row in judged if row.spec == spec]
        worst, gain = worst_leakage(own), own[0].utility.gain_kept
        if worst is not None and worst.leakage is not None and gain is not None:
            points[spec] = (gain, worst.leakage)
    frontier = {
        spec
        for spec, (gain, leak) in points.items()
        if not any(g >= gain and k <= leak and (g > gain or k < leak) for g, k in points.values())
    }
    return [row.model_copy(update={"frontier": row.spec in frontier}) for row in rows]


def _ordered(rows: Sequence[Row]) -> list[Row]:
    def place(row: Row) -> tuple[Any, ...]:
        floor = FLOORS.index(row.defense) if row.defense in FLOORS else len(FLOORS)
        gain = row.utility.gain_kept
        return (
            floor,
            not row.frontier,
            -gain if gain is not None else row.utility.nll,
            row.spec,
            LEVELS.index(row.knowledge),
            row.attack_spec,
            row.unit,
        )

    return sorted(rows, key=place)

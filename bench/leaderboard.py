"""The leaderboard: cells in, rows out. A pure function; no training, no torch."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from bench.attack import Knowledge
from bench.comparisons import over_seeds
from bench.differences import utility_difference
from bench.errors import InputError
from bench.ranking import DEFAULT_LEVEL, LEVELS, with_frontier, with_ties
from bench.results import (
    FLOORS,
    Attacked,
    Audited,
    CellFile,
    Leaderboard,
    MembershipEvidence,
    Memorization,
    Row,
    RowMemorization,
    RowUtility,
)
from bench.statistics import LEAST_UNITS, Interval
from bench.store import digest
from bench.validation import first_fault

BOUNDS = {
    "auc_ci": (0.0, 1.0),
    "rate_ci": (0.0, 1.0),
    "above_reference_ci": (-1.0, 1.0),
    "evaluation_ci": (-1.0, 1.0),
}
"""Where an interval over seeds must end, by the name that rows give it; others have no bounds."""

LEAST_MEMORIZED = 0.1
"""Nats of mean TRA under which the undefended run has memorized too little to divide by."""


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


def leaderboard(cells: Sequence[CellFile], level: Knowledge = DEFAULT_LEVEL) -> Leaderboard:
    """All rows: grouped by what is comparable, floors first, then the frontier, then the other defenses.

    A defense is on the frontier if no other has both at least its fine-tuning gain kept and at most
    what leaks from it to an adversary of that level, and is better in one of the two.

    Raises:
        InputError: two cells are of the same thing, or cells that stand together are of two versions
            of the code.
    """
    groups: dict[tuple[str, ...], list[CellFile]] = defaultdict(list)
    for cell in cells:
        groups[_group(cell)].append(cell)
    for group in groups.values():
        _require_one_version(group)
    rows = [row for name in sorted(groups) for row in _group_rows(groups[name], level)]
    return Leaderboard(level=level, rows=tuple(rows))


def of_one_version(cells: Sequence[CellFile], current: str) -> list[CellFile]:
    """The cells without those of older code that would stand in one table with others: current ones stay."""
    versions: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for cell in cells:
        versions[_group(cell)].add(cell.code)
    return [cell for cell in cells if cell.code == current or len(versions[_group(cell)]) == 1]


def _require_one_version(cells: Sequence[CellFile]) -> None:
    versions = Counter(cell.code for cell in cells)
    if len(versions) > 1:
        most = versions.most_common(1)[0][0]
        others = sorted({f"{cell.spec} · {cell.attack_spec}" for cell in cells if cell.code != most})
        raise InputError(
            f"{cells[0].dataset} · {cells[0].model}: of other code than the rest are "
            f"{', '.join(others[:5])}{' and others' if len(others) > 5 else ''}; run again, or delete them"
        )


def _group(cell: CellFile) -> tuple[str, ...]:
    return (cell.dataset, cell.model, cell.tuning, setting_id(cell))


def shifted(board: Leaderboard) -> dict[str, str]:
    """The datasets whose membership figures mean nothing, or may, and why."""
    reasons = {}
    for row in board.rows:
        if "distribution-shift" in row.flags:
            reasons[row.dataset] = "distribution-shift: text alone tells members from non-members"
        elif row.blind.auc_ci is None:
            needs = f"needs >= {LEAST_UNITS} units on either side"
            reasons.setdefault(row.dataset, f"the blind control could not be computed: it {needs}")
    return reasons


def setting_id(cell: CellFile) -> str:
    """A short name for what cells must share to stand in one table."""
    return digest(cell.setting.model_dump(mode="json"))[:12]


@dataclass(frozen=True)
class _Yardsticks:
    """What one seed's figures are measured against: base model, reference, undefended run."""

    base_nll: float | None
    best_nll: float | None
    reference: Audited | None
    undefended: Memorization | None


def _yardsticks(cells: Iterable[CellFile]) -> _Yardsticks:
    base = best = None
    reference: Audited | None = None
    undefended: Memorization | None = None
    for cell in cells:
        if cell.defense == "base":
            base = cell.utility.nll
        elif cell.defense == "reference":
            reference = cell.audited
        elif cell.undefended:
            best = cell.utility.best_nll
            undefended = cell.memorization or undefended
    return _Yardsticks(base, best, reference, undefended)


def _group_rows(cells: Sequence[CellFile], level: Knowledge) -> list[Row]:
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
    return _ordered(with_frontier(with_ties(rows, cells, level), level))


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


def _gain_kept(cell: CellFile, against: _Yardsticks) -> float | None:
    if against.base_nll is None or against.best_nll is None or against.base_nll <= against.best_nll:
        return None
    return (against.base_nll - cell.utility.nll) / (against.base_nll - against.best_nll)


def _below_reference(cell: CellFile, against: _Yardsticks) -> bool:
    """Whether the holdout is predicted worse than by the reference, record by record: 95 % sure."""
    if against.reference is None:
        return False
    difference = utility_difference(cell.audited, against.reference)
    return difference is not None and difference.interval.low > 0


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
    if cell.setting.protocol == "half" and len(cell.trained_on) > 1:
        flags.append("trained-on-both-halves")
    if against.best_nll is None:
        flags.append("no-undefended-run")
    if memorization is None:
        flags.append("no-auditor-reference")
    if cell.blind.shifted and isinstance(cell.evidence, MembershipEvidence):
        flags.append("distribution-shift")
    if cell.counts.spans_lost_by_truncation:
        flags.append("spans-lost-by-truncation")
    return flags


def _row(figures: Sequence[dict[str, Any]]) -> Row:
    cells: list[CellFile] = [seed.pop("cell") for seed in figures]
    first = cells[0]
    return Row.model_validate(
        {
            **_over_seeds(figures),
            "refused": {name: needs for seed in figures for name, needs in seed["refused"].items()},
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
            "blind": first.blind,
        }
    )


def _over_seeds(values: Sequence[Any]) -> Any:
    """One value for several seeds: the mean of numbers; nothing where a seed has nothing."""
    first = values[0]
    if len(values) == 1:
        return first
    if any(value is None for value in values):
        return None
    if isinstance(first, dict):
        names = [name for name in first if all(name in value for value in values)]
        return {name: _combined(name, values) for name in names}
    if isinstance(first, tuple):
        return first
    if isinstance(first, int) and not isinstance(first, bool):
        return round(math.fsum(values) / len(values))
    if isinstance(first, float):
        return math.fsum(values) / len(values)
    return first


def _combined(name: str, values: Sequence[dict[str, Any]]) -> Any:
    """A named value over seeds; `x_ci` is the interval of `x`."""
    ends = [value[name] for value in values]
    if not name.endswith("_ci") or not all(isinstance(end, tuple) for end in ends):
        return _over_seeds(ends)
    estimates = [value[name.removesuffix("_ci")] for value in values]
    interval = over_seeds(estimates, [Interval(*end) for end in ends], bounds=BOUNDS.get(name))
    return None if interval is None else (interval.low, interval.high)


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

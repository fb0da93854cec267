"""Recompute what a run's folder holds, and say what differs: rows from cells, figures from evidence,
evidence from signals."""

from __future__ import annotations

import json
import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.errors import InputError
from bench.evaluation import attack_results
from bench.evaluation.utility import utility
from bench.graph import is_scored
from bench.leaderboard import leaderboard, of_one_version
from bench.plan import Plan, stored_plans
from bench.publishing import stored_cells
from bench.ranking import DEFAULT_LEVEL, LEVELS
from bench.results import CellFile
from bench.store import Store
from bench.tasks import code_version

if TYPE_CHECKING:
    from bench.tasks import Cell

TOLERANCE = 1e-5
"""Relative: evidence keeps six digits, and sums are taken in another order."""


@dataclass(frozen=True)
class Verified:
    """What was recomputed, and what differs, one line each.

    Attributes:
        cells: how many were recomputed from their own evidence.
        from_signals: how many of them from the signals that the folder keeps, too.
        rows: how many rows of the leaderboard were recomputed from the cells.
        passed_over: the settings of which no signals could be read again, and why, one line each.
    """

    cells: int
    from_signals: int
    rows: int
    differences: tuple[str, ...]
    passed_over: tuple[str, ...] = ()


def verify(store: Store) -> Verified:
    """Recompute all that can be recomputed; trains nothing, and runs no model.

    Raises:
        InputError: there is no cell, one does not fit its schema, or cells contradict each other.
    """
    cells = stored_cells(store)
    if not cells:
        raise InputError(f"{store.root} holds no results; `bench run --out {store.root}` makes some")
    differences = [f"{_named(cell)}: {path}" for cell in cells for path in _figures_that_differ(cell)]
    rows, differing_rows = _rows(store, cells)
    differences += differing_rows
    left = {(cell.key, cell.seed): cell for cell in cells}  # the base model's have one key for all seeds
    from_signals = 0
    passed_over: list[str] = []
    for plan in stored_plans(store, passed_over):
        differences += _keys_that_differ(plan, store)
        for which, again in _from_signals(plan, store, set(left)):
            from_signals += 1
            cell = left.pop(which)
            stated = cell.model_dump(mode="json", by_alias=True)
            differences += [f"{_named(cell)}: {path}, from signals" for path in _different(stated, again)]
    if from_signals and left:
        lacking = ", ".join(sorted(_named(cell) for cell in left.values())[:3])
        passed_over.append(f"{len(left)} cells, whose signals are not here or not whole: {lacking}, ...")
    return Verified(len(cells), from_signals, rows, tuple(differences), tuple(passed_over))


def _rows(store: Store, cells: Sequence[CellFile]) -> tuple[int, list[str]]:
    """How many rows follow from the cells, and where the leaderboard file has others."""
    try:
        kept, unreadable = store.leaderboard(), []
    except InputError as error:
        kept, unreadable = None, [str(error)]
    level = next((level for level in LEVELS if kept and kept.get("level") == level), DEFAULT_LEVEL)
    board = leaderboard(of_one_version(cells, code_version()), level)
    if kept is None:
        return len(board.rows), unreadable
    rows = json.loads(board.model_dump_json(by_alias=True))["rows"]
    return len(rows), [f"leaderboard.json: row {path}" for path in _different(kept.get("rows"), rows)]


def _figures_that_differ(cell: CellFile) -> Iterator[str]:
    results = [result.model_dump(mode="json") for result in attack_results(cell.evidence, cell.audited)]
    yield from _different([result.model_dump(mode="json") for result in cell.results], results, "results")
    stated = cell.utility.model_dump(mode="json", exclude={"best_nll"})
    yield from _different(stated, utility(cell.audited).model_dump(mode="json"), "utility")
    if cell.memorization and cell.memorization_evidence:
        kept, audited = cell.memorization_evidence, cell.audited
        members = [row for row, member in enumerate(audited.member) if member]
        total = math.fsum(kept.tra_pii[row] or 0.0 for row in members)
        tokens = sum(kept.n_pii_tokens[row] for row in members)
        mean = total / tokens if tokens else None
        yield from _different(cell.memorization.tra_pii, mean, "memorization.tra_pii")
        yield from _different(cell.memorization.n_pii_tokens, tokens, "memorization.n_pii_tokens")


def _keys_that_differ(plan: Plan, store: Store) -> Iterator[str]:
    """Cells of this code with a key that their settings do not give: edited by hand, or put in place."""
    stated = {path.stem: cell for path, cell in store.cells()}
    for cell in plan.cells:
        found = stated.get(cell.name)
        if found is not None and found["code"] == code_version() and found["key"] != cell.key:
            yield f"{cell.title}: key is {found['key']!r}, recomputed {cell.key!r}"


def _from_signals(
    plan: Plan, store: Store, wanted: Container[tuple[str, int]]
) -> Iterator[tuple[tuple[str, int], dict[str, Any]]]:
    """The keys and seeds of cells whose signals the folder keeps, and the cells computed again."""
    from bench.worker import Worker

    cells = Worker(store).cells
    for cell in plan.cells:
        which = (cell.key, cell.lab.seed)
        if which in wanted and _is_kept(cell, store):
            yield which, cells.cell_file(cell)


def _is_kept(cell: Cell, store: Store) -> bool:
    """Whether the folder has all signals of a cell, and what is known of its trainings."""
    return all(is_scored(scoring, ways, store) for scoring, ways in cell.scorings) and all(
        store.is_trained(training.key) for training in cell.trainings
    )


def _different(stated: Any, again: Any, path: str = "") -> Iterator[str]:
    """Where two JSON values differ by more than rounding."""
    if isinstance(stated, dict) and isinstance(again, dict):
        for name in sorted({*stated, *again}):
            yield from _different(stated.get(name), again.get(name), f"{path}.{name}".removeprefix("."))
    elif isinstance(stated, list) and isinstance(again, list) and len(stated) == len(again):
        for place, (one, other) in enumerate(zip(stated, again, strict=True)):
            yield from _different(one, other, f"{path}[{place}]")
    elif isinstance(stated, float | int) and isinstance(again, float | int):
        if not math.isclose(stated, again, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            yield f"{path} is {stated!r}, recomputed {again!r}"
    elif stated != again:
        yield f"{path} is {_short(stated)}, recomputed {_short(again)}"


def _short(value: Any) -> str:
    return f"a list of {len(value)}" if isinstance(value, list) else repr(value)[:60]


def _named(cell: CellFile) -> str:
    return f"{cell.dataset} · {cell.model} · {cell.spec} · {cell.attack_spec} · seed {cell.seed}"


def first(lines: Iterable[str], count: int) -> list[str]:
    """The first lines, and how many more there are."""
    listed = list(lines)
    more = [f"... and {len(listed) - count} more"] if len(listed) > count else []
    return listed[:count] + more

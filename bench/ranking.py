"""Which attack is strongest, which defenses no other beats, and which cannot be told apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import get_args

from bench.attack import Knowledge
from bench.comparisons import told_apart
from bench.differences import Difference, leakage_difference, seeds_difference, utility_difference
from bench.results import FLOORS, CellFile, Row

LEVELS: tuple[Knowledge, ...] = get_args(Knowledge)
DEFAULT_LEVEL: Knowledge = "population"


def comparable(rows: Sequence[Row]) -> list[Row]:
    """The rows of attacks that every defense among them was put to."""
    put_to: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row.defense not in FLOORS:
            put_to[row.spec].add(row.attack_spec)
    shared = set.intersection(*put_to.values()) if put_to else set()
    return [row for row in rows if row.attack_spec in shared]


def strongest(rows: Iterable[Row], level: Knowledge = LEVELS[-1]) -> Row | None:
    """The attack that gets most, on the calibration half, for an adversary who knows no more than `level`.

    What it gets is then read off the other half, `leakage.evaluation`: so it is not the luckiest.
    """
    known = LEVELS[: LEVELS.index(level) + 1]
    judged = [
        row
        for row in rows
        if row.knowledge in known and None not in (row.leakage.calibration, row.leakage.evaluation)
    ]
    return max(judged, key=lambda row: row.leakage.calibration or 0.0, default=None)


def leaked(row: Row) -> float:
    """What an attack gets on the evaluation half, or nothing where it gets less than from a non-member."""
    return max(0.0, row.leakage.evaluation or 0.0)


def with_frontier(rows: Sequence[Row], level: Knowledge) -> list[Row]:
    """Mark the defenses that no other beats in both what they keep and what leaks from them."""
    points: dict[str, tuple[float, float]] = {}
    for own in _defended(rows):
        worst, gain = strongest(own, level), own[0].utility.gain_kept
        if worst is not None and gain is not None:
            points[own[0].spec] = (gain, leaked(worst))
    frontier = {
        spec
        for spec, (gain, leak) in points.items()
        if not any(beats(other, (gain, leak)) for other in points.values())
    }
    return [row.model_copy(update={"frontier": row.spec in frontier}) for row in rows]


def beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether a gain kept and a leak are both at least as good as another's, and one of them is better."""
    (gain, leak), (its_gain, its_leak) = one, other
    return gain >= its_gain and leak <= its_leak and one != other


def _defended(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each defense, of the attacks that all of them were put to."""
    judged = [row for row in comparable(rows) if row.defense not in FLOORS]
    return [[row for row in judged if row.spec == spec] for spec in dict.fromkeys(r.spec for r in judged)]


def with_ties(rows: Sequence[Row], cells: Sequence[CellFile], level: Knowledge) -> list[Row]:
    """Flag the best of each column, and those that cannot be told apart from it on the same records."""
    defended = _defended(rows)
    gains = {own[0].spec: own[0].utility.nll for own in defended}
    leaks = {own[0].spec: worst for own in defended if (worst := strongest(own, level)) is not None}
    flagged: dict[str, set[str]] = defaultdict(set)
    if gains:
        best = min(gains, key=lambda spec: gains[spec])
        for spec in gains:
            if spec == best or _tied(_utility_apart(spec, best, cells)):
                flagged[spec].add("most-gain")
    if leaks:
        least = min(leaks.values(), key=leaked)
        for spec, row in leaks.items():
            if leaked(row) == leaked(least) or _tied(leakage_difference(row, least, cells)):
                flagged[spec].add("least-leakage")
            if row.leakage.evaluation_ci is None:
                flagged[spec].add("no-interval")
    return [row.model_copy(update={"flags": tuple(sorted({*row.flags, *flagged[row.spec]}))}) for row in rows]


def _tied(difference: Difference | None) -> bool:
    """Whether an interval holds 0. Without one nothing is known, which is no tie."""
    return difference is not None and not told_apart(difference.interval)


def _utility_apart(spec: str, other: str, cells: Sequence[CellFile]) -> Difference | None:
    """The difference in holdout loss of two defenses, over their seeds; None for one and the same."""
    one, two = ({cell.seed: cell.audited for cell in cells if cell.spec == name} for name in (spec, other))
    return None if spec == other else seeds_difference(utility_difference, one, two)

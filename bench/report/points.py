"""The points of the frontier plot: what each defense keeps, and what leaks from it to one adversary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.attack import Knowledge
from bench.ranking import LEVELS, comparable, leaked, strongest, with_frontier
from bench.report.gain import gain_interval
from bench.report.groups import Group
from bench.report.prose import Ends, span
from bench.results import FLOORS, Row
from bench.tables import by_spec


@dataclass(frozen=True)
class Point:
    """A defense or a floor against the strongest attack of an adversary, shares from 0 to 1."""

    spec: str
    defense: str
    gain: float
    gain_ends: Ends | None
    leak: float
    leak_ends: Ends | None
    attack: str
    frontier: bool
    flags: tuple[str, ...]

    @property
    def floor(self) -> bool:
        """Whether it is no defense, but a floor."""
        return self.defense in FLOORS

    @property
    def tip(self) -> str:
        """All that is known of it."""
        lines = [
            self.spec,
            f"gain kept {span(self.gain, self.gain_ends)}",
            f"leak {span(self.leak, self.leak_ends)}, by {self.attack}",
        ]
        if self.leak_ends is None:
            lines.append("no interval of the leak: too few people")
        if self.frontier:
            lines.append("on the frontier")
        if "below-reference" in self.flags:
            lines.append("▼ predicts the holdout worse than the reference")
        return "\n".join(lines)


@dataclass(frozen=True)
class Lacking:
    """A defense that cannot be drawn, and why."""

    spec: str
    why: str


def left_out(group: Group) -> dict[str, list[str]]:
    """The attacks that not all defenses were put to, which no point is of, and who was."""
    compared = {row.attack_spec for row in comparable(group.rows)}
    out: dict[str, list[str]] = {}
    for row in (row for row in group.rows if row.defense not in FLOORS):
        if row.attack_spec not in compared and row.spec not in out.setdefault(row.attack_spec, []):
            out[row.attack_spec].append(row.spec)
    return out


def points_of(group: Group, level: Knowledge) -> tuple[list[Point], list[Lacking]]:
    """The points that can be drawn, and who has none."""
    rows = comparable(group.rows)
    marked = with_frontier(rows, level)
    drawn, lacking = [], []
    for own in by_spec(marked):
        worst, row = strongest(own, level), own[0]
        gain = row.utility.gain_kept
        if gain is None:
            lacking.append(Lacking(row.spec, "no gain kept: needs an undefended run (--defense none)"))
        elif worst is None:
            lacking.append(Lacking(row.spec, f"no leak: {_needs(own, level)}"))
        else:
            drawn.append(_point(group, row, worst, gain))
    return drawn, lacking


def _point(group: Group, row: Row, worst: Row, gain: float) -> Point:
    ends = gain_interval(group.cells, row.spec)
    leak_ends = worst.leakage.evaluation_ci
    return Point(
        spec=row.spec,
        defense=row.defense,
        gain=gain,
        gain_ends=None if ends is None else (ends.low, ends.high),
        leak=leaked(worst),
        leak_ends=None if leak_ends is None else (max(0.0, leak_ends[0]), max(0.0, leak_ends[1])),
        attack=f"{worst.attack_spec} on {worst.unit}s",
        frontier=row.frontier,
        flags=row.flags,
    )


def _needs(rows: Sequence[Row], level: Knowledge) -> str:
    """Why no attack of a level or below says anything of what leaks."""
    known = [row for row in rows if LEVELS.index(row.knowledge) <= LEVELS.index(level)]
    if not known:
        return f"no attack of level {level} or below that all defenses were put to"
    refused = (
        needs
        for row in known
        for figure in ("auc", "extraction.not_in_prefix.rate")
        if (needs := row.refused.get(figure))
    )
    return next(refused, "needs scores on both halves of the records: one chooses the attack, one judges it")

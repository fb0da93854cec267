"""What stands in one table together, with the cells that it follows from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.attack import Knowledge
from bench.leaderboard import setting_id
from bench.ranking import LEVELS
from bench.results import CellFile, Leaderboard, Row


@dataclass(frozen=True)
class Group:
    """One dataset, model and setting: the rows of its table, its cells, and its anchor on the page."""

    name: str
    rows: tuple[Row, ...]
    cells: tuple[CellFile, ...]
    level: Knowledge

    @property
    def title(self) -> str:
        """What tells it from other groups."""
        first = self.rows[0]
        return f"{first.dataset} · {first.model} · {first.tuning} fine-tuning · protocol {first.protocol}"

    @property
    def levels(self) -> list[Knowledge]:
        """What adversaries of its attacks have, from least to most."""
        return [level for level in LEVELS if any(row.knowledge == level for row in self.rows)]


def groups_of(board: Leaderboard, cells: Sequence[CellFile]) -> list[Group]:
    """The groups of a leaderboard: by dataset, model and tuning, the controlled protocol `half` first."""
    rows: dict[tuple[str, ...], list[Row]] = {}
    for row in board.rows:
        rows.setdefault((row.dataset, row.model, row.tuning, row.setting), []).append(row)
    ordered = sorted(rows, key=lambda key: (*key[:3], rows[key][0].protocol == "full", key[3]))
    return [
        Group(
            name=f"group-{place}",
            rows=tuple(rows[key]),
            cells=tuple(
                cell for cell in cells if (cell.dataset, cell.model, cell.tuning, setting_id(cell)) == key
            ),
            level=board.level,
        )
        for place, key in enumerate(ordered, 1)
    ]

"""What stands in one table together, with the cells that it follows from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench.attack import Knowledge
from bench.leaderboard import setting_id
from bench.ranking import LEVELS
from bench.results import CellFile, Leaderboard, Row

WORDS = ("max_length", "epochs", "batch_size", "learning_rate", "device", "dtype", "compiled", "attention")
"""Of a setting what says something to a reader; the rest are counts and hashes."""


@dataclass(frozen=True)
class Group:
    """One dataset, model and setting: the rows of its table, its cells, and its anchor on the page."""

    name: str
    rows: tuple[Row, ...]
    cells: tuple[CellFile, ...]
    level: Knowledge
    differs: str = ""

    @property
    def title(self) -> str:
        """What tells it from other groups."""
        first = self.rows[0]
        title = f"{first.dataset} · {first.model} · {first.tuning} fine-tuning · protocol {first.protocol}"
        return f"{title} · {self.differs}" if self.differs else title

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
    groups = [
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
    alike = {title: [one for one in groups if one.title == title] for title in {one.title for one in groups}}
    return [replace(group, differs=_differs(group, alike[group.title])) for group in groups]


def _differs(group: Group, alike: Sequence[Group]) -> str:
    """What tells a group from others of its title: what of its setting is its own in words, else its id."""
    settings = [other.cells[0].setting.model_dump(mode="json") for other in alike]
    own = group.cells[0].setting.model_dump(mode="json")
    words = [name for name in WORDS if any(setting[name] != own[name] for setting in settings)]
    told = " · ".join(f"{name.replace('_', ' ')} {own[name]}" for name in words)
    same = [setting for setting in settings if all(setting[name] == own[name] for name in words)]
    if len(same) < 2:
        return told
    return " · ".join([*([told] if told else []), f"setting {group.rows[0].setting}"])

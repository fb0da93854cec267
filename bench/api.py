"""`bench.run`: the same as on the command line, from Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.errors import RunError
from bench.results import CellFile, Leaderboard

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Results:
    """What a run computed or found done.

    Attributes:
        cells: one for each dataset, model, defense, attack and seed, floors included.
        leaderboard: the rows that follow from these cells.
    """

    cells: tuple[CellFile, ...]
    leaderboard: Leaderboard

    def to_frame(self) -> pd.DataFrame:
        """The leaderboard's rows as a data frame, nested names joined by dots (needs pandas)."""
        import pandas as pd

        return pd.json_normalize(self.leaderboard.model_dump(mode="json")["rows"])


def run(config: Path | None = None, **settings: Any) -> Results:
    """Run a matrix; settings have the names that `bench run` gives its options, with underscores.

    Raises:
        InputError: a setting is wrong.
        RunError: some cells failed, the others are stored; or, with `strict`, text alone tells members
            from non-members.
    """
    from bench.experiment import settings_from
    from bench.leaderboard import leaderboard, shifted
    from bench.plan import make_plan
    from bench.publishing import stored_cells, write_leaderboard
    from bench.runner import runner_for
    from bench.store import Store

    checked = settings_from(settings, config)
    plan, store = make_plan(checked), Store(checked.out)
    failures = runner_for(checked, store).run(plan)
    board = write_leaderboard(store)
    if checked.strict:
        failures |= shifted(board)
    if failures:
        raise RunError("; ".join(f"{what}: {why}" for what, why in failures.items()))
    keys = {cell.key for cell in plan.cells}
    cells = tuple(cell for cell in stored_cells(store) if cell.key in keys)
    return Results(cells, leaderboard(cells))

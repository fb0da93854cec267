"""From a study's arms to its points: the rows that their runs give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.attack import Knowledge
from bench.experiment import Settings
from bench.leaderboard import leaderboard, shifted
from bench.plan import Plan, make_plan
from bench.publishing import stored_cells
from bench.ranking import DEFAULT_LEVEL, comparable, leaked, strongest
from bench.results import CellFile, Row
from bench.store import Store
from bench.studies.design import Arm, Design
from bench.studies.file import Course, Group, Point

OF_LEAKS = {"no-interval", "least-leakage"}
"""Flags that say nothing where no leak is told."""


@dataclass(frozen=True)
class Matrix:
    """The runs of a study: by their settings, what each plans."""

    plans: tuple[tuple[Settings, Plan], ...]

    @property
    def plan(self) -> Plan:
        """All of it as one; what several runs share is in it once."""
        cells = {cell.name: cell for _, plan in self.plans for cell in plan.cells}
        return Plan(tuple(cells.values()))

    def cells(self, store: Store) -> list[tuple[Settings, list[CellFile]]]:
        """What the store holds of each run."""
        stored = stored_cells(store)
        found = []
        for settings, plan in self.plans:
            keys = {cell.key for cell in plan.cells}
            found.append((settings, [cell for cell in stored if cell.key in keys]))
        return found


@dataclass(frozen=True)
class Observed:
    """A point of a study, and the cells that its memorization was read off, by seed."""

    point: Point
    cells: dict[int, CellFile]


def matrix_of(design: Design) -> Matrix:
    """What has to be run for a study.

    Raises:
        InputError: something that the settings name does not exist or does not fit.
    """
    distinct = {arm.settings.model_dump_json(): arm.settings for arm in design.arms}
    return Matrix(tuple((settings, make_plan(settings)) for settings in distinct.values()))


def observed(
    design: Design, runs: Iterable[tuple[Settings, Sequence[CellFile]]], level: Knowledge | None
) -> list[Observed]:
    """Every arm under every dataset and model, in the order of the axis, then what is shown beside.

    What could not be computed is left out.

    Args:
        level: of the adversary whose strongest attack is told; `None` where a study is not of attacks.
    """
    found = []
    for settings, cells in runs:
        rows = leaderboard(cells, level or DEFAULT_LEVEL).rows
        arms: list[tuple[str, Arm | None]] = [
            (arm.spec, arm) for arm in design.arms if arm.settings == settings
        ]
        arms += [(spec, None) for spec in design.beside]
        for group in dict.fromkeys(map(group_of, cells)):
            judged = [row for row in rows if group_of(row) == group]
            for spec, arm in arms:
                own = [cell for cell in cells if group_of(cell) == group and cell.spec == spec]
                if own:
                    found.append(_observed(spec, arm, group, judged, own, level))
    return sorted(found, key=_place)


def alarms(runs: Iterable[tuple[Settings, Sequence[CellFile]]]) -> dict[str, str]:
    """The datasets whose membership figures mean nothing, or may, and why."""
    return {dataset: why for _, cells in runs for dataset, why in shifted(leaderboard(cells)).items()}


def group_of(one: CellFile | Row) -> Group:
    """What a cell or a row is compared within."""
    protocol = one.protocol if isinstance(one, Row) else one.setting.protocol
    return Group.model_validate(
        {"dataset": one.dataset, "model": one.model, "tuning": one.tuning, "protocol": protocol}
    )


def courses_of(cells: Iterable[CellFile]) -> list[Course]:
    """How the undefended runs went, one for each group and seed."""
    found = {
        (group_of(cell), cell.seed): cell.training for cell in cells if cell.undefended and cell.training
    }
    return [
        Course(
            group=group,
            seed=seed,
            validation_nll=training.validation_nll,
            best_epoch=training.best_epoch,
        )
        for (group, seed), training in found.items()
    ]


def _place(one: Observed) -> tuple[str, bool, str, float]:
    point = one.point
    return point.group.title, point.value is None, point.series, point.value or 0.0


def _observed(
    spec: str,
    arm: Arm | None,
    group: Group,
    rows: Sequence[Row],
    cells: Sequence[CellFile],
    level: Knowledge | None,
) -> Observed:
    own = [row for row in rows if row.spec == spec]
    flags = {flag for one in own for flag in one.flags} - (OF_LEAKS if level is None else set())
    row, floor = own[0], next((row for row in rows if row.spec == "reference"), None)
    extraction = next((r.extraction.not_in_prefix for r in own if r.extraction and r.unit == "span"), None)
    judged = comparable(rows) if level is not None else []
    worst = strongest([r for r in judged if r.spec == spec], level or DEFAULT_LEVEL)
    kept, ends = row.memorization, None if worst is None else worst.leakage.evaluation_ci
    point = Point(
        group=group,
        series=spec if arm is None else arm.series,
        spec=spec,
        value=None if arm is None else arm.value,
        members=cells[0].counts.members,
        seeds=row.seeds,
        nll=row.utility.nll,
        reference_nll=None if floor is None else floor.utility.nll,
        gain_kept=row.utility.gain_kept,
        tra_pii=None if kept is None else kept.tra_pii,
        tra_pii_ci=None if kept is None else kept.tra_pii_ci,
        tra_other=None if kept is None else kept.tra_other,
        share_above_1_nat=None if kept is None else kept.share_above_1_nat,
        extracted=None if extraction is None else extraction.rate,
        extracted_ci=None if extraction is None else extraction.rate_ci,
        extracted_floor=None if extraction is None else extraction.reference_rate,
        leak=None if worst is None else leaked(worst),
        leak_ci=None if ends is None else (max(0.0, ends[0]), max(0.0, ends[1])),
        leak_attack=None if worst is None else f"{worst.attack_spec} on {worst.unit}s",
        flags=tuple(sorted(flags)),
    )
    return Observed(point, {cell.seed: cell for cell in cells if cell.memorization_evidence is not None})

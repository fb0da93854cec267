"""What a run's folder has to show: the models of one dataset, model, setting and seed, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bench.errors import InputError
from bench.plan import Plan, stored_plans
from bench.store import Store, digest
from bench.tasks import Lab, Source

AGAIN = "run it again with the options that it had and `--attack tra`"


@dataclass(frozen=True)
class Panel:
    """The models that can be compared on the records of one lab.

    Attributes:
        reference: the auditor's, which has not seen the record in question.
        rows: by name, floors first; those whose signals the folder keeps.
        undefended: the name of the undefended row, None where there is none.
        missing: the names of rows that were planned, and whose signals are not here.
    """

    lab: Lab
    reference: Source
    rows: Mapping[str, Source]
    undefended: str | None
    missing: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What it is of, in words."""
        lab = self.lab
        return f"{lab.dataset} · {lab.model} · {lab.settings.tuning} fine-tuning · seed {lab.seed}"

    @property
    def told_apart_by(self) -> dict[str, str]:
        """What panels differ in, by the names of options and of the leaderboard's columns."""
        lab = self.lab
        return {
            "dataset": lab.dataset,
            "model": lab.model,
            "tuning": lab.settings.tuning,
            "seed": str(lab.seed),
            "setting": digest(lab.setting)[:12],
        }

    @cached_property
    def places(self) -> dict[str, tuple[str, int]]:
        """By id, the split and the place in it of every record that models are judged on."""
        return {
            one.id: (split, place)
            for split in self.lab.audited
            for place, one in enumerate(self.lab.splits[split])
        }


def panels(store: Store, passed_over: list[str]) -> list[Panel]:
    """All that a folder has to show; runs no model.

    Args:
        passed_over: is told of runs whose data, plugins or signals are gone, one line each.

    Raises:
        InputError: there is nothing to show; the message says what is missing and what to run.
    """
    plans = list(stored_plans(store, passed_over))
    if not plans:
        why = passed_over[0] if passed_over else "it does not say what was run, as no published folder does"
        raise InputError(f"no token of {store.root} can be looked at: {why}; {AGAIN}")
    planned = _planned(plans)
    if not planned:
        raise InputError(f"no model of {store.root} was set against the auditor's reference: {AGAIN}")
    found = []
    for panel in planned:
        if (kept := _kept(panel, store)) is None:
            passed_over.append(f"{panel.title}: no signals are here that follow from today's code and data")
        else:
            found.append(kept)
    if not found:
        raise InputError(f"no token of {store.root} can be looked at: {passed_over[-1]}; {AGAIN}")
    return found


def _planned(plans: Sequence[Plan]) -> list[Panel]:
    """What runs planned, put together where one added rows to another's."""
    found: dict[tuple[str, ...], Panel] = {}
    for cell in (cell for plan in plans for cell in plan.cells if "complement" in cell.sources):
        panel = Panel(cell.lab, cell.sources["complement"], {}, None)
        key = tuple(panel.told_apart_by.values())
        known = found.get(key, panel)
        bare = cell.defense is not None and cell.defense.undefended
        found[key] = Panel(
            known.lab,
            known.reference,
            {**known.rows, cell.spec: cell.sources["target"]},
            known.undefended or (cell.spec if bare else None),
        )
    return list(found.values())


def _kept(panel: Panel, store: Store) -> Panel | None:
    """The panel with the rows whose signals are here; None where none are, or not the reference's."""
    here = {name: row for name, row in panel.rows.items() if _has(row, store)}
    if not here or not _has(panel.reference, store):
        return None
    undefended = panel.undefended if panel.undefended in here else None
    missing = tuple(name for name in panel.rows if name not in here)
    return Panel(panel.lab, panel.reference, here, undefended, missing)


def _has(source: Source, store: Store) -> bool:
    return all(store.has_signals(scoring.key) for scoring in source.scorings)

"""What a run's folder has to show: the models of one dataset, model, setting and seed, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bench.errors import InputError
from bench.names import did_you_mean
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

    @cached_property
    def places(self) -> dict[str, tuple[str, int]]:
        """By id, the split and the place in it of every record that models are judged on."""
        return {
            one.id: (split, place)
            for split in self.lab.audited
            for place, one in enumerate(self.lab.splits[split])
        }


CHOICES: dict[str, Callable[[Panel], str]] = {
    "dataset": lambda panel: panel.lab.dataset,
    "model": lambda panel: panel.lab.model,
    "tuning": lambda panel: panel.lab.settings.tuning,
    "seed": lambda panel: str(panel.lab.seed),
    "setting": lambda panel: digest(panel.lab.setting)[:12],
}
"""What panels are told apart by: the names of options, and of the leaderboard's columns."""


def panels(store: Store, passed_over: list[str]) -> list[Panel]:
    """All that a folder has to show; runs no model.

    Args:
        passed_over: is told of the runs whose data or plugins are gone, one line each.

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
    kept = [one for panel in planned if (one := _kept(panel, store)) is not None]
    if not kept:
        raise InputError(
            f"{store.root} keeps no signals of {planned[0].title} that follow from today's code, packages "
            f"and data: {AGAIN}"
        )
    return kept


def _planned(plans: Sequence[Plan]) -> list[Panel]:
    """What runs planned, put together where one added rows to another's."""
    found: dict[tuple[str, ...], Panel] = {}
    for cell in (cell for plan in plans for cell in plan.cells if "complement" in cell.sources):
        panel = Panel(cell.lab, cell.sources["complement"], {}, None)
        key = tuple(of(panel) for of in CHOICES.values())
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


def narrowed(found: Sequence[Panel], choice: Mapping[str, str | None]) -> list[Panel]:
    """The panels that fit a choice by name.

    Raises:
        InputError: none has a value that was asked for.
    """
    left = list(found)
    for name, wanted in choice.items():
        if wanted is None:
            continue
        known = list(dict.fromkeys(CHOICES[name](panel) for panel in left))
        if wanted not in known:
            hint = did_you_mean(wanted, known)
            raise InputError(f"--{name} {wanted}: there is none{hint} (there is: {', '.join(known)})")
        left = [panel for panel in left if CHOICES[name](panel) == wanted]
    return left


def panel_of(found: Sequence[Panel], record: str, run_dir: object) -> Panel:
    """The one panel in which a record is judged.

    Raises:
        InputError: it is in none, or in several.
    """
    holding = [panel for panel in found if record in panel.places]
    if len(holding) == 1:
        return holding[0]
    if holding:
        raise InputError(f"record {record} is in several places: give {_tells_apart(holding)}")
    for panel in found:
        for split, records in panel.lab.splits.items():
            if any(one.id == record for one in records):
                raise InputError(
                    f"record {record} is in the {split} split of {panel.lab.dataset}, which no model is "
                    f"judged on; `bench inspect {run_dir}` lists those that are"
                )
    known = [one for panel in found for one in panel.places]
    raise InputError(
        f"no record is called {record!r}{did_you_mean(record, known)}; `bench inspect {run_dir}` lists them"
    )


def _tells_apart(holding: Sequence[Panel]) -> str:
    """The options, with their values, that tell panels apart; the setting only where no other does."""
    values = {name: list(dict.fromkeys(of(panel) for panel in holding)) for name, of in CHOICES.items()}
    named = [name for name in CHOICES if name != "setting" and len(values[name]) > 1]
    if len({tuple(CHOICES[name](panel) for name in named) for panel in holding}) < len(holding):
        named.append("setting")
    return " and ".join(f"--{name} ({' or '.join(values[name])})" for name in named)


def rows_called(panel: Panel, names: Iterable[str]) -> list[str]:
    """The rows that a user names, in the panel's order; all where none is named.

    Raises:
        InputError: there is no such row.
    """
    from bench.registry import defenses

    wanted = []
    for name in names:
        spec = name if name in panel.rows else None
        if spec is None and name.partition(":")[0] in defenses().names():
            spec = defenses().parse(name).spec
        if spec not in panel.rows:
            known = ", ".join(panel.rows)
            gone = ", which was planned, but its signals are not here" if spec in panel.missing else ""
            hint = did_you_mean(name, panel.rows) if not gone else ""
            raise InputError(f"--defense {name}: there is none{gone}{hint} (there is: {known})")
        wanted.append(spec)
    return [name for name in panel.rows if name in wanted] if wanted else list(panel.rows)

"""The one panel and the rows that a user means, or an error that tells how to name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bench.errors import InputError
from bench.inspection.panels import Panel
from bench.names import did_you_mean
from bench.registry import defenses


def narrowed(found: Sequence[Panel], choice: Mapping[str, str | None]) -> list[Panel]:
    """The panels that fit a choice by name.

    Raises:
        InputError: none has a value that was asked for.
    """
    left = list(found)
    for name, wanted in choice.items():
        if wanted is None:
            continue
        known = list(dict.fromkeys(panel.told_apart_by[name] for panel in left))
        if wanted not in known:
            hint = did_you_mean(wanted, known)
            raise InputError(f"--{name} {wanted}: there is none{hint} (there is: {', '.join(known)})")
        left = [panel for panel in left if panel.told_apart_by[name] == wanted]
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
    names = list(holding[0].told_apart_by)
    values = {name: list(dict.fromkeys(panel.told_apart_by[name] for panel in holding)) for name in names}
    named = [name for name in names if name != "setting" and len(values[name]) > 1]
    if len({tuple(panel.told_apart_by[name] for name in named) for panel in holding}) < len(holding):
        named.append("setting")
    return " and ".join(f"--{name} ({' or '.join(values[name])})" for name in named)


def rows_called(panel: Panel, names: Iterable[str]) -> list[str]:
    """The rows that a user names, in the panel's order; all where none is named.

    Raises:
        InputError: there is no such row.
    """
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

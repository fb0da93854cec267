"""What a study runs: places along one axis, each a row of a matrix with settings of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.errors import InputError
from bench.experiment import Settings, settings_from
from bench.names import did_you_mean
from bench.plan import make_labs
from bench.registry import attacks, defenses

MEMORIZATION = ("tra", "extraction")
"""The attacks that memorization is read off."""

AGAINST = "population"
"""What the adversary of `frontier` has, and who says in `difficulty` how hard a token is."""

LEAKAGE = ("loss", "zlib", "reference", f"tra:against={AGAINST}", *MEMORIZATION)

COMPARED = ("early-stopping",)
"""What `size` and `learning-rate` show beside the undefended run."""

MOST_EPOCHS = 20
"""Places that `dynamics` looks at unless it is told which."""

SIZES = (1 / 8, 1 / 4, 1 / 2, 1.0)
RATES = (1 / 3, 1.0, 3.0)
"""Of the records there are, and of the learning rate."""

LEAST_RECORDS = 40
"""Fewer records, in all splits, are no corpus to train on."""


@dataclass(frozen=True)
class Arm:
    """One place on the axis.

    Attributes:
        value: where it lies.
        settings: of the run that it is a row of.
        spec: the row.
        series: what it is joined with to a line.
    """

    value: float
    settings: Settings
    spec: str
    series: str


@dataclass(frozen=True)
class Design:
    """A study: its name, what it varies, in words, and what it looks at.

    Attributes:
        beside: rows that lie on no place of the axis, and are shown for comparison.
    """

    study: str
    axis: str
    arms: tuple[Arm, ...]
    beside: tuple[str, ...] = ()


def dynamics(settings: Settings, vary: str | None) -> Design:
    """The undefended run after each epoch: one training, looked at on its way."""
    if settings.defense:
        raise InputError("dynamics is of the undefended run; leave --defense out")
    undefended = undefended_name()
    epochs = _values(vary, "epochs") if vary else [str(epoch) for epoch in _spread(settings.epochs)]
    if len(epochs) < 2:
        raise InputError(f"dynamics needs two epochs or more to look at; raise --epochs {settings.epochs}")
    specs = [
        undefended if float(epoch) == settings.epochs else f"{undefended}:epochs={epoch}" for epoch in epochs
    ]
    whole = _with(settings, defense=[undefended, *specs], attack=settings.attack or MEMORIZATION)
    arms = [
        Arm(float(epoch), whole, defenses().parse(spec).spec, undefended)
        for epoch, spec in zip(epochs, specs, strict=True)
    ]
    return Design("dynamics", "epochs", tuple(arms))


def size(settings: Settings, vary: str | None) -> Design:
    """The same training on ever more records."""
    there = min(sum(map(len, lab.splits.values())) for lab in make_labs(settings, weights=False))
    if vary:
        limits = _values(vary, "limit")
        if float(limits[-1]) > there:
            raise InputError(f"--vary {vary}: there are only {there} records")
    else:
        limits = [str(round(share * there)) for share in SIZES if share * there >= LEAST_RECORDS]
        if len(limits) < 2:
            raise InputError(
                f"size compares two corpora or more, of {LEAST_RECORDS} records or more, and there are "
                f"{there}; give --vary limit=A,B"
            )
    return _of_setting("size", "records in all splits", settings, "limit", limits)


def learning_rate(settings: Settings, vary: str | None) -> Design:
    """The same training in smaller and in larger steps."""
    if vary:
        rates = _values(vary, "learning_rate")
    else:
        usual = {settings.learning_rate_for(model) for model in settings.model}
        if len(usual) > 1:
            raise InputError("the models have different learning rates; give --vary learning_rate=A,B,C")
        rates = [f"{share * rate:.4g}" for rate in usual for share in RATES]
    return _of_setting("learning-rate", "learning rate", settings, "learning_rate", rates)


def frontier(settings: Settings, vary: str | None) -> Design:
    """One defense with ever other values of one parameter, beside the undefended run."""
    if len(settings.defense) != 1:
        raise InputError("a frontier is of one defense; give --defense once, such as --defense trap")
    if not vary:
        raise InputError("a frontier needs --vary, such as --vary strength=0.5,1,2,4")
    (defense,) = settings.defense
    given, values = _varied(vary)
    name = given.replace("-", "_")
    kind = defenses().get(defense.partition(":")[0])
    if name not in kind.model_fields:
        takes = ", ".join(kind.model_fields) or "no parameters"
        hint = did_you_mean(name, kind.model_fields)
        raise InputError(f"--vary {vary}: {kind.name} has no parameter {given!r}{hint} (it takes {takes})")
    if name in defenses().parse(defense).model_fields_set:
        raise InputError(f"--defense {defense} sets {name}, which --vary is to set; leave it out there")
    joined = "," if ":" in defense else ":"
    specs = [defenses().parse(f"{defense}{joined}{name}={value}").spec for value in values]
    undefended = undefended_name()
    whole = _with(settings, defense=[undefended, *specs], attack=settings.attack or LEAKAGE)
    arms = [Arm(float(value), whole, spec, defense) for value, spec in zip(values, specs, strict=True)]
    return Design("frontier", name, tuple(arms), ("reference", undefended))


DESIGNS: dict[str, Callable[[Settings, str | None], Design]] = {
    "dynamics": dynamics,
    "size": size,
    "learning-rate": learning_rate,
    "frontier": frontier,
}


def difficulty(settings: Settings) -> Settings:
    """The settings of a run that tells how hard each record is, and how much of it is memorized."""
    if settings.attack:
        raise InputError("difficulty needs the attacks that it is read off, and no other; leave --attack out")
    defended = settings.defense or (undefended_name(), *COMPARED)
    return _with(settings, defense=defended, attack=[f"{MEMORIZATION[0]}:against={AGAINST}"])


def undefended_name() -> str:
    """The registered run without a defense, which all studies compare with."""
    return next(name for name in defenses().names() if defenses().get(name)().undefended)


def _of_setting(study: str, axis: str, settings: Settings, name: str, values: Sequence[str]) -> Design:
    compared = settings.defense or (undefended_name(), *COMPARED)
    specs = [defenses().parse(spec).spec for spec in compared]
    arms = []
    for value in values:
        chosen = _with(
            settings, defense=compared, attack=settings.attack or MEMORIZATION, **{name: float(value)}
        )
        arms += [Arm(float(value), chosen, spec, spec) for spec in specs]
    return Design(study, axis, tuple(arms))


def _with(settings: Settings, **changed: Any) -> Settings:
    """Settings with some of them changed, checked again; memorization needs its attack."""
    needed = MEMORIZATION[0]
    if needed not in {attacks().parse(spec).spec for spec in changed["attack"]}:
        changed["attack"] = [*changed["attack"], needed]
    return settings_from(settings.model_dump(exclude_unset=True) | changed)


def _spread(last: int) -> list[int]:
    """All epochs, or as many as are looked at, ever further apart."""
    if last <= MOST_EPOCHS:
        return list(range(1, last + 1))
    return sorted({round(epoch) for epoch in np.geomspace(1, last, MOST_EPOCHS)})


def _values(vary: str, only: str) -> list[str]:
    name, values = _varied(vary)
    if name.replace("-", "_") != only:
        raise InputError(f"--vary {vary}: this study varies {only}; give --vary {only}=A,B,C")
    return values


def _varied(vary: str) -> tuple[str, list[str]]:
    """What `--vary` names, and its values, in order and each once."""
    name, equals, given = vary.partition("=")
    try:
        values = {float(value): value.strip() for value in given.split(",") if value.strip()}
    except ValueError:
        raise InputError(f"--vary {vary}: the values of an axis must be numbers") from None
    if not equals or len(values) < 2 or not all(map(np.isfinite, values)):
        raise InputError(f"--vary {vary}: give a name and two values or more, such as strength=0.5,1,2,4")
    return name.strip(), [values[value] for value in sorted(values)]

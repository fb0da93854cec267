"""The plan: from settings to the cells of a run, and the trainings and scorings that they need."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from bench import processes
from bench.attack import Attack, ExtractionAttack, Knowledge
from bench.defense import Defense
from bench.errors import InputError
from bench.experiment import Settings, chosen_plugins, settings_from
from bench.graph import Task, tasks_of
from bench.models.finding import find_model, shown
from bench.models.loading import load_tokenizer, longest_input
from bench.records.cards import load_card, load_records
from bench.records.splits import split
from bench.reference import ReferenceTraining
from bench.store import Store
from bench.tasks import OTHER_HALF, Cell, Lab, Scoring, Source, Training

AUDITOR_SEED_OFFSET = 1_000_003
ADVERSARY_SEED_OFFSET = 2_000_003
KNOWN = ", ".join(get_args(Knowledge))


@dataclass(frozen=True)
class Plan:
    """What a run will do: the cells in order; trainings and scorings follow from them."""

    cells: tuple[Cell, ...]

    def missing(self, store: Store) -> list[Cell]:
        """The cells that the store does not hold yet, or holds with another key."""
        return [cell for cell in self.cells if store.cell_key(cell.name) != cell.key]

    def tasks(self, store: Store) -> list[Task]:
        """What the missing cells need, each task after those that it waits for."""
        return tasks_of(store, self.missing(store))


def make_plan(settings: Settings, labs: Sequence[Lab] | None = None, weights: bool = True) -> Plan:
    """Expand settings into cells: every dataset, model, seed, defense and attack, and both floors.

    Args:
        labs: in place of those that the settings name.
        weights: whether models must have theirs; a plan that is not carried out can do without.

    Raises:
        InputError: something that the settings name does not exist or does not fit.
    """
    defenses, attacks = chosen_plugins(settings)
    for attack in attacks:
        _check_attack(attack)
    chosen = make_labs(settings, weights) if labs is None else labs
    _check_tokenizers(attacks, chosen)
    return Plan(tuple(cell for lab in chosen for cell in _cells(lab, defenses, attacks)))


def stored_plans(store: Store, passed_over: list[str]) -> Iterator[Plan]:
    """What the runs into a folder planned, where their data, models and plugins are still there.

    Args:
        passed_over: is told of the others, one line each.
    """
    for given in store.settings():
        try:
            yield make_plan(settings_from(given))
        except InputError as error:
            passed_over.append(str(error))


def make_labs(settings: Settings, weights: bool = True) -> list[Lab]:
    """Every dataset, model and seed of the settings, with its records split.

    Args:
        weights: whether models must have theirs.

    Raises:
        InputError: something that the settings name does not exist or does not fit.
    """
    cards = [load_card(name) for name in dict.fromkeys(settings.dataset)]
    models = [(shown(model), find_model(model, weights)) for model in dict.fromkeys(settings.model)]
    for model, folder in models:
        _check_length(settings.max_length, model, folder)
    corpora = [
        split(
            load_records(card, settings.data_dir, settings.limit, settings.split_seed),
            settings.shares,
            settings.split_seed,
        )
        for card in cards
    ]
    device = _device(settings)
    return [
        Lab(card.name, splits, model, folder, settings, seed, device)
        for card, splits in zip(cards, corpora, strict=True)
        for model, folder in models
        for seed in dict.fromkeys(settings.seed)
    ]


def _device(settings: Settings) -> str:
    """The type of device that models are run on, which need not be this machine's."""
    if settings.executor == "ray":
        from bench.cluster.connection import device_of

        return device_of(settings.address)
    from bench.device import pick_device

    return pick_device().type


def _check_length(max_length: int, model: str, folder: Path) -> None:
    longest = longest_input(folder)
    if longest is not None and max_length + 1 > longest:
        raise InputError(
            f"max_length={max_length} is not allowed: {model} takes {longest} tokens, "
            "one of them the start token"
        )


def _check_attack(attack: Attack) -> None:
    if attack.knowledge not in get_args(Knowledge):
        raise InputError(f"attack {attack.name}: knowledge {attack.knowledge!r} is not one of {KNOWN}")
    for source in attack.sources:
        if source.startswith("model:"):
            find_model(source.removeprefix("model:"))
        elif source not in get_args(Knowledge):
            raise InputError(f"attack {attack.name}: source {source!r} is not one of {KNOWN}, model:NAME")


def _check_tokenizers(attacks: Sequence[Attack], labs: Sequence[Lab]) -> None:
    """TRA and reference scores compare models token by token, which means nothing across tokenizers."""
    others = {name.removeprefix("model:") for attack in attacks for name in attack.sources if ":" in name}
    audited = {lab.folder: lab.model for lab in labs}
    for other, (folder, model) in itertools.product(sorted(others), audited.items()):
        theirs, ours = (load_tokenizer(one)[0].get_vocab() for one in (find_model(other), folder))
        if ours != theirs:
            raise InputError(f"model {other} has another tokenizer than {model}; a reference must share it")


def _cells(lab: Lab, defenses: Sequence[Defense], attacks: Sequence[Attack]) -> list[Cell]:
    base = Source((Scoring(lab),))
    floors = {"base": base, "reference": _unseen(lab, "reference", lab.seed)}
    adversary = Training(
        lab, "adversary", ReferenceTraining(), ("population",), lab.seed + ADVERSARY_SEED_OFFSET
    )
    helpers = {
        "complement": _unseen(lab, "auditor", lab.seed + AUDITOR_SEED_OFFSET),
        "population": Source((Scoring(lab, adversary),)),
        "base": base,
    }

    def cell(
        row: str, defense: Defense | None, audited: Source, attack: Attack, best: Scoring | None
    ) -> Cell:
        sources = {"target": audited}
        for source in attack.sources:
            if source.startswith("model:"):
                sources[source] = Source((Scoring(lab, other_model=source.removeprefix("model:")),))
            elif source != "target":
                sources[source] = helpers[source]
        if isinstance(attack, ExtractionAttack):
            sources |= {f"floor:{name}": floor for name, floor in floors.items()}
        return Cell(lab, row, defense, attack, sources, best)

    cells = [cell(name, None, floor, attack, None) for name, floor in floors.items() for attack in attacks]
    for defense in defenses:
        training = training_of(lab, defense)
        audited = Source((Scoring(lab, training),))
        best = Scoring(lab, training, best=True) if defense.undefended else None
        cells += [cell(defense.name, defense, audited, attack, best) for attack in attacks]
    return cells


def _unseen(lab: Lab, role: str, seed: int) -> Source:
    """For each half that is trained on, a model fine-tuned on the other one."""
    return Source(tuple(Scoring(lab, _reference(lab, OTHER_HALF[half], role, seed)) for half in lab.members))


def _reference(lab: Lab, half: str, role: str, seed: int) -> Training:
    """A model fine-tuned on one half, as a reference for records of the other."""
    named = role if half == "complement" else f"{role} of {half}"
    return Training(lab, named, ReferenceTraining(), (half,), seed)


def training_of(lab: Lab, defense: Defense) -> Training:
    """The training of a defense, checked, with one reference for each half that it trains on.

    Raises:
        InputError: the defense's parameters do not fit.
    """
    if processes.count() > 1 and type(defense).updates is not Defense.updates:
        raise InputError(
            f"{defense.spec} has steps of its own, which several processes cannot share; run it in one"
        )
    halves = lab.members if len(lab.members) > 1 else defense.trains_on
    references = tuple(_reference(lab, OTHER_HALF[half], "reference", lab.seed) for half in halves)
    training = Training(
        lab, defense.spec, defense, halves, lab.seed, references if defense.uses_reference else ()
    )
    defense.check(training.units, lab.schedule)
    return training

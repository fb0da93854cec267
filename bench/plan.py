"""The plan: from settings to trainings, scorings and cells, each with the key of what it computes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

from bench.attack import Attack, Decoding, ExtractionAttack
from bench.defense import Defense
from bench.errors import InputError
from bench.experiment import Settings, chosen_plugins
from bench.models.loading import find_model, longest_input, model_digest
from bench.records.cards import load_card, load_records
from bench.records.record import Record
from bench.records.splits import split
from bench.store import Store, digest
from bench.updates import Schedule

AUDITED = ("target", "holdout")
"""The members and the non-members: what every model is scored on."""

AUDITOR_SEED_OFFSET = 1_000_003
ADVERSARY_SEED_OFFSET = 2_000_003

TRAINING_CODE = (
    "batches",
    "defense",
    "models/loading",
    "models/tuning",
    "signals",
    "tokens",
    "training",
    "updates",
)
SCORING_CODE = ("batches", "models/loading", "models/tuning", "signals", "tokens")
CELL_CODE = ("attack", "evaluation", "signals", "statistics", "tokens")
PACKAGES = ("torch", "transformers", "peft", "opacus")


class ReferenceTraining(Defense):
    """How every reference model is made: plain fine-tuning that stops at its validation minimum."""

    name: ClassVar[str] = "reference"

    @property
    def stops_after(self) -> int | None:
        """Three epochs without a better validation loss."""
        return 3


@dataclass(frozen=True)
class Lab:
    """One dataset, one model and one seed: what all their trainings share."""

    dataset: str
    splits: dict[str, list[Record]] = field(repr=False)
    model: str
    folder: Path
    settings: Settings
    seed: int
    device: str

    @cached_property
    def data_digest(self) -> str:
        """A hash of every record and of the split that it is in."""
        return digest(
            {
                name: [[r.id, r.text, r.group, [[s.start, s.end, s.label] for s in r.spans]] for r in records]
                for name, records in self.splits.items()
            }
        )

    @cached_property
    def schedule(self) -> Schedule:
        """Epochs, batch size and learning rate."""
        settings = self.settings
        return Schedule(settings.epochs, settings.batch_size, settings.learning_rate_for(self.model))

    @cached_property
    def setting(self) -> dict[str, Any]:
        """What two cells must share for their figures to be compared, as JSON values."""
        return {
            "protocol": "half",
            "records": {name: len(records) for name, records in self.splits.items()},
            "data": self.data_digest,
            "weights": _model_digest(self.folder),
            "max_length": self.settings.max_length,
            "epochs": self.schedule.epochs,
            "batch_size": self.schedule.batch_size,
            "learning_rate": self.schedule.learning_rate,
            "device": self.device,
            "dtype": "float32",
            "attention": "sdpa",
        }

    def identity(self, code: Sequence[str]) -> dict[str, Any]:
        """What every key of this lab covers: data, model, schedule, packages and our own code."""
        return {
            "setting": self.setting,
            "tuning": self.settings.tuning,
            "packages": {package: version(package) for package in PACKAGES},
            "code": _code_digest(tuple(code)),
        }


@cache
def _model_digest(folder: Path) -> str:
    return model_digest(folder)


@cache
def _code_digest(modules: tuple[str, ...]) -> str:
    here = Path(__file__).parent
    return digest([hashlib.sha256((here / f"{module}.py").read_bytes()).hexdigest() for module in modules])


@dataclass(frozen=True)
class Training:
    """One fine-tuning: who is trained, on which splits, with which references."""

    lab: Lab
    role: str
    defense: Defense
    trained_on: tuple[str, ...]
    seed: int
    references: tuple[Training, ...] = ()

    @cached_property
    def key(self) -> str:
        """The content address of what comes out."""
        return digest(
            {
                "identity": self.lab.identity(TRAINING_CODE),
                "defense": [self.defense.name, self.defense.parameters, self.defense.source_digest()],
                "trained_on": self.trained_on,
                "seed": self.seed,
                "references": [reference.key for reference in self.references],
            }
        )


@dataclass(frozen=True)
class Scoring:
    """One forward pass of one model over some splits."""

    lab: Lab
    training: Training | None = None
    other_model: str | None = None
    best: bool = False
    splits: tuple[str, ...] = AUDITED
    decodings: tuple[Decoding, ...] = ()

    @cached_property
    def model_key(self) -> str:
        """The content address of the model's figures, whichever ways of sampling come with them."""
        other = _model_digest(find_model(self.other_model)) if self.other_model is not None else None
        return digest(
            {
                "identity": self.lab.identity(SCORING_CODE),
                "training": None if self.training is None else self.training.key,
                "other_model": other,
                "best": self.best,
                "splits": self.splits,
            }
        )

    @cached_property
    def key(self) -> str:
        """The content address of what comes out."""
        return digest([self.model_key, [[d.temperature, d.top_k] for d in self.decodings]])


@dataclass(frozen=True)
class Cell:
    """One model under attack by one attack.

    Attributes:
        row: `base`, `reference`, or the defense's name.
        sources: the scoring of every model that the attack reads; `target` is the model under attack,
            and `floor:base` and `floor:reference` are what an extraction is compared with.
        best: the scoring of the validation minimum, for the undefended run.
    """

    lab: Lab
    row: str
    defense: Defense | None
    attack: Attack
    sources: dict[str, Scoring] = field(repr=False)
    best: Scoring | None = None

    @property
    def spec(self) -> str:
        """The defense as a user would type it, or the floor's name."""
        return self.row if self.defense is None else self.defense.spec

    @cached_property
    def name(self) -> str:
        """The file name: what the cell is of, whatever code computed it."""
        lab = self.lab
        parts = [lab.dataset, lab.model, lab.settings.tuning, self.spec, self.attack.spec, f"seed{lab.seed}"]
        readable = "-".join(re.sub(r"[^\w.=,-]+", "_", part) for part in parts)
        return f"{readable[:150]}-{digest([parts, lab.setting])[:8]}"

    @cached_property
    def key(self) -> str:
        """The content address of the figures."""
        return digest(
            {
                "identity": self.lab.identity(CELL_CODE),
                "attack": [self.attack.name, self.attack.parameters, self.attack.source_digest()],
                "sources": {name: scoring.model_key for name, scoring in self.sources.items()},
                "best": None if self.best is None else self.best.model_key,
            }
        )


@dataclass(frozen=True)
class Plan:
    """What a run will do: the cells in order; trainings and scorings follow from them."""

    cells: tuple[Cell, ...]

    def missing(self, store: Store) -> list[Cell]:
        """The cells that the store does not hold yet, or holds with another key."""
        return [cell for cell in self.cells if store.cell_key(cell.name) != cell.key]

    def scorings(self, cells: Iterable[Cell], store: Store) -> list[Scoring]:
        """The scorings that these cells still need, in order."""
        needed: dict[str, Scoring] = {}
        for cell in cells:
            for scoring in (*cell.sources.values(), *([cell.best] if cell.best else [])):
                if not store.has_signals(scoring.key):
                    needed.setdefault(scoring.key, scoring)
        return list(needed.values())

    def trainings(self, cells: Iterable[Cell], store: Store) -> list[Training]:
        """The trainings that these cells still need, references before those that use them."""
        needed: dict[str, Training] = {}

        def need(training: Training) -> None:
            if training.key in needed or store.has_model(training.key):
                return
            for reference in training.references:
                need(reference)
            needed[training.key] = training

        for scoring in self.scorings(cells, store):
            if scoring.training is not None:
                need(scoring.training)
        return list(needed.values())


def make_plan(settings: Settings) -> Plan:
    """Expand settings into cells: every dataset, model, seed, defense and attack, and both floors.

    Raises:
        InputError: something that the settings name does not exist or does not fit.
    """
    defenses, attacks = chosen_plugins(settings)
    cards = [load_card(name) for name in settings.dataset]
    models = [(_shown(model), find_model(model)) for model in settings.model]
    for model, folder in models:
        longest = longest_input(folder)
        if longest is not None and settings.max_length + 1 > longest:
            raise InputError(
                f"max_length={settings.max_length} is not allowed: {model} takes {longest} tokens, "
                "one of them the start token"
            )
    for attack in attacks:
        for source in attack.sources:
            if source.startswith("model:"):
                find_model(source.removeprefix("model:"))
    corpora = [
        split(
            load_records(card, settings.data_dir, settings.limit, settings.split_seed),
            settings.shares,
            settings.split_seed,
        )
        for card in cards
    ]
    from bench.device import pick_device

    device = pick_device().type
    cells = [
        cell
        for card, splits in zip(cards, corpora, strict=True)
        for model, folder in models
        for seed in settings.seed
        for cell in _cells(Lab(card.name, splits, model, folder, settings, seed, device), defenses, attacks)
    ]
    return Plan(tuple(cells))


def _shown(model: str) -> str:
    """What results call a model: its name, or its folder's, but no path of this machine."""
    return Path(model).resolve().name if Path(model).is_dir() else model


def _cells(lab: Lab, defenses: Sequence[Defense], attacks: Sequence[Attack]) -> list[Cell]:
    decodings = tuple(dict.fromkeys(decoding for attack in attacks for decoding in attack.decodings))
    reference = Training(lab, "reference", ReferenceTraining(), ("complement",), lab.seed)
    auditor = Training(lab, "auditor", ReferenceTraining(), ("complement",), lab.seed + AUDITOR_SEED_OFFSET)
    adversary = Training(
        lab, "adversary", ReferenceTraining(), ("population",), lab.seed + ADVERSARY_SEED_OFFSET
    )
    floors = {
        "base": Scoring(lab, decodings=decodings),
        "reference": Scoring(lab, reference, decodings=decodings),
    }
    helpers = {
        "complement": Scoring(lab, auditor),
        "population": Scoring(lab, adversary),
        "base": floors["base"],
    }

    def cell(
        row: str, defense: Defense | None, audited: Scoring, attack: Attack, best: Scoring | None
    ) -> Cell:
        sources = {"target": audited}
        for source in attack.sources:
            if source.startswith("model:"):
                sources[source] = Scoring(lab, other_model=source.removeprefix("model:"))
            elif source != "target":
                sources[source] = helpers[source]
        if isinstance(attack, ExtractionAttack):
            sources |= {f"floor:{name}": scoring for name, scoring in floors.items()}
        return Cell(lab, row, defense, attack, sources, best)

    cells = [
        cell(name, None, scoring, attack, None) for name, scoring in floors.items() for attack in attacks
    ]
    for defense in defenses:
        defense.check(sum(len(lab.splits[half]) for half in defense.trains_on))
        training = Training(
            lab, defense.spec, defense, defense.trains_on, lab.seed, _references(lab, defense, reference)
        )
        audited = Scoring(lab, training, decodings=decodings)
        best = Scoring(lab, training, best=True) if defense.undefended else None
        cells += [cell(defense.name, defense, audited, attack, best) for attack in attacks]
    return cells


def _references(lab: Lab, defense: Defense, of_complement: Training) -> tuple[Training, ...]:
    """One reference for each half that the defense trains on, fine-tuned on the other half."""
    if not defense.uses_reference:
        return ()
    of_target = Training(lab, "reference of target", ReferenceTraining(), ("target",), lab.seed)
    by_half = {"target": of_complement, "complement": of_target}
    return tuple(by_half[half] for half in defense.trains_on)

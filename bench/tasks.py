"""What a plan is made of: trainings, scorings and cells, each with the key of what it computes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.attack import Attack, Decoding
from bench.defense import Defense
from bench.experiment import Settings
from bench.models.loading import find_model, model_digest
from bench.records.record import Record
from bench.store import digest
from bench.updates import Schedule

AUDITED = ("target", "holdout")
"""The members and the non-members: what every model is scored on."""

TRAINING_CODE = (
    "batches",
    "defense",
    "models/loading",
    "models/tuning",
    "privacy/accounting",
    "privacy/clipping",
    "privacy/updates",
    "signals",
    "tokens",
    "training",
    "updates",
)
SCORING_CODE = ("batches", "models/loading", "models/tuning", "signals", "tokens")
CELL_CODE = ("attack", "evaluation", "resampling", "signals", "statistics", "tokens")
PACKAGES = ("torch", "transformers", "peft", "opacus")


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

    @property
    def units(self) -> list[str]:
        """The privacy unit of each record that is trained on."""
        return [record.unit for name in self.trained_on for record in self.lab.splits[name]]

    @cached_property
    def schedule(self) -> Schedule:
        """The lab's, unless the defense has its own."""
        return self.defense.scheduled(self.lab.schedule, self.units)

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

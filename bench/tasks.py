"""What a plan is made of: trainings, scorings and cells, each with the key of what it computes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.attack import Attack, Decoding
from bench.defense import Defense
from bench.experiment import Settings
from bench.models.finding import find_model
from bench.models.loading import attention_of, model_digest
from bench.precision import dtype_of
from bench.records.record import Record
from bench.schedule import Schedule
from bench.store import digest

MEMBERS = {"half": ("target",), "full": ("target", "complement")}
"""By protocol, the splits that every defense is fine-tuned on; the holdout is of non-members."""

OTHER_HALF = {"target": "complement", "complement": "target"}

TRAINING_CODE = (
    "batches",
    "defense",
    "models/head",
    "models/loading",
    "models/tuning",
    "privacy/accounting",
    "privacy/clipping",
    "privacy/updates",
    "schedule",
    "signals",
    "tokens",
    "training",
    "updates",
)
SCORING_CODE = ("batches", "models/head", "models/loading", "models/tuning", "signals", "tokens")
CELL_CODE = (
    "attack",
    "blind",
    "cells",
    "comparisons",
    "evaluation/__init__",
    "evaluation/columns",
    "evaluation/extraction",
    "evaluation/membership",
    "evaluation/memorization",
    "evaluation/utility",
    "evidence",
    "resampling",
    "signals",
    "statistics",
    "tokens",
)
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

    @property
    def members(self) -> tuple[str, ...]:
        """The splits whose records are members."""
        return MEMBERS[self.settings.protocol]

    @property
    def audited(self) -> tuple[str, ...]:
        """The splits whose records are judged: the members, then the non-members."""
        return (*self.members, "holdout")

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
            "protocol": self.settings.protocol,
            "records": {name: len(records) for name, records in self.splits.items()},
            "data": self.data_digest,
            "weights": _model_digest(self.folder),
            "max_length": self.settings.max_length,
            "epochs": self.schedule.epochs,
            "batch_size": self.schedule.batch_size,
            "learning_rate": self.schedule.learning_rate,
            "device": self.device,
            "dtype": dtype_of(self.settings.precision, self.device),
            "compiled": self.settings.compile,
            "attention": attention_of(self.folder),
        }

    def identity(self, code: Sequence[str]) -> dict[str, Any]:
        """What every key of this lab covers: data, model, schedule, packages and our own code."""
        return {
            "setting": self.setting,
            "tuning": self.settings.tuning,
            "packages": {package: version(package) for package in PACKAGES},
            "code": _code_digest(tuple(code)),
        }


def code_version() -> str:
    """A hash of everything of ours, and of the packages, that cells are computed with."""
    modules = tuple(sorted({*TRAINING_CODE, *SCORING_CODE, *CELL_CODE}))
    return digest([_code_digest(modules), {package: version(package) for package in PACKAGES}])[:12]


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
        return digest([self.course, asdict(self.defense.stop)])

    @cached_property
    def course(self) -> str:
        """The content address of the trajectory; two that share it differ in nothing but when they stop."""
        return digest(
            {
                "identity": self.lab.identity(TRAINING_CODE),
                "defense": self.defense.course,
                "trained_on": self.trained_on,
                "seed": self.seed,
                "references": [reference.key for reference in self.references],
            }
        )

    @property
    def reference_scorings(self) -> tuple[Scoring, ...]:
        """For each split that is trained on, what its reference says of it."""
        return tuple(
            Scoring(self.lab, reference, splits=() if split in self.lab.audited else (split,))
            for split, reference in zip(self.trained_on, self.references, strict=bool(self.references))
        )


@dataclass(frozen=True)
class Scoring:
    """One forward pass of one model over some splits, those that are audited if none is named."""

    lab: Lab
    training: Training | None = None
    other_model: str | None = None
    best: bool = False
    splits: tuple[str, ...] = ()

    @property
    def covered(self) -> tuple[str, ...]:
        """The splits that are scored."""
        return self.splits or self.lab.audited

    @cached_property
    def key(self) -> str:
        """The content address of what comes out, whichever ways of sampling come with it."""
        other = _model_digest(find_model(self.other_model)) if self.other_model is not None else None
        return digest(
            {
                "identity": self.lab.identity(SCORING_CODE),
                "training": None if self.training is None else self.training.key,
                "other_model": other,
                "best": self.best,
                "splits": self.covered,
            }
        )


@dataclass(frozen=True)
class Source:
    """Whose word is taken on each audited record: one model's, or that of the one that has not seen it.

    Attributes:
        scorings: one, or under cross-fitting two: of a model that has not seen the target half, then
            of one that has not seen the complementary half. Non-members are judged by both in turn.
    """

    scorings: tuple[Scoring, ...]

    def scoring_of(self, split: str, place: int) -> Scoring:
        """Which scoring speaks of the record at this place of this split."""
        if len(self.scorings) == 1:
            return self.scorings[0]
        return self.scorings[place % 2 if split == "holdout" else ("target", "complement").index(split)]


@dataclass(frozen=True)
class Cell:
    """One model under attack by one attack.

    Attributes:
        row: `base`, `reference`, or the defense's name.
        sources: what scores the records for every source that the attack reads, by split where models
            differ: `target` is the model under attack, `floor:base` and `floor:reference` are what an
            extraction is compared with.
        best: the scoring of the validation minimum, for the undefended run.
    """

    lab: Lab
    row: str
    defense: Defense | None
    attack: Attack
    sources: dict[str, Source] = field(repr=False)
    best: Scoring | None = None

    @property
    def spec(self) -> str:
        """The defense as a user would type it, or the floor's name."""
        return self.row if self.defense is None else self.defense.spec

    @property
    def title(self) -> str:
        """What the cell is of, in words."""
        lab = self.lab
        return f"{lab.dataset} · {lab.model} · {self.spec} · {self.attack.spec} · seed {lab.seed}"

    @property
    def trainings(self) -> list[Training]:
        """What the model under attack took, both of its halves and all references included."""
        trained = [scoring.training for scoring in self.sources["target"].scorings if scoring.training]
        return [one for training in trained for one in (training, *training.references)]

    @property
    def scorings(self) -> list[tuple[Scoring, tuple[Decoding, ...]]]:
        """All that the cell reads, and the ways of sampling that each must come with."""
        read = [
            (scoring, self.attack.decodings if name == "target" or name.startswith("floor:") else ())
            for name, source in self.sources.items()
            for scoring in source.scorings
        ]
        return read if self.best is None else [*read, (self.best, ())]

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
                "sources": {
                    name: [scoring.key for scoring in source.scorings]
                    for name, source in self.sources.items()
                },
                "best": None if self.best is None else self.best.key,
            }
        )

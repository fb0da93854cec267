"""Where models are trained and run: each training and each scoring, from the store and into it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bench import processes
from bench.attack import Decoding, TokenSignals
from bench.corpora import Corpora
from bench.device import pick_device
from bench.live import Follow
from bench.models.finding import find_model
from bench.models.loading import load_model
from bench.models.tuning import tuned
from bench.precision import Numerics
from bench.signals import concatenated, score, separated
from bench.store import Store
from bench.tasks import Scoring, Training
from bench.training import Trained, load_state, train_once

if TYPE_CHECKING:
    import torch


STATES = 2
"""A training is stored as it ended and at its validation minimum."""


@dataclass
class Watcher:
    """What wants to know how a run goes: `advance` hears of tokens, `say` of what was done, `follow` of each
    epoch of a training."""

    advance: Callable[[int], None] = lambda tokens: None
    say: Callable[[str], None] = lambda line: None
    follow: Follow = lambda trainings, epoch: None


@dataclass
class Workshop:
    """Trains and scores with what the store holds, and stores what comes out."""

    store: Store
    watcher: Watcher = field(default_factory=Watcher)
    corpora: Corpora = field(default_factory=Corpora)
    _signals: dict[str, list[TokenSignals]] = field(default_factory=dict)

    def train(self, trainings: Sequence[Training]) -> None:
        """Train once for all of these, which differ in nothing but when they stop.

        The signals of their references must be stored.
        """
        first, lab = trainings[0], trainings[0].lab
        records, references = [], []
        for index, split in enumerate(first.trained_on):
            records += self.corpora.tokens(lab, split)
            if first.references:
                said = self.split_of(first.reference_scorings[index], split)
                references += [signals.logprobs for signals in said]
        model = self._fresh(first)
        size = sum(p.numel() * p.element_size() for p in model.parameters() if p.requires_grad)
        self.store.require_space(STATES * len(trainings) * size)
        try:
            delivered = train_once(
                model,
                records,
                self.corpora.tokens(lab, "validation"),
                first.defense,
                first.schedule,
                first.seed,
                references or None,
                self.watcher.advance,
                [training.defense.stop for training in trainings],
                Numerics(lab.settings.precision, lab.settings.compile),
                lambda epoch: self.watcher.follow(trainings, epoch),
            )
        finally:
            gc.collect()
        for training, trained in zip(trainings, delivered, strict=True):
            self._keep(training, trained)

    def _keep(self, training: Training, trained: Trained) -> None:
        tensors = {f"final.{name}": tensor for name, tensor in trained.final.items()}
        if trained.best is not trained.final:
            tensors |= {f"best.{name}": tensor for name, tensor in trained.best.items()}
        about = {
            "privacy": trained.privacy,
            "training": {
                "steps": trained.steps,
                "epochs": trained.epochs,
                "best_epoch": trained.best_epoch,
                "batch_size": training.schedule.batch_size,
                "learning_rate": training.schedule.learning_rate,
                "dtype": trained.dtype,
                "validation_nll": list(trained.validation),
            },
            "train_seconds": trained.train_seconds,
            "peak_memory_mb": trained.peak_memory_mb,
        }
        if processes.is_main():
            self.store.save_model(training.key, tensors, about)
        lab = training.lab
        self.watcher.say(
            f"{lab.dataset} · {lab.model} · seed {lab.seed} · trained {training.role}: "
            f"{trained.epochs} epochs, best {trained.best_epoch}, {trained.train_seconds:.1f} s"
        )

    def score(self, scoring: Scoring, decodings: Sequence[Decoding] = ()) -> None:
        """Run a stored model over the records once, for all these ways of sampling.

        Those that an earlier pass was for are kept, at no cost.
        """
        wanted = dict.fromkeys((*decodings, *self.store.decodings(scoring.key)))
        records = [row for split in scoring.covered for row in self.corpora.tokens(scoring.lab, split)]
        signals = score(self._model_of(scoring), records, tuple(wanted), advance=self.watcher.advance)
        if processes.is_main():
            self.store.save_signals(scoring.key, concatenated(signals))
        self._signals.pop(scoring.key, None)

    def _model_of(self, scoring: Scoring) -> torch.nn.Module:
        if scoring.other_model is not None:
            return load_model(find_model(scoring.other_model), pick_device())
        if scoring.training is None:
            return load_model(scoring.lab.folder, pick_device())
        stored = self.store.load_model(scoring.training.key)

        def part(prefix: str) -> dict[str, torch.Tensor]:
            return {n.removeprefix(prefix): tensor for n, tensor in stored.items() if n.startswith(prefix)}

        model = self._fresh(scoring.training)
        load_state(model, part("final.") | (part("best.") if scoring.best else {}))
        return model

    def _fresh(self, training: Training) -> torch.nn.Module:
        lab = training.lab
        return tuned(load_model(lab.folder, pick_device()), lab.settings.tuning, lab.seed)

    def signals_of(self, scoring: Scoring) -> list[TokenSignals]:
        """The stored signals of every record of the scoring's splits, in order."""
        if scoring.key not in self._signals:
            self._signals[scoring.key] = separated(self.store.load_signals(scoring.key))
        return self._signals[scoring.key]

    def split_of(self, scoring: Scoring, split: str) -> list[TokenSignals]:
        """The signals of one of the splits that a scoring covers."""
        before = scoring.covered[: scoring.covered.index(split)]
        start = sum(len(scoring.lab.splits[name]) for name in before)
        return self.signals_of(scoring)[start : start + len(scoring.lab.splits[split])]

"""Carries a plan out: trains and scores what is missing, and writes the cells."""

from __future__ import annotations

import gc
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.attack import TokenSignals
from bench.device import pick_device
from bench.errors import InputError, RunError
from bench.evaluation import Subject, attack_results, memorization, utility
from bench.models.loading import find_model, load_model, load_tokenizer
from bench.models.tuning import tuned
from bench.plan import Plan
from bench.results import CellFile
from bench.signals import concatenated, score, separated
from bench.store import Store
from bench.tasks import AUDITED, Cell, Lab, Scoring, Training
from bench.tokens import Tokens, tokenize
from bench.training import load_state, train

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast


@dataclass
class Watcher:
    """What wants to know how a run goes: `advance` hears of tokens, `say` of what was done."""

    advance: Callable[[int], None] = lambda tokens: None
    say: Callable[[str], None] = lambda line: None


@dataclass
class Runner:
    """Computes cells, pulling in the scorings and trainings that they need."""

    store: Store
    watcher: Watcher = field(default_factory=Watcher)
    show_text: bool = False
    _failed: dict[str, str] = field(default_factory=dict)
    _tokenizers: dict[Path, tuple[PreTrainedTokenizerFast, int]] = field(default_factory=dict)
    _tokens: dict[tuple[int, str], list[Tokens]] = field(default_factory=dict)
    _signals: dict[str, list[TokenSignals]] = field(default_factory=dict)

    def run(self, plan: Plan) -> dict[str, str]:
        """Compute every missing cell; a failing plugin takes down its own cells only.

        Returns:
            what failed, and why, one line each.
        """
        failed = {}
        self.store.open()
        for cell in plan.missing(self.store):
            try:
                self.store.save_cell(cell.name, self._cell(cell))
            except InputError:
                raise
            except (Exception, SystemExit) as error:
                failed[f"{cell.lab.dataset} {cell.spec} {cell.attack.spec}"] = self.line_of(error)
        return failed

    def tokens(self, trainings: Sequence[Training], scorings: Sequence[Scoring]) -> int:
        """How many tokens these pass through a model, if no training stops early."""
        trained = sum(
            training.schedule.epochs * self._length(training.lab, training.trained_on)
            for training in trainings
        )
        return trained + sum(self._length(scoring.lab, scoring.splits) for scoring in scorings)

    def _length(self, lab: Lab, splits: Sequence[str]) -> int:
        return sum(len(row) for name in splits for row in self._tokens_of(lab, name))

    def _cell(self, cell: Cell) -> dict[str, Any]:
        lab = cell.lab
        subjects = self._subjects(lab, cell.sources)
        members = [subject for subject in subjects if subject.member]
        holdout = [subject for subject in subjects if not subject.member]
        training = cell.sources["target"].training
        about = {} if training is None else self.store.about_model(training.key)
        figures = utility(holdout)
        if cell.best is not None:
            best = self._subjects(lab, {"target": cell.best})
            figures["best_nll"] = utility([subject for subject in best if not subject.member])["nll"]
        defense = cell.defense
        cell_file = {
            "key": cell.key,
            "dataset": lab.dataset,
            "model": lab.model,
            "tuning": lab.settings.tuning,
            "setting": lab.setting,
            "seed": lab.seed,
            "defense": cell.row,
            "params": {} if defense is None else defense.parameters,
            "spec": cell.spec,
            "undefended": defense is not None and defense.undefended,
            "trained_on": () if training is None else training.trained_on,
            "attack": cell.attack.name,
            "attack_params": cell.attack.parameters,
            "attack_spec": cell.attack.spec,
            "knowledge": cell.attack.knowledge,
            "results": attack_results(cell.attack, subjects),
            "utility": figures,
            "memorization": memorization(members, "complement") if "complement" in cell.sources else None,
            "privacy": about.get("privacy"),
            "training": about.get("training"),
            "cost": {
                "train_seconds": self._seconds(training),
                "peak_memory_mb": about.get("peak_memory_mb", 0.0),
                "trainings": 0 if training is None else 1 + len(training.references),
            },
            "counts": _counts(members, holdout),
        }
        return CellFile.model_validate(cell_file).model_dump(mode="json", by_alias=True)

    def _seconds(self, training: Training | None) -> float:
        """How long a training took, those of its references included."""
        trainings = [] if training is None else [training, *training.references]
        return float(sum(self.store.about_model(one.key)["train_seconds"] for one in trainings))

    def _subjects(self, lab: Lab, sources: dict[str, Scoring]) -> list[Subject]:
        signals = {name: self.signals_of(scoring) for name, scoring in sources.items()}
        tokens = [(row, name == "target") for name in AUDITED for row in self._tokens_of(lab, name)]
        return [
            Subject(row, {source: values[index] for source, values in signals.items()}, member)
            for index, (row, member) in enumerate(tokens)
        ]

    def signals_of(self, scoring: Scoring) -> list[TokenSignals]:
        """The signals of every record of the scoring's splits, computed where the store has none."""
        if scoring.key not in self._signals:
            if not self.store.has_signals(scoring.key):
                self._score(scoring)
            self._signals[scoring.key] = separated(self.store.load_signals(scoring.key))
        return self._signals[scoring.key]

    def _score(self, scoring: Scoring) -> None:
        lab = scoring.lab
        records = [row for name in scoring.splits for row in self._tokens_of(lab, name)]
        if scoring.training is not None:
            model = self._trained(scoring.training, scoring.best)
        elif scoring.other_model is not None:
            folder = find_model(scoring.other_model)
            _require_same_tokenizer(lab, scoring.other_model)
            model = load_model(folder, pick_device())
        else:
            model = load_model(lab.folder, pick_device())
        signals = score(model, records, scoring.decodings, advance=self.watcher.advance)
        self.store.save_signals(scoring.key, concatenated(signals))

    def _trained(self, training: Training, best: bool) -> torch.nn.Module:
        if not self.store.has_model(training.key):
            self._train_once(training)
        stored = self.store.load_model(training.key)

        def part(prefix: str) -> dict[str, torch.Tensor]:
            return {n.removeprefix(prefix): tensor for n, tensor in stored.items() if n.startswith(prefix)}

        model = self._fresh(training)
        load_state(model, part("final.") | (part("best.") if best else {}))
        return model

    def _fresh(self, training: Training) -> torch.nn.Module:
        lab = training.lab
        return tuned(load_model(lab.folder, pick_device()), lab.settings.tuning, lab.seed)

    def _train_once(self, training: Training) -> None:
        """Train, or fail again at once where it failed before: other cells may want the same model."""
        if training.key in self._failed:
            raise RunError(self._failed[training.key])
        try:
            self._train(training)
        except (Exception, SystemExit) as error:
            self._failed[training.key] = self.line_of(error)
            raise
        finally:
            gc.collect()

    def _train(self, training: Training) -> None:
        lab = training.lab
        records, references = [], []
        for index, name in enumerate(training.trained_on):
            rows = self._tokens_of(lab, name)
            records += rows
            if training.references:
                references += self._reference_logprobs(training.references[index], name)
        trained = train(
            self._fresh(training),
            records,
            self._tokens_of(lab, "validation"),
            training.defense,
            training.schedule,
            training.seed,
            references or None,
            self.watcher.advance,
        )
        left = training.schedule.epochs - trained.epochs
        self.watcher.advance(left * sum(len(record) for record in records))
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
                "validation_nll": list(trained.validation),
            },
            "train_seconds": trained.train_seconds,
            "peak_memory_mb": trained.peak_memory_mb,
        }
        self.store.save_model(training.key, tensors, about)
        self.watcher.say(
            f"{lab.dataset} · {lab.model} · seed {lab.seed} · trained {training.role}: "
            f"{trained.epochs} epochs, best {trained.best_epoch}, {trained.train_seconds:.1f} s"
        )

    def _reference_logprobs(self, reference: Training, name: str) -> list[np.ndarray]:
        lab = reference.lab
        if name in AUDITED:
            scored = self.signals_of(Scoring(lab, reference))
            start = sum(len(lab.splits[before]) for before in AUDITED[: AUDITED.index(name)])
            scored = scored[start : start + len(lab.splits[name])]
        else:
            scored = self.signals_of(Scoring(lab, reference, splits=(name,)))
        return [signals.logprobs for signals in scored]

    def line_of(self, error: BaseException) -> str:
        """What went wrong. The message of an error that is not ours may quote a record, so it is withheld."""
        message = " ".join(str(error).split())
        if isinstance(error, RunError | OSError):
            return message
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} in {Path(where.filename).name}, line {where.lineno}"
        return f"{place}: {message}" if self.show_text else f"{place} (--show-text shows what it says)"

    def _tokens_of(self, lab: Lab, name: str) -> list[Tokens]:
        key = (id(lab), name)
        if key not in self._tokens:
            if lab.folder not in self._tokenizers:
                self._tokenizers[lab.folder] = load_tokenizer(lab.folder)
            tokenizer, start_token = self._tokenizers[lab.folder]
            self._tokens[key] = tokenize(lab.splits[name], tokenizer, start_token, lab.settings.max_length)
        return self._tokens[key]


def _counts(members: Sequence[Subject], holdout: Sequence[Subject]) -> dict[str, int]:
    subjects = [*members, *holdout]
    return {
        "members": len(members),
        "nonmembers": len(holdout),
        "member_units": len({subject.tokens.unit for subject in members}),
        "nonmember_units": len({subject.tokens.unit for subject in holdout}),
        "spans": sum(len(subject.tokens.spans) for subject in subjects),
        "spans_lost_by_truncation": sum(subject.tokens.lost_spans for subject in subjects),
    }


def _require_same_tokenizer(lab: Lab, other: str) -> None:
    """TRA and reference scores compare models token by token, which means nothing across tokenizers."""
    ours, theirs = (load_tokenizer(folder)[0].get_vocab() for folder in (lab.folder, find_model(other)))
    if ours != theirs:
        raise InputError(f"model {other} has another tokenizer than {lab.model}; a reference must share it")

"""Carries a plan out: trains and scores what is missing, and writes the cells."""

from __future__ import annotations

import gc
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.attack import Attack, ExtractionAttack, MembershipAttack, TokenSignals
from bench.blind import blind_control
from bench.device import pick_device
from bench.errors import InputError, RunError
from bench.evaluation import attack_results
from bench.evaluation.memorization import memorization
from bench.evaluation.utility import utility
from bench.evidence import (
    Subject,
    audited,
    extraction_evidence,
    in_order,
    membership_evidence,
    memorization_evidence,
)
from bench.models.loading import find_model, load_model, load_tokenizer
from bench.models.tuning import tuned
from bench.plan import Plan
from bench.publishing import require_readable
from bench.results import FLOORS, Blind, CellFile, ExtractionEvidence, MembershipEvidence
from bench.signals import concatenated, score, separated
from bench.store import Store
from bench.tasks import OTHER_HALF, Cell, Lab, Scoring, Source, Training, code_version
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
    _blind: dict[int, Blind] = field(default_factory=dict)
    _signals: dict[str, list[TokenSignals]] = field(default_factory=dict)

    def run(self, plan: Plan) -> dict[str, str]:
        """Compute every missing cell; a failing plugin takes down its own cells only.

        Returns:
            what failed, and why, one line each.

        Raises:
            InputError: the settings do not fit, or the folder holds a cell that cannot be read.
        """
        failed = {}
        require_readable(self.store, {cell.name for cell in plan.cells})
        self.store.open()
        for settings in {id(cell.lab.settings): cell.lab.settings for cell in plan.cells}.values():
            self.store.save_settings(settings.kept())
        for cell in plan.missing(self.store):
            try:
                self.store.save_cell(cell.name, self.compute(cell))
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
        return trained + sum(self._length(scoring.lab, scoring.covered) for scoring in scorings)

    def _length(self, lab: Lab, splits: Sequence[str]) -> int:
        return sum(len(row) for name in splits for row in self._tokens_of(lab, name))

    def compute(self, cell: Cell) -> dict[str, Any]:
        """The cell file, from signals that are stored or, where they are not, from models."""
        lab = cell.lab
        subjects = in_order(self._subjects(lab, cell.sources))
        judged = audited(subjects)
        evidence = self._evidence(cell.attack, subjects)
        training = cell.sources["target"].scorings[0].training
        about = {} if training is None else self.store.about_model(training.key)
        kept = "complement" in cell.sources
        best = None
        if cell.best is not None:
            best = utility(audited(self._subjects(lab, {"target": Source((cell.best,))}))).nll
        defense = cell.defense
        cell_file = {
            "key": cell.key,
            "code": code_version(),
            "dataset": lab.dataset,
            "model": lab.model,
            "tuning": lab.settings.tuning,
            "setting": lab.setting,
            "seed": lab.seed,
            "defense": cell.row,
            "params": {} if defense is None else defense.parameters,
            "spec": cell.spec,
            "undefended": defense is not None and defense.undefended,
            "trained_on": () if training is None or cell.row in FLOORS else training.trained_on,
            "attack": cell.attack.name,
            "attack_params": cell.attack.parameters,
            "attack_spec": cell.attack.spec,
            "knowledge": cell.attack.knowledge,
            "audited": judged,
            "evidence": evidence,
            "results": attack_results(evidence, judged),
            "utility": utility(judged).model_dump() | {"best_nll": best},
            "memorization": memorization(subjects, "complement", self._frequency(lab)) if kept else None,
            "memorization_evidence": memorization_evidence(subjects, "complement") if kept else None,
            "privacy": about.get("privacy"),
            "training": about.get("training"),
            "cost": {
                "train_seconds": sum(
                    self.store.about_model(one.key)["train_seconds"] for one in cell.trainings
                ),
                "peak_memory_mb": about.get("peak_memory_mb", 0.0),
                "trainings": len(cell.trainings),
            },
            "counts": _counts(subjects),
            "blind": self._blind_of(lab),
        }
        return CellFile.model_validate(cell_file).model_dump(mode="json", by_alias=True)

    def _evidence(
        self, attack: Attack, subjects: Sequence[Subject]
    ) -> MembershipEvidence | ExtractionEvidence:
        if isinstance(attack, ExtractionAttack):
            return extraction_evidence(attack, subjects)
        if isinstance(attack, MembershipAttack):
            return membership_evidence(attack, subjects)
        raise TypeError(f"{attack.name} is neither a MembershipAttack nor an ExtractionAttack")

    def _subjects(self, lab: Lab, sources: dict[str, Source]) -> list[Subject]:
        def signals(source: Source, split: str, place: int) -> TokenSignals:
            scoring = source.scoring_of(split, place)
            return self._split_of(scoring, split)[place]

        return [
            Subject(
                row,
                {name: signals(source, split, place) for name, source in sources.items()},
                split,
            )
            for split in lab.audited
            for place, row in enumerate(self._tokens_of(lab, split))
        ]

    def _split_of(self, scoring: Scoring, split: str) -> list[TokenSignals]:
        """The signals of one of the splits that a scoring covers."""
        before = scoring.covered[: scoring.covered.index(split)]
        start = sum(len(scoring.lab.splits[name]) for name in before)
        return self.signals_of(scoring)[start : start + len(scoring.lab.splits[split])]

    def _blind_of(self, lab: Lab) -> Blind:
        """The blind control, on the texts that models are judged on."""
        if id(lab) not in self._blind:
            members, nonmembers = (
                [
                    (row.text_of(slice(0, len(row))), row.unit)
                    for name in names
                    for row in self._tokens_of(lab, name)
                ]
                for names in (lab.members, ("holdout",))
            )
            control = blind_control(members, nonmembers, lab.settings.split_seed)
            interval = control.interval
            self._blind[id(lab)] = Blind(
                auc=control.auc,
                auc_ci=None if interval is None else (interval.low, interval.high),
                n_members=control.n_members,
                n_nonmembers=control.n_nonmembers,
                shifted=bool(control.shifted),
            )
        return self._blind[id(lab)]

    def _frequency(self, lab: Lab) -> dict[str, Counter[int]]:
        """For each half that is trained on, how often each token id occurs in the other half."""
        return {
            half: Counter(
                token
                for row in self._tokens_of(lab, OTHER_HALF[half])
                for token in row.input_ids[1:].tolist()
            )
            for half in lab.members
        }

    def signals_of(self, scoring: Scoring) -> list[TokenSignals]:
        """The signals of every record of the scoring's splits, computed where the store has none."""
        if scoring.key not in self._signals:
            if not self.store.has_signals(scoring.key):
                self._score(scoring)
            self._signals[scoring.key] = separated(self.store.load_signals(scoring.key))
        return self._signals[scoring.key]

    def _score(self, scoring: Scoring) -> None:
        lab = scoring.lab
        records = [row for name in scoring.covered for row in self._tokens_of(lab, name)]
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
        scoring = Scoring(lab, reference, splits=() if name in lab.audited else (name,))
        return [signals.logprobs for signals in self._split_of(scoring, name)]

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


def _counts(subjects: Sequence[Subject]) -> dict[str, int]:
    members = [subject for subject in subjects if subject.member]
    holdout = [subject for subject in subjects if not subject.member]
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

"""One cell: from the stored signals of a model and its attacker to figures, with the evidence for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench.attack import Attack, ExtractionAttack, MembershipAttack, TokenSignals
from bench.blind import blind_control
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
from bench.quiet import muted
from bench.results import FLOORS, Blind, CellFile, ExtractionEvidence, MembershipEvidence
from bench.tasks import Cell, Lab, Source, code_version
from bench.workshop import Workshop


class CellMaker:
    """Computes cells; runs no model."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self._blind: dict[tuple[str, ...], Blind] = {}

    def cell_file(self, cell: Cell) -> dict[str, Any]:
        """The cell as JSON values. All signals that it reads must be stored, and what its trainings cost."""
        lab, store = cell.lab, self._workshop.store
        subjects = in_order(self._subjects(lab, cell.sources))
        judged = audited(subjects)
        with muted(lab.settings.show_text):
            evidence = _evidence(cell.attack, subjects)
        training = cell.sources["target"].scorings[0].training
        about = {} if training is None else store.about_model(training.key)
        kept = "complement" in cell.sources
        best = None
        if cell.best is not None:
            best = utility(audited(self._subjects(lab, {"target": Source((cell.best,))}))).nll
        frequency = self._workshop.corpora.frequency(lab)
        cell_file = {
            "key": cell.key,
            "code": code_version(),
            "dataset": lab.dataset,
            "model": lab.model,
            "tuning": lab.settings.tuning,
            "setting": lab.setting,
            "seed": lab.seed,
            "defense": cell.row,
            "params": {} if cell.defense is None else cell.defense.parameters,
            "spec": cell.spec,
            "undefended": cell.defense is not None and cell.defense.undefended,
            "trained_on": () if training is None or cell.row in FLOORS else training.trained_on,
            "attack": cell.attack.name,
            "attack_params": cell.attack.parameters,
            "attack_spec": cell.attack.spec,
            "knowledge": cell.attack.knowledge,
            "audited": judged,
            "evidence": evidence,
            "results": attack_results(evidence, judged),
            "utility": utility(judged).model_dump() | {"best_nll": best},
            "memorization": memorization(subjects, "complement", frequency) if kept else None,
            "memorization_evidence": memorization_evidence(subjects, "complement") if kept else None,
            "privacy": about.get("privacy"),
            "training": about.get("training"),
            "cost": {
                "train_seconds": sum(store.about_model(one.key)["train_seconds"] for one in cell.trainings),
                "peak_memory_mb": about.get("peak_memory_mb", 0.0),
                "trainings": len(cell.trainings),
            },
            "counts": _counts(subjects),
            "blind": self._blind_of(lab),
        }
        return CellFile.model_validate(cell_file).model_dump(mode="json", by_alias=True)

    def _subjects(self, lab: Lab, sources: dict[str, Source]) -> list[Subject]:
        def signals(source: Source, split: str, place: int) -> TokenSignals:
            return self._workshop.split_of(source.scoring_of(split, place), split)[place]

        return [
            Subject(row, {name: signals(source, split, place) for name, source in sources.items()}, split)
            for split in lab.audited
            for place, row in enumerate(self._workshop.corpora.tokens(lab, split))
        ]

    def _blind_of(self, lab: Lab) -> Blind:
        """The blind control, on the texts that models are judged on."""
        key = (lab.data_digest, str(lab.folder), str(lab.settings.max_length), *lab.members)
        if key not in self._blind:
            members, nonmembers = (
                [
                    (row.text_of(slice(0, len(row))), row.unit)
                    for split in splits
                    for row in self._workshop.corpora.tokens(lab, split)
                ]
                for splits in (lab.members, ("holdout",))
            )
            control = blind_control(members, nonmembers, lab.settings.split_seed)
            interval = control.interval
            self._blind[key] = Blind(
                auc=control.auc,
                auc_ci=None if interval is None else (interval.low, interval.high),
                n_members=control.n_members,
                n_nonmembers=control.n_nonmembers,
                shifted=bool(control.shifted),
            )
        return self._blind[key]


def _evidence(attack: Attack, subjects: Sequence[Subject]) -> MembershipEvidence | ExtractionEvidence:
    if isinstance(attack, ExtractionAttack):
        return extraction_evidence(attack, subjects)
    if isinstance(attack, MembershipAttack):
        return membership_evidence(attack, subjects)
    raise TypeError(f"{attack.name} is neither a MembershipAttack nor an ExtractionAttack")


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

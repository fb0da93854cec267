"""From signals to evidence: what an attack says of every record and span, in numbers that a cell keeps.

Here, and only here, it is known who is a member; the attack is handed all passages in an order that
does not tell. Every figure of a cell follows from its evidence, whoever computes it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from bench.attack import Attack, ExtractionAttack, Floats, MembershipAttack, Passage, TokenSignals
from bench.errors import RunError
from bench.results import Audited, Drawn, ExtractionEvidence, MembershipEvidence, MemorizationEvidence
from bench.tokens import Tokens

DIGITS = 6
"""Significant digits that a score keeps; figures are computed from what is kept."""

JUDGED = {"rate": "target", "base": "floor:base", "reference": "floor:reference"}
"""By column of an extraction's evidence, the model that the attack is put to."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One audited record: its tokens, what each source says of them, and the split that it is in."""

    tokens: Tokens
    signals: Mapping[str, TokenSignals]
    split: str

    @property
    def member(self) -> bool:
        """Whether models were trained on it."""
        return self.split != "holdout"

    def passage(self, tokens: slice, sources: Sequence[str], target: str = "target") -> Passage:
        """A range of tokens as an attack sees it, `target` naming the source that is under attack."""
        signals = _Declared(
            {name: self.signals[target if name == "target" else name][tokens] for name in sources}
        )
        return Passage(self.tokens.text_of(tokens), signals)


class _Declared(dict[str, TokenSignals]):
    """The signals that an attack has asked for, and no others."""

    def __missing__(self, name: str) -> TokenSignals:
        raise RunError(f"signals of {name!r} were read, which are not among the sources of the attack")


def in_order(subjects: Sequence[Subject]) -> list[Subject]:
    """The order of a cell's evidence: by record, which tells nothing of membership."""
    return sorted(subjects, key=lambda subject: subject.tokens.record_id)


def audited(subjects: Sequence[Subject]) -> Audited:
    """The records that a cell judges, and how well the model under attack predicts each."""
    return Audited(
        ids=tuple(subject.tokens.record_id for subject in subjects),
        units=tuple(subject.tokens.unit for subject in subjects),
        member=tuple(subject.member for subject in subjects),
        n_tokens=tuple(len(subject.tokens) for subject in subjects),
        n_bytes=tuple(
            len(subject.tokens.text_of(slice(0, len(subject.tokens))).encode("utf-8")) for subject in subjects
        ),
        nll=tuple(_kept(-subject.signals["target"].logprobs.sum(dtype=np.float64)) for subject in subjects),
        n_correct=tuple(int(subject.signals["target"].is_argmax.sum()) for subject in subjects),
    )


def membership_evidence(attack: MembershipAttack, subjects: Sequence[Subject]) -> MembershipEvidence:
    """The attack's score of every record, and of every span of every record."""
    whole = [(subject, slice(0, len(subject.tokens))) for subject in subjects]
    return MembershipEvidence(
        records=tuple(_kept(score) for score in _asked(attack, attack.scores, whole)),
        spans=_by_record(subjects, _asked(attack, attack.scores, _spans(subjects))),
    )


def extraction_evidence(attack: ExtractionAttack, subjects: Sequence[Subject]) -> ExtractionEvidence:
    """The chance of reproducing each of the members' passages: from the model, and from both floors."""
    members = [subject for subject in subjects if subject.member]
    spans = attack.extracts == "span"
    items = _spans(members) if spans else [(subject, slice(0, len(subject.tokens))) for subject in members]
    chances, drawn = (
        {column: _asked(attack, judge, items, target) for column, target in JUDGED.items()}
        for judge in (attack.successes, attack.log_chances)
    )
    marked = [span for subject in members for span in subject.tokens.spans] if spans else []
    labels = sorted({span.label for span in marked})
    return ExtractionEvidence(
        unit=attack.extracts,
        record=tuple(
            row
            for row, subject in enumerate(subjects)
            if subject.member
            for _ in (subject.tokens.spans if spans else range(1))
        ),
        labels=tuple(labels),
        label=tuple(labels.index(span.label) for span in marked),
        in_prefix=tuple(span.in_prefix for span in marked),
        first_mention=tuple(span.first_mention for span in marked),
        drawn=None if np.isnan(drawn["rate"]).all() else Drawn(**_all_kept(drawn)),
        **_all_kept(chances),
    )


def _all_kept(columns: Mapping[str, Floats]) -> dict[str, tuple[float | None, ...]]:
    return {name: tuple(_kept(value) for value in values) for name, values in columns.items()}


def memorization_evidence(subjects: Sequence[Subject], reference: str) -> MemorizationEvidence:
    """Of each record, how much the model under attack is ahead of a reference on personal information."""
    advantages = [
        subject.signals["target"].logprobs.astype(np.float64)[subject.tokens.personal]
        - subject.signals[reference].logprobs[subject.tokens.personal]
        for subject in subjects
    ]
    return MemorizationEvidence(
        n_pii_tokens=tuple(len(advantage) for advantage in advantages),
        tra_pii=tuple(_kept(advantage.sum()) for advantage in advantages),
    )


def _spans(subjects: Sequence[Subject]) -> list[tuple[Subject, slice]]:
    return [(subject, slice(s.start, s.end)) for subject in subjects for s in subject.tokens.spans]


def _by_record(subjects: Sequence[Subject], scores: Floats) -> tuple[tuple[float | None, ...], ...]:
    ends = np.cumsum([len(subject.tokens.spans) for subject in subjects])
    parts = np.split(scores, ends[:-1]) if len(subjects) else []
    return tuple(tuple(_kept(score) for score in part) for part in parts)


def _kept(value: float | np.floating[Any]) -> float | None:
    """A number as the cell keeps it; nothing where there is no finite one."""
    return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None


def _asked(
    attack: Attack,
    judge: Callable[[Sequence[Passage]], Floats],
    items: Sequence[tuple[Subject, slice]],
    target: str = "target",
) -> Floats:
    """(n,) float64: what the attack says of each item."""
    if not items:
        return cast(Floats, np.zeros(0))
    passages = [subject.passage(tokens, attack.sources, target) for subject, tokens in items]
    said = np.asarray(judge(passages))
    if said.dtype.kind not in "biuf":
        raise RunError(f"{attack.spec}: {judge.__name__} gave {said.dtype} values, not real numbers")
    if said.shape != (len(items),):
        raise RunError(f"{attack.spec}: {judge.__name__} gave {said.shape}, not ({len(items)},)")
    return cast(Floats, said.astype(np.float64))

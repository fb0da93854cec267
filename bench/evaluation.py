"""From evidence to a cell's figures: what an attack, the utility and the memorization come to.

Arrays in, results out; every figure is a function of the evidence that the cell keeps, but for the
memorization of single tokens, which is a function of the signals.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import statistics
from bench.attack import Unit
from bench.comparisons import halves, rate_difference_interval
from bench.errors import RunError
from bench.evidence import Subject
from bench.results import (
    Attacked,
    Audited,
    Extraction,
    ExtractionEvidence,
    Leakage,
    MembershipEvidence,
    Memorization,
    Rates,
    TokensTRA,
    Utility,
)
from bench.statistics import LEAST_UNITS

FPRS = (0.01, 0.001)
LEAST_SPANS = 20
HALVES_SEED = 0
RARITIES = (("0", 0, 0), ("1-9", 1, 9), ("10-99", 10, 99), ("100+", 100, math.inf))
"""How often a token occurs in the complement: the name of a class, its least and its greatest count."""

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


def attack_results(
    evidence: MembershipEvidence | ExtractionEvidence, audited: Audited
) -> tuple[Attacked, ...]:
    """What an attack achieves: on records and on spans, or on what it extracts."""
    if isinstance(evidence, ExtractionEvidence):
        return (_extraction(evidence, audited),)
    counts = [len(scores) for scores in evidence.spans]
    spans = [score for scores in evidence.spans for score in scores]
    return (
        _membership("record", _floats(evidence.records), np.arange(len(audited.ids)), audited),
        _membership("span", _floats(spans), np.repeat(np.arange(len(audited.ids)), counts), audited),
    )


def _membership(unit: Unit, scores: Floats, record: NDArray[np.int64], audited: Audited) -> Attacked:
    """Figures of one score a record or span, `record` being the place of the score's record."""
    finite = np.isfinite(scores)
    member, units = np.array(audited.member, dtype=bool)[record], _units(audited)[record]
    inside, outside = finite & member, finite & ~member
    judged = inside.any() and outside.any()
    refused: dict[str, str] = {}
    figures: dict[str, Any] = {"auc": None, "auc_ci": None, "epsilon_lower_bound": None}
    tprs: dict[str, float | None] = {str(fpr): None for fpr in FPRS}
    if judged:
        ahead, behind = scores[inside], scores[outside]
        figures["auc"] = statistics.auc(ahead, behind)
        figures["auc_ci"] = _ends(statistics.auc_interval(ahead, behind, units[inside], units[outside]))
        tprs = {str(fpr): statistics.tpr_at_fpr(ahead, behind, fpr) for fpr in FPRS}
        one_a_unit = len(set(units[finite])) == int(finite.sum())
        if one_a_unit and min(len(ahead), len(behind)) >= 2:
            figures["epsilon_lower_bound"] = statistics.epsilon_lower_bound(ahead, behind)
    else:
        refused["auc"] = "needs members and non-members with finite scores"
    if judged and figures["auc_ci"] is None:
        refused["auc_ci"] = f"needs >= {LEAST_UNITS} members and {LEAST_UNITS} non-members"
    for fpr in FPRS:
        if tprs[str(fpr)] is None:
            refused[f"tpr_at_fpr.{fpr}"] = f"needs >= {statistics.nonmembers_needed(fpr)} non-members"
    return Attacked(
        unit=unit,
        n_members=int(inside.sum()),
        n_nonmembers=int(outside.sum()),
        n_excluded=int((~finite).sum()),
        tpr_at_fpr=tprs,
        leakage=_membership_leakage(scores, inside, outside, units, calibration_half(audited)[record]),
        extraction=None,
        refused=refused,
        **figures,
    )


def calibration_half(audited: Audited) -> Bools:
    """Which records a strongest attack is chosen on: half of the members' units, half of the others'.

    (n,); the same for all attacks and defenses. A side of one unit is all for evaluation.
    """
    half, member, units = np.zeros(len(audited.ids), dtype=bool), np.array(audited.member), _units(audited)
    for side in (member, ~member):
        if len(set(units[side])) > 1:
            half[side] = halves(units[side], HALVES_SEED)
    return half


def _membership_leakage(
    scores: Floats, inside: Bools, outside: Bools, units: NDArray[Any], calibration: Bools
) -> Leakage:
    def of(half: Bools) -> float | None:
        ahead, behind = scores[inside & half], scores[outside & half]
        return 2 * statistics.auc(ahead, behind) - 1 if ahead.size and behind.size else None

    held = ~calibration
    interval = None
    if of(held) is not None:
        interval = statistics.auc_interval(
            scores[inside & held], scores[outside & held], units[inside & held], units[outside & held]
        )
    return Leakage(
        value=of(np.ones_like(held)),
        calibration=of(calibration),
        evaluation=of(held),
        evaluation_ci=None if interval is None else (2 * interval.low - 1, 2 * interval.high - 1),
    )


def _extraction(evidence: ExtractionEvidence, audited: Audited) -> Attacked:
    rate, base, reference = (_floats(row) for row in (evidence.rate, evidence.base, evidence.reference))
    usable = np.isfinite(rate) & np.isfinite(base) & np.isfinite(reference)
    record = np.array(evidence.record, dtype=np.int64)
    units, calibration = _units(audited)[record], calibration_half(audited)[record]
    by_record = evidence.unit == "record"
    fresh, first = (
        np.ones(len(rate), dtype=bool) if by_record else np.array(column, dtype=bool)
        for column in (evidence.in_prefix, evidence.first_mention)
    )
    fresh = fresh if by_record else ~fresh
    label = np.array([evidence.labels[index] for index in evidence.label], dtype=object)
    hard = base < 0.5

    def rates(chosen: Bools) -> Rates:
        chosen = chosen & usable
        enough = int(chosen.sum()) >= LEAST_SPANS
        means = [float(row[chosen].mean()) if enough else None for row in (rate, base, reference)]
        above = rate_difference_interval(rate[chosen], reference[chosen], units[chosen]) if enough else None
        return Rates(
            n_spans=int(chosen.sum()),
            rate=means[0],
            rate_ci=_ends(statistics.rate_interval(rate[chosen], units[chosen])) if enough else None,
            base_rate=means[1],
            reference_rate=means[2],
            above_reference=float((rate - reference)[chosen].mean()) if enough else None,
            above_reference_ci=_ends(above),
        )

    everything = rates(np.ones_like(usable))
    extraction = Extraction(
        **everything.model_dump(),
        not_in_prefix=rates(fresh),
        first_mention=rates(first),
        base_fails=rates(hard),
        without_cue=rates(fresh & first & hard),
        by_label={name: rates(label == name) for name in evidence.labels},
    )
    refused: dict[str, str] = {}
    for name, part in (
        ("", everything),
        ("not_in_prefix.", extraction.not_in_prefix),
        ("first_mention.", extraction.first_mention),
        ("base_fails.", extraction.base_fails),
        ("without_cue.", extraction.without_cue),
        *((f"by_label.{name}.", part) for name, part in extraction.by_label.items()),
    ):
        if part.rate is None:
            refused[f"extraction.{name}rate"] = f"needs >= {LEAST_SPANS} {evidence.unit}s"
        elif part.rate_ci is None:
            refused[f"extraction.{name}rate_ci"] = f"needs >= {LEAST_UNITS} units"
    return Attacked(
        unit=evidence.unit,
        n_members=sum(audited.member),
        n_nonmembers=0,
        n_excluded=int((~usable).sum()),
        auc=None,
        auc_ci=None,
        tpr_at_fpr={str(fpr): None for fpr in FPRS},
        epsilon_lower_bound=None,
        leakage=_extraction_leakage(rate, reference, fresh & usable, units, calibration),
        extraction=extraction,
        refused=refused,
    )


def _extraction_leakage(
    rate: Floats, reference: Floats, chosen: Bools, units: NDArray[Any], calibration: Bools
) -> Leakage:
    def of(half: Bools) -> float | None:
        kept = chosen & half
        return float((rate[kept] - reference[kept]).mean()) if kept.sum() >= LEAST_SPANS else None

    held = chosen & ~calibration
    interval = None
    if of(held) is not None:
        interval = rate_difference_interval(rate[held], reference[held], units[held])
    return Leakage(
        value=of(np.ones_like(calibration)),
        calibration=of(calibration),
        evaluation=of(~calibration),
        evaluation_ci=_ends(interval),
    )


def utility(audited: Audited) -> Utility:
    """How well the model under attack predicts the non-members, over all their tokens."""
    outside = ~np.array(audited.member, dtype=bool)
    nll = _floats(audited.nll)[outside]
    tokens, size, hits = (
        float(np.array(column)[outside].sum())
        for column in (audited.n_tokens, audited.n_bytes, audited.n_correct)
    )
    if not np.isfinite(nll).all():
        raise RunError("the loss on the holdout is infinite: the model gives a token no probability")
    mean = float(nll.sum()) / tokens
    return Utility(
        nll=mean,
        perplexity=math.exp(min(mean, 700.0)),
        bits_per_byte=float(nll.sum()) / math.log(2) / size,
        accuracy=hits / tokens,
    )


def memorization(subjects: Sequence[Subject], reference: str, frequency: Mapping[int, int]) -> Memorization:
    """TRA of the members' tokens against a reference: of personal information and of the rest.

    Args:
        frequency: how often each token id occurs in the complement.
    """
    members = [subject for subject in subjects if subject.member]
    values = [
        subject.signals["target"].logprobs.astype(np.float64) - subject.signals[reference].logprobs
        for subject in members
    ]
    advantage, lengths = np.concatenate(values), [len(value) for value in values]
    personal = np.concatenate([subject.tokens.personal for subject in members])
    counts = np.array([frequency.get(token, 0) for s in members for token in s.tokens.input_ids[1:].tolist()])
    units = np.repeat(np.array([subject.tokens.unit for subject in members], dtype=object), lengths)
    by_label: dict[str, list[Floats]] = defaultdict(list)
    for subject, value in zip(members, values, strict=True):
        for span in subject.tokens.spans:
            by_label[span.label].append(value[span.start : span.end])
    whole = _tokens_tra(advantage[personal])
    interval = statistics.mean_interval(advantage[personal], units[personal]) if personal.any() else None
    return Memorization(
        tra_pii=whole.tra,
        tra_pii_ci=_ends(interval),
        tra_other=_tokens_tra(advantage[~personal]).tra,
        share_above_1_nat=whole.share_above_1_nat,
        n_pii_tokens=whole.n_tokens,
        by_label={label: _tokens_tra(np.concatenate(parts)) for label, parts in sorted(by_label.items())},
        pii_by_rarity=_by_rarity(advantage[personal], counts[personal]),
        other_by_rarity=_by_rarity(advantage[~personal], counts[~personal]),
    )


def _by_rarity(advantage: Floats, counts: NDArray[np.int64]) -> dict[str, TokensTRA]:
    return {
        name: _tokens_tra(advantage[(least <= counts) & (counts <= most)]) for name, least, most in RARITIES
    }


def _tokens_tra(advantage: Floats) -> TokensTRA:
    if not advantage.size:
        return TokensTRA(n_tokens=0, tra=None, q90=None, q99=None, share_above_1_nat=None)
    q90, q99 = np.quantile(advantage, [0.9, 0.99])
    return TokensTRA(
        n_tokens=advantage.size,
        tra=float(advantage.mean()),
        q90=float(q90),
        q99=float(q99),
        share_above_1_nat=float((advantage > 1).mean()),
    )


def _floats(column: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in column], dtype=np.float64)


def _units(audited: Audited) -> NDArray[Any]:
    return np.array(audited.units, dtype=object)


def _ends(interval: statistics.Interval | None) -> tuple[float, float] | None:
    return None if interval is None else (interval.low, interval.high)

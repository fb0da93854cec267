"""Figures of membership inference: one score a record or span in, what an attacker achieves by them out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import statistics
from bench.attack import Unit
from bench.evaluation.columns import Bools, Floats, calibration_half, ends, floats, units_of
from bench.results import Attacked, Audited, Leakage, MembershipEvidence
from bench.statistics import LEAST_UNITS

FPRS = (0.01, 0.001)


def membership_results(evidence: MembershipEvidence, audited: Audited) -> tuple[Attacked, ...]:
    """What an attack achieves on records, and on spans."""
    counts = [len(scores) for scores in evidence.spans]
    spans = [score for scores in evidence.spans for score in scores]
    return (
        _membership("record", floats(evidence.records), np.arange(len(audited.ids)), audited),
        _membership("span", floats(spans), np.repeat(np.arange(len(audited.ids)), counts), audited),
    )


def _membership(unit: Unit, scores: Floats, record: NDArray[np.int64], audited: Audited) -> Attacked:
    """Figures of one score a record or span, `record` being the place of the score's record."""
    finite = np.isfinite(scores)
    member, units = np.array(audited.member, dtype=bool)[record], units_of(audited)[record]
    inside, outside = finite & member, finite & ~member
    judged = inside.any() and outside.any()
    refused: dict[str, str] = {}
    figures: dict[str, Any] = {"auc": None, "auc_ci": None, "epsilon_lower_bound": None}
    tprs: dict[str, float | None] = {str(fpr): None for fpr in FPRS}
    if judged:
        ahead, behind = scores[inside], scores[outside]
        figures["auc"] = statistics.auc(ahead, behind)
        figures["auc_ci"] = ends(statistics.auc_interval(ahead, behind, units[inside], units[outside]))
        tprs = {str(fpr): statistics.tpr_at_fpr(ahead, behind, fpr) for fpr in FPRS}
        one_a_unit = len(set(units[finite])) == int(finite.sum())
        if one_a_unit and min(len(ahead), len(behind)) >= 2:
            figures["epsilon_lower_bound"] = statistics.epsilon_lower_bound(ahead, behind)
    else:
        refused["auc"] = "needs members and non-members with finite scores"
    if judged and figures["auc_ci"] is None:
        refused["auc_ci"] = f"needs >= {LEAST_UNITS} units on either side"
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

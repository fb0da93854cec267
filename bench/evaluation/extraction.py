"""Figures of extraction: the chance of reproducing each passage in, rates beside their floors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import statistics
from bench.attack import Unit
from bench.comparisons import rate_difference_interval
from bench.evaluation.columns import Bools, Floats, calibration_half, ends, floats, units_of
from bench.evaluation.membership import FPRS
from bench.results import Attacked, Audited, Drawn, Extraction, ExtractionEvidence, Leakage, Rates
from bench.statistics import LEAST_UNITS

LEAST_SPANS = 20

TRIES = (1, 10, 100)
"""Samples that an adversary draws, of which one that is right suffices."""


def extraction_result(evidence: ExtractionEvidence, audited: Audited) -> Attacked:
    """What an attack reproduces, of all passages and of those that no cue gives away."""
    rate, base, reference = chances = tuple(
        floats(column) for column in (evidence.rate, evidence.base, evidence.reference)
    )
    usable = np.isfinite(chances).all(axis=0)
    record = np.array(evidence.record, dtype=np.int64)
    units, calibration = units_of(audited)[record], calibration_half(audited)[record]
    by_record = evidence.unit == "record"
    fresh, first = (
        np.ones(len(rate), dtype=bool) if by_record else np.array(column, dtype=bool)
        for column in (evidence.in_prefix, evidence.first_mention)
    )
    fresh = fresh if by_record else ~fresh
    label = np.array([evidence.labels[index] for index in evidence.label], dtype=object)
    hard = base < 0.5

    def rates(chosen: Bools, of: Sequence[Floats] = chances) -> Rates:
        chosen = chosen & usable
        return _rates([column[chosen] for column in of], units[chosen])

    extraction = Extraction(
        **rates(np.ones_like(usable)).model_dump(),
        not_in_prefix=rates(fresh),
        first_mention=rates(first),
        base_fails=rates(hard),
        without_cue=rates(fresh & first & hard),
        by_label={name: rates(label == name) for name in evidence.labels},
        sampled={str(tries): rates(fresh, _sampled(evidence.drawn, tries)) for tries in TRIES}
        if evidence.drawn
        else {},
    )
    return Attacked(
        unit=evidence.unit,
        n_members=sum(audited.member),
        n_nonmembers=0,
        n_excluded=int((~usable).sum()),
        auc=None,
        auc_ci=None,
        tpr_at_fpr={str(fpr): None for fpr in FPRS},
        epsilon_lower_bound=None,
        leakage=_leakage(rate, reference, fresh & usable, units, calibration),
        extraction=extraction,
        refused=_refused(extraction, evidence.unit),
    )


def _sampled(drawn: Drawn, tries: int) -> list[Floats]:
    """The chance that one of so many samples is right, 1 - (1 - p_z)^n, from the model and both floors."""
    columns = [floats(column) for column in (drawn.rate, drawn.base, drawn.reference)]
    drawn_once = [np.where(np.isnan(column), 0.0, np.exp(np.minimum(column, 0.0))) for column in columns]
    with np.errstate(divide="ignore"):  # log(1 - p_z) of a sure success
        return [-np.expm1(tries * np.log1p(-once)) for once in drawn_once]


def _rates(columns: Sequence[Floats], units: NDArray[Any]) -> Rates:
    """Of the model under attack, and of the base and the reference model on the same passages."""
    rate, base, reference = columns
    if len(rate) < LEAST_SPANS:
        return Rates.model_validate(dict.fromkeys(Rates.model_fields) | {"n_spans": len(rate)})
    return Rates(
        n_spans=len(rate),
        rate=float(rate.mean()),
        rate_ci=ends(statistics.rate_interval(rate, units)),
        base_rate=float(base.mean()),
        reference_rate=float(reference.mean()),
        above_reference=float((rate - reference).mean()),
        above_reference_ci=ends(rate_difference_interval(rate, reference, units)),
    )


def _refused(extraction: Extraction, unit: Unit) -> dict[str, str]:
    """What the rates that are missing need."""
    refused: dict[str, str] = {}
    for name, part in (
        ("", extraction),
        ("not_in_prefix.", extraction.not_in_prefix),
        ("first_mention.", extraction.first_mention),
        ("base_fails.", extraction.base_fails),
        ("without_cue.", extraction.without_cue),
        *((f"by_label.{label}.", part) for label, part in extraction.by_label.items()),
        *((f"sampled.{tries}.", part) for tries, part in extraction.sampled.items()),
    ):
        if part.rate is None:
            refused[f"extraction.{name}rate"] = f"needs >= {LEAST_SPANS} {unit}s"
        elif part.rate_ci is None:
            refused[f"extraction.{name}rate_ci"] = f"needs >= {LEAST_UNITS} units"
    return refused


def _leakage(
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
        evaluation_ci=ends(interval),
    )

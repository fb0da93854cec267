"""From evidence to a cell's figures: what an attack, the utility and the memorization come to.

Arrays in, results out, one file a figure; every figure is a function of the evidence that the cell
keeps, but for the memorization of single tokens, which is a function of the signals.
"""

from __future__ import annotations

from bench.evaluation.extraction import extraction_result
from bench.evaluation.membership import membership_results
from bench.results import Attacked, Audited, ExtractionEvidence, MembershipEvidence


def attack_results(
    evidence: MembershipEvidence | ExtractionEvidence, audited: Audited
) -> tuple[Attacked, ...]:
    """What an attack achieves: on records and on spans, or on what it extracts."""
    if isinstance(evidence, ExtractionEvidence):
        return (extraction_result(evidence, audited),)
    return membership_results(evidence, audited)

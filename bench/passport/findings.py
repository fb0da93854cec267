"""What a passport's figures mean for a run: what breaks the protocol, and what limits its results."""

from collections.abc import Iterator, Mapping

from bench.evaluation.membership import FPRS
from bench.passport.format import Figures, Part
from bench.statistics import nonmembers_needed

LEAST_NONMEMBERS = 20


def faults(figures: Figures) -> tuple[str, ...]:
    """What breaks the protocol, one line each."""
    return tuple(_faults(figures))


def warnings(figures: Figures) -> tuple[str, ...]:
    """What limits the results of a run, one line each."""
    return tuple(_warnings(figures))


def _faults(figures: Figures) -> Iterator[str]:
    across = figures.across
    if across.groups:
        yield f"groups in more than one split: {across.groups}"
    if across.near_duplicate_pairs:
        by_border = _listed(across.near_duplicate_pairs_by_border)
        yield f"near-duplicate pairs in two splits: {across.near_duplicate_pairs} ({by_border})"
    for name, part in figures.splits.items():
        if why := _why_no_span(part, figures.setting.max_length):
            yield f"{name} has no span{why}"
    if (count := figures.splits["holdout"].records) < LEAST_NONMEMBERS:
        yield f"non-members in holdout: {count}, at least {LEAST_NONMEMBERS} are needed; raise its --share"
    edges = {name: label.whitespace_edges for name, label in figures.labels.items()}
    if total := sum(edges.values()):
        yield f"spans that start or end with whitespace: {total} ({_listed(edges)})"


def _why_no_span(part: Part, max_length: int) -> str | None:
    if part.spans == 0:
        return " at all"
    if part.spans == part.spans_lost_by_truncation:
        return f" within {max_length} tokens"
    return None


def _warnings(figures: Figures) -> Iterator[str]:
    for border, labels in figures.across.values.items():
        both = {name: shared.both for name, shared in labels.items()}
        if count := sum(both.values()):
            distinct = sum(shared.first for shared in labels.values())
            first = border.partition("-")[0]
            yield f"values on both sides of {border}: {count} of {first}'s {distinct} ({_listed(both)})"
    total, length = figures.total, figures.setting.max_length
    if total.ungrouped:
        yield f"records that state no group: {total.ungrouped} of {total.records}; each is a privacy unit"
    if count := total.spans_lost_by_truncation:
        lost = {name: label.spans_lost_by_truncation for name, label in figures.labels.items()}
        yield f"spans lost by truncation at {length} tokens: {count} of {total.spans} ({_listed(lost)})"
    nonmembers = figures.splits["holdout"].records
    for fpr in FPRS:
        if nonmembers < (needed := nonmembers_needed(fpr)):
            of = f"{nonmembers} non-members in holdout, {needed} needed"
            yield f"TPR at {100 * fpr:g} % FPR is refused: {of}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)

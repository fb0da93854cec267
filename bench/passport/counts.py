"""Counts and lengths of records, their spans and their tokens."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from bench.passport.format import Label, Length, Part
from bench.records.record import Record
from bench.tokens import Tokens


def part(records: Sequence[Record], tokens: Sequence[Tokens], max_length: int) -> Part:
    """Counts and lengths of a split, or of all; `tokens` are the same records', whole."""
    spans = _spans(records)
    without = sum(not record.spans for record in records)
    return Part(
        records=len(records),
        groups=_groups(records),
        spans=spans.total(),
        spans_lost_by_truncation=_lost(records, tokens, max_length).total(),
        ungrouped=sum(record.group is None for record in records),
        without_spans=without,
        share_without_spans=without / len(records) if records else None,
        spans_by_label=dict(sorted(spans.items())),
        characters=_length([len(record.text) for record in records]),
        tokens=_length([len(one) for one in tokens]),
    )


def labels(records: Sequence[Record], tokens: Sequence[Tokens], max_length: int) -> dict[str, Label]:
    """The same by label, and how many spans have whitespace at an edge."""
    spans, lost, edges = _spans(records), _lost(records, tokens, max_length), _whitespace_edges(records)
    found = {}
    for name in sorted(spans):
        having = [record for record in records if any(span.label == name for span in record.spans)]
        found[name] = Label(
            records=len(having),
            groups=_groups(having),
            spans=spans[name],
            spans_lost_by_truncation=lost[name],
            whitespace_edges=edges[name],
        )
    return found


def _groups(records: Sequence[Record]) -> int:
    return len({record.unit for record in records})


def _spans(records: Sequence[Record]) -> Counter[str]:
    return Counter(span.label for record in records for span in record.spans)


def _lost(records: Sequence[Record], tokens: Sequence[Tokens], max_length: int) -> Counter[str]:
    kept = Counter(span.label for one in tokens for span in one.spans if span.end <= max_length)
    return _spans(records) - kept


def _whitespace_edges(records: Sequence[Record]) -> Counter[str]:
    return Counter(
        span.label
        for record in records
        for span in record.spans
        if record.text[span.start].isspace() or record.text[span.end - 1].isspace()
    )


def _length(lengths: Sequence[int]) -> Length | None:
    if not lengths:
        return None
    median, p95 = np.percentile(lengths, [50, 95])
    return Length(min=min(lengths), median=float(median), p95=float(p95), max=max(lengths))

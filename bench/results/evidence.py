"""The evidence that a cell keeps, from which its figures follow."""

from __future__ import annotations

from bench.attack import Unit
from bench.results.parts import Result

Score = float | None
"""Six significant digits; nothing where an attack found no evidence."""


class Audited(Result):
    """The records that a cell judges, one entry each, and how the model under attack predicts them.

    `nll` is the sum over the record's tokens, in nats; `n_correct` counts tokens that were the most likely.
    """

    ids: tuple[str, ...]
    units: tuple[str, ...]
    member: tuple[bool, ...]
    n_tokens: tuple[int, ...]
    n_bytes: tuple[int, ...]
    nll: tuple[Score, ...]
    n_correct: tuple[int, ...]


class MembershipEvidence(Result):
    """The score of each record, and of each of its spans, in the order of the records."""

    records: tuple[Score, ...]
    spans: tuple[tuple[Score, ...], ...]


class Drawn(Result):
    """The log-probability, in nats, that one sample reproduces each passage; nothing where none ever does."""

    rate: tuple[Score, ...]
    base: tuple[Score, ...]
    reference: tuple[Score, ...]


class ExtractionEvidence(Result):
    """The chance of reproducing each of the members' passages.

    One entry a passage: `record` is the place of its record, `label` that of its label among
    `labels`. Where records are extracted, passages have no label and stand in no prefix. `drawn` is
    there where the attack can sample.
    """

    unit: Unit
    record: tuple[int, ...]
    labels: tuple[str, ...]
    label: tuple[int, ...]
    in_prefix: tuple[bool, ...]
    first_mention: tuple[bool, ...]
    rate: tuple[Score, ...]
    base: tuple[Score, ...]
    reference: tuple[Score, ...]
    drawn: Drawn | None


class MemorizationEvidence(Result):
    """Of each record, the number of tokens of personal information and the sum of their TRA in nats."""

    n_pii_tokens: tuple[int, ...]
    tra_pii: tuple[Score, ...]

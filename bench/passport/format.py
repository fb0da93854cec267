"""The data passport's format. These models are its only definition."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bench.results import Name, Result, Share


class About(Result):
    """The dataset, as its card states it; it has a reader or a generator."""

    name: Name
    title: Name
    family: Name
    language: Name
    licence: Name
    reader: Name | None
    generator: Name | None


class Setting(Result):
    """What the splits and the tokens depend on; `data` is that of a cell's setting."""

    model: Name
    max_length: int
    limit: int | None
    split_seed: int
    shares: dict[str, Share]
    data: Name


class Counts(Result):
    """Records, the privacy units that they belong to, and spans."""

    records: int
    groups: int
    spans: int
    spans_lost_by_truncation: int


class Length(Result):
    """How long records are; a percentile between two records is interpolated."""

    min: int
    median: float
    p95: float
    max: int


class Part(Counts):
    """Some of the records: a split, or all.

    `ungrouped` records state no group and are their own; lengths are in code points, and in tokens
    before truncation and without the start token.
    """

    ungrouped: int
    without_spans: int
    share_without_spans: Share | None
    spans_by_label: dict[str, int]
    characters: Length | None
    tokens: Length | None


class Label(Counts):
    """One label's spans and the records that have any; `whitespace_edges` start or end with whitespace."""

    whitespace_edges: int


class Shared(Result):
    """Distinct values in both of two splits, and in the first of them."""

    both: int
    first: int


class Borders(Result):
    """What stands on both sides of a border between two splits, such as `target-holdout`.

    Values are compared without regard to case and to kinds and widths of blanks.
    """

    groups: int
    near_duplicate_pairs: int
    near_duplicate_pairs_by_border: dict[str, int]
    values: dict[str, dict[str, Shared]]


class Figures(Result):
    """What is known about the data; `content` is a hash of records and spans, whatever their splits."""

    dataset: About
    setting: Setting
    content: Name
    total: Part
    splits: dict[str, Part]
    labels: dict[str, Label]
    near_duplicate_pairs: int
    across: Borders


class Passport(Figures):
    """The figures, and what they mean: faults break the protocol, warnings limit what a run can show."""

    schema_: Literal["trap-bench-passport/1"] = Field("trap-bench-passport/1", alias="schema")
    faults: tuple[str, ...]
    warnings: tuple[str, ...]

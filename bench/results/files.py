"""The files of a run: cells, audits, and the leaderboard. These models are the format's only definition."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from bench.attack import Knowledge
from bench.results.evidence import Audited, ExtractionEvidence, MembershipEvidence, MemorizationEvidence
from bench.results.parts import (
    Attacked,
    Blind,
    CellUtility,
    Cost,
    Counts,
    Memorization,
    Name,
    Privacy,
    Protocol,
    Result,
    RowMemorization,
    RowUtility,
    Share,
    Training,
)


class Setting(Result):
    """What cells must share for their figures to stand in one table."""

    protocol: Protocol
    records: dict[str, int]
    data: Name
    weights: Name
    max_length: int
    epochs: int
    batch_size: int
    learning_rate: float
    device: Name
    dtype: Name
    compiled: bool
    attention: Name


class CellFile(Result):
    """One cell: a model under attack by one attack, one seed."""

    schema_: Literal["trap-bench-cell/3"] = Field("trap-bench-cell/3", alias="schema")
    key: Name
    code: Name
    dataset: Name
    model: Name
    tuning: Name
    setting: Setting
    seed: int
    defense: Name
    params: dict[str, Any]
    spec: Name
    undefended: bool
    trained_on: tuple[str, ...]
    attack: Name
    attack_params: dict[str, Any]
    attack_spec: Name
    knowledge: Knowledge
    audited: Audited
    evidence: MembershipEvidence | ExtractionEvidence
    results: tuple[Attacked, ...]
    utility: CellUtility
    memorization: Memorization | None
    memorization_evidence: MemorizationEvidence | None
    privacy: Privacy | None
    training: Training | None
    cost: Cost
    counts: Counts
    blind: Blind


class AuditFile(Result):
    """One audit: canaries in a training, what was guessed about them, and what that proves.

    `epsilon_lower_bound` holds at `confidence` for `delta`; `ceiling` is the most that so many
    canaries can show.
    """

    schema_: Literal["trap-bench-audit/1"] = Field("trap-bench-audit/1", alias="schema")
    dataset: Name
    model: Name
    tuning: Name
    setting: Setting
    seed: int
    defense: Name
    params: dict[str, Any]
    spec: Name
    canaries: int
    included: int
    guesses: int
    correct: int
    auc: Share | None
    delta: float
    confidence: Share
    epsilon_lower_bound: float
    ceiling: float
    claimed: Privacy | None
    exceeded: bool


class Row(Attacked):
    """One line of the leaderboard: a defense under one attack on one unit, over all seeds."""

    dataset: Name
    model: Name
    tuning: Name
    protocol: Name
    setting: Name
    defense: Name
    params: dict[str, Any]
    spec: Name
    seeds: tuple[int, ...]
    attack: Name
    attack_params: dict[str, Any]
    attack_spec: Name
    knowledge: Knowledge
    utility: RowUtility
    memorization: RowMemorization | None
    privacy: Privacy | None
    cost: Cost
    blind: Blind
    frontier: bool
    flags: tuple[str, ...]


class Leaderboard(Result):
    """The leaderboard file; `level` is what the adversary has that its frontier is for."""

    schema_: Literal["trap-bench/3"] = Field("trap-bench/3", alias="schema")
    level: Knowledge
    rows: tuple[Row, ...]

"""The results' format: what a cell file and a leaderboard hold. These models are its only definition."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from bench.attack import Knowledge, Unit

Ends = tuple[float, float]
Share = Annotated[float, Field(ge=0, le=1)]
Name = Annotated[str, StringConstraints(min_length=1)]


FLOORS = ("base", "reference")
"""The rows that are no defense: the model before fine-tuning, and one fine-tuned on other records."""


class Result(BaseModel):
    """What all parts of a result have in common: fixed names, finite numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Rates(Result):
    """Extraction from the model under attack and from the floors, on the same spans."""

    n_spans: int
    rate: Share | None
    base_rate: Share | None
    reference_rate: Share | None


class Extraction(Rates):
    """Extraction of all spans, and of those that cannot be copied, that the base model fails on, by label."""

    rate_ci: Ends | None
    rate_not_in_prefix: Share | None
    not_in_prefix: Rates
    base_fails: Rates
    by_label: dict[str, Rates]


class Utility(Result):
    """How well the holdout is predicted; `nll` in nats a token."""

    nll: float
    perplexity: float
    bits_per_byte: float
    accuracy: Share


class CellUtility(Utility):
    """Utility, and for the undefended run that at its validation minimum."""

    best_nll: float | None = None


class RowUtility(Utility):
    """Utility, and the share of fine-tuning's gain that the defense keeps."""

    gain_kept: float | None


class LabelTRA(Result):
    """Mean TRA in nats of a label's tokens."""

    tra: float | None
    n_tokens: int


class Memorization(Result):
    """TRA of the members' tokens in nats; the share above 1 nat is of the tokens of personal information."""

    tra_pii: float | None
    tra_pii_ci: Ends | None
    tra_other: float | None
    share_above_1_nat: Share | None
    n_pii_tokens: int
    by_label: dict[str, LabelTRA]


class RowMemorization(Memorization):
    """Memorization, and how much of the undefended run's remains."""

    remaining_pii: float | None
    remaining_other: float | None


class Privacy(Result):
    """What a differentially private training guarantees, by what, and what that leaves out.

    `expected_batch_size` counts units; epsilon is for adding or removing one unit.
    """

    epsilon: float
    delta: float
    noise_multiplier: float
    max_grad_norm: float
    sample_rate: Share
    expected_batch_size: float
    steps: int
    accountant: str
    unit: Literal["record", "group"]
    clipping: str
    notes: tuple[str, ...]


class Cost(Result):
    """What the defense cost, its references' number included."""

    train_seconds: float
    peak_memory_mb: float
    trainings: int


class Training(Result):
    """How far a training went."""

    steps: int
    epochs: int
    best_epoch: int
    batch_size: int
    learning_rate: float
    validation_nll: tuple[float, ...]


class Counts(Result):
    """The records that were judged, their privacy units, and their spans."""

    members: int
    nonmembers: int
    member_units: int
    nonmember_units: int
    spans: int
    spans_lost_by_truncation: int


class Attacked(Result):
    """What one attack achieves on one unit."""

    unit: Unit
    n_members: int
    n_nonmembers: int
    n_excluded: int
    auc: Share | None
    auc_ci: Ends | None
    tpr_at_fpr: dict[str, Share | None]
    epsilon_lower_bound: float | None
    extraction: Extraction | None


class Setting(Result):
    """What cells must share for their figures to stand in one table."""

    protocol: Literal["half"]
    records: dict[str, int]
    data: Name
    weights: Name
    max_length: int
    epochs: int
    batch_size: int
    learning_rate: float
    device: Name
    dtype: Name
    attention: Name


class CellFile(Result):
    """One cell: a model under attack by one attack, one seed."""

    schema_: Literal["trap-bench-cell/1"] = Field("trap-bench-cell/1", alias="schema")
    key: Name
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
    results: tuple[Attacked, ...]
    utility: CellUtility
    memorization: Memorization | None
    privacy: Privacy | None
    training: Training | None
    cost: Cost
    counts: Counts


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
    leakage: Share | None
    utility: RowUtility
    memorization: RowMemorization | None
    privacy: Privacy | None
    cost: Cost
    frontier: bool
    flags: tuple[str, ...]


class Leaderboard(Result):
    """The leaderboard file."""

    schema_: Literal["trap-bench/1"] = Field("trap-bench/1", alias="schema")
    rows: tuple[Row, ...]

"""The figures that cells and rows are made of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from bench.attack import Unit

Ends = tuple[float, float]
Share = Annotated[float, Field(ge=0, le=1)]
Name = Annotated[str, StringConstraints(min_length=1)]
Protocol = Literal["half", "full"]
"""Which records are members: those of the target half, or of both."""


class Result(BaseModel):
    """What all parts of a result have in common: fixed names, finite numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Rates(Result):
    """Extraction from the model under attack and from the floors, on the same spans.

    `above_reference` is the difference to the reference model, span by span.
    """

    n_spans: int
    rate: Share | None
    rate_ci: Ends | None
    base_rate: Share | None
    reference_rate: Share | None
    above_reference: float | None
    above_reference_ci: Ends | None


class Extraction(Rates):
    """Extraction of all spans, of subsets that rule out a cue, by label, and by sampling.

    The subsets: spans whose value does not stand before them; whose value is not annotated before
    them; that the base model fails on; and those that are in all three. `sampled`, by the number of
    tries: the chance that one of so many samples is right, on spans whose value does not stand before
    them.
    """

    not_in_prefix: Rates
    first_mention: Rates
    base_fails: Rates
    without_cue: Rates
    by_label: dict[str, Rates]
    sampled: dict[str, Rates]


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


class TokensTRA(Result):
    """TRA in nats of some tokens: mean, upper quantiles, and the share above 1 nat."""

    n_tokens: int
    tra: float | None
    q90: float | None
    q99: float | None
    share_above_1_nat: Share | None


class Memorization(Result):
    """TRA of the members' tokens in nats; the share above 1 nat is of the tokens of personal information.

    Tokens are told apart by label, and by how often they occur in the complement: `0`, `1-9`,
    `10-99` or `100+` times, those of personal information apart from all others.
    """

    tra_pii: float | None
    tra_pii_ci: Ends | None
    tra_other: float | None
    share_above_1_nat: Share | None
    n_pii_tokens: int
    by_label: dict[str, TokensTRA]
    pii_by_rarity: dict[str, TokensTRA]
    other_by_rarity: dict[str, TokensTRA]


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


class Blind(Result):
    """Whether text alone tells members from non-members, as it must not.

    `shifted` if the interval excludes 0.5: then no membership figure of these records means anything.
    """

    auc: Share | None
    auc_ci: Ends | None
    n_members: int
    n_nonmembers: int
    shifted: bool


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
    dtype: Name
    validation_nll: tuple[float, ...]


class Counts(Result):
    """The records that were judged, their privacy units, and their spans."""

    members: int
    nonmembers: int
    member_units: int
    nonmember_units: int
    spans: int
    spans_lost_by_truncation: int


class Leakage(Result):
    """How much an attack gets, from 0, as from a model that never saw the members, to 1, everything.

    Membership: 2 AUC - 1 (Somers' D). Extraction: the rate on spans whose value does not stand before
    them, less the reference model's. `calibration` and `evaluation` are of two halves of the privacy
    units: a strongest attack is chosen by the one and reported by the other.
    """

    value: float | None
    calibration: float | None
    evaluation: float | None
    evaluation_ci: Ends | None


class Attacked(Result):
    """What one attack achieves on one unit; `refused` says of a missing figure what it needs."""

    unit: Unit
    n_members: int
    n_nonmembers: int
    n_excluded: int
    auc: Share | None
    auc_ci: Ends | None
    tpr_at_fpr: dict[str, Share | None]
    epsilon_lower_bound: float | None
    leakage: Leakage
    extraction: Extraction | None
    refused: dict[str, str]

"""How much more a model knows of its members' tokens than a reference that never saw them: TRA."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bench import statistics
from bench.evaluation.columns import Floats, ends
from bench.evidence import Subject
from bench.results import Memorization, TokensTRA

RARITIES = (("0", 0, 0), ("1-9", 1, 9), ("10-99", 10, 99), ("100+", 100, math.inf))
"""How often a token occurs in the complement: the name of a class, its least and its greatest count."""


def memorization(
    subjects: Sequence[Subject], reference: str, frequency: Mapping[str, Mapping[int, int]]
) -> Memorization:
    """TRA of the members' tokens against a reference: of personal information and of the rest.

    Args:
        frequency: for each half that members are in, how often each token id occurs in the other half.
    """
    members = [subject for subject in subjects if subject.member]
    values = [
        subject.signals["target"].logprobs.astype(np.float64) - subject.signals[reference].logprobs
        for subject in members
    ]
    advantage, lengths = np.concatenate(values), [len(value) for value in values]
    personal = np.concatenate([subject.tokens.personal for subject in members])
    counts = np.array(
        [frequency[s.split].get(token, 0) for s in members for token in s.tokens.input_ids[1:].tolist()]
    )
    units = np.repeat(np.array([subject.tokens.unit for subject in members], dtype=object), lengths)
    by_label: dict[str, list[Floats]] = defaultdict(list)
    for subject, value in zip(members, values, strict=True):
        for span in subject.tokens.spans:
            by_label[span.label].append(value[span.start : span.end])
    whole = _tokens_tra(advantage[personal])
    interval = statistics.mean_interval(advantage[personal], units[personal]) if personal.any() else None
    return Memorization(
        tra_pii=whole.tra,
        tra_pii_ci=ends(interval),
        tra_other=_tokens_tra(advantage[~personal]).tra,
        share_above_1_nat=whole.share_above_1_nat,
        n_pii_tokens=whole.n_tokens,
        by_label={label: _tokens_tra(np.concatenate(parts)) for label, parts in sorted(by_label.items())},
        pii_by_rarity=_by_rarity(advantage[personal], counts[personal]),
        other_by_rarity=_by_rarity(advantage[~personal], counts[~personal]),
    )


def _by_rarity(advantage: Floats, counts: NDArray[np.int64]) -> dict[str, TokensTRA]:
    return {
        name: _tokens_tra(advantage[(least <= counts) & (counts <= most)]) for name, least, most in RARITIES
    }


def _tokens_tra(advantage: Floats) -> TokensTRA:
    if not advantage.size:
        return TokensTRA(n_tokens=0, tra=None, q90=None, q99=None, share_above_1_nat=None)
    q90, q99 = np.quantile(advantage, [0.9, 0.99])
    return TokensTRA(
        n_tokens=advantage.size,
        tra=float(advantage.mean()),
        q90=float(q90),
        q99=float(q99),
        share_above_1_nat=float((advantage > 1).mean()),
    )

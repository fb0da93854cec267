"""How well a model does its task: the prediction of records that it has never seen."""

from __future__ import annotations

import math

import numpy as np

from bench.errors import RunError
from bench.evaluation.columns import floats
from bench.results import Audited, Utility


def utility(audited: Audited) -> Utility:
    """How well the model under attack predicts the non-members, over all their tokens."""
    outside = ~np.array(audited.member, dtype=bool)
    nll = floats(audited.nll)[outside]
    tokens, size, hits = (
        float(np.array(column)[outside].sum())
        for column in (audited.n_tokens, audited.n_bytes, audited.n_correct)
    )
    if not np.isfinite(nll).all():
        raise RunError("the loss on the holdout is infinite: the model gives a token no probability")
    mean = float(nll.sum()) / tokens
    return Utility(
        nll=mean,
        perplexity=math.exp(min(mean, 700.0)),
        bits_per_byte=float(nll.sum()) / math.log(2) / size,
        accuracy=hits / tokens,
    )

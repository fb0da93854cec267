"""The blind control: can text alone, without any model, tell members from non-members?

Where it can, the two sides differ in more than membership, and an attack may score that difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.statistics import Floats, Interval, auc, auc_interval

MIN_UNITS = 20
"""Fewer units a side than this give no figure: nearly every interval would hold 0.5."""
FOLDS = 5


@dataclass(frozen=True, slots=True)
class BlindControl:
    """How well a classifier that sees text alone tells members from non-members.

    Attributes:
        n_members, n_nonmembers: how many texts there are of each.
        auc: of its out-of-fold scores; None where a side has fewer than `MIN_UNITS` units, as are the
            next two.
        interval: 95 %, over units.
        shifted: whether the interval leaves out 0.5.
    """

    n_members: int
    n_nonmembers: int
    auc: float | None = None
    interval: Interval | None = None
    shifted: bool | None = None


def blind_control(
    members: Sequence[tuple[str, str]], nonmembers: Sequence[tuple[str, str]], seed: int = 0
) -> BlindControl:
    """Judge the members' texts against the non-members', each given with its unit as (text, unit).

    The order of the texts does not matter.

    Raises:
        ValueError: a unit stands on both sides.
    """
    counts = len(members), len(nonmembers)
    if min(len({unit for _, unit in side}) for side in (members, nonmembers)) < MIN_UNITS:
        return BlindControl(*counts)
    texts, units = zip(*members, *nonmembers, strict=True)
    member = np.repeat([True, False], counts)
    scores = blind_scores(texts, member, units, seed)
    ahead, behind = scores[member], scores[~member]
    estimate = auc(ahead, behind)
    inner = auc_interval(ahead, behind, units[: counts[0]], units[counts[0] :])
    assert inner is not None, "there are units enough"
    interval = _widened(inner, estimate)
    return BlindControl(*counts, estimate, interval, not interval.low <= 0.5 <= interval.high)


def blind_scores(texts: Sequence[str], labels: ArrayLike, units: Sequence[str], seed: int = 0) -> Floats:
    """Out-of-fold scores of logistic regression on words and characters: (n,) in (0, 1), higher = more
    member-like.

    texts, labels (True: member), units: one each a record. Folds have the same number of units of either
    side, give or take one, and no unit is in two. A score is the rank within its fold, over the fold's
    size. Log-odds could not be compared across folds: a fold that happens to hold more members was
    judged by a model that saw fewer, and so says "member" less often, which pulls the AUC of texts that
    tell nothing below 0.5. Ranks of such texts do not depend on their fold.

    Raises:
        ValueError: the lengths differ, a side has fewer than two units, or a unit stands on both sides.
    """
    from scipy.stats import rankdata
    from sklearn.linear_model import LogisticRegression

    member = np.asarray(labels, dtype=np.bool_)
    if not len(texts) == len(member) == len(units):
        raise ValueError(
            f"{len(texts)} texts, {len(member)} labels, {len(units)} units: give one each a record"
        )
    # The same order whatever the input's, so that no sum is rounded differently.
    order = np.array(sorted(range(len(texts)), key=lambda i: (units[i], texts[i])), dtype=np.int64)
    features, member = _features([texts[i] for i in order]), member[order]
    folds = _folds([units[i] for i in order], member, seed)
    scores = np.empty(len(texts))
    for fold in range(folds.max() + 1):
        held_out = folds == fold
        model = LogisticRegression(solver="liblinear").fit(features[~held_out], member[~held_out])
        ranks = rankdata(model.decision_function(features[held_out]))
        scores[order[held_out]] = (ranks - 0.5) / held_out.sum()
    return scores


def _features(texts: Sequence[str]) -> Any:
    """TF-IDF of words, pairs of words and character n-grams, a row a text: (n, v), sparse."""
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_union

    if not any(text.split() for text in texts):
        return csr_matrix((len(texts), 1))
    words = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\w+|[^\w\s]", sublinear_tf=True)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), lowercase=False, sublinear_tf=True)
    return make_union(words, characters).fit_transform(texts)


def _folds(units: Sequence[str], member: NDArray[np.bool_], seed: int) -> NDArray[np.int64]:
    """Which fold each record is in, (n,): the shuffled units of either side are dealt out in turn."""
    sides = [sorted(set(compress(units, side))) for side in (member, ~member)]
    if both := len(set(sides[0]) & set(sides[1])):
        raise ValueError(f"{both} units have members and non-members: a unit must be one or the other")
    count = min(FOLDS, *map(len, sides))
    if count < 2:
        raise ValueError(
            f"{len(sides[0])} and {len(sides[1])} units: cross-validation needs two of each side"
        )
    rng = np.random.default_rng(seed)
    fold = {side[k]: i % count for side in sides for i, k in enumerate(rng.permutation(len(side)))}
    return np.array([fold[unit] for unit in units], dtype=np.int64)


def _widened(interval: Interval, estimate: float) -> Interval:
    """The interval, stretched by the square root of 2 for what cross-validation counts twice.

    Two records in different folds help to score one another. Of texts that tell nothing, the AUC of a
    linear classifier is about sum_ij k_ij y_i y_j, which has each pair twice and twice the variance
    that a bootstrap finds, since it takes the scores as given. Unstretched, 95 % intervals hold 0.5 in
    79 of 100 such corpora.
    """
    low, high = (estimate + math.sqrt(2) * (end - estimate) for end in (interval.low, interval.high))
    return Interval(max(0.0, low), min(1.0, high))

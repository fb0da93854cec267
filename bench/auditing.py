"""One-run privacy auditing: which canaries were in, and what the guesses prove. Arrays in, numbers out.

Source: Steinke, Nasr and Jagielski, Privacy Auditing with One (1) Training Run, NeurIPS 2023.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

PARTS = (1, 2, 4, 8)
"""The guesses that are tried: all canaries, the surer half, quarter and eighth of them."""

LARGEST_EPSILON = 60.0
TOLERANCE = 1e-4


@dataclass(frozen=True)
class OneRunBound:
    """What one training proves about its epsilon.

    Attributes:
        epsilon: lower bound, 0 where nothing is proved.
        guesses, correct: of the number of guesses that proves most.
        ceiling: the bound if every canary had been told right: no more can be seen with so many.
    """

    epsilon: float
    guesses: int
    correct: int
    ceiling: float


def one_run_bound(
    included: ArrayLike, scores: ArrayLike, *, delta: float, confidence: float = 0.95, seed: int = 0
) -> OneRunBound:
    """Lower bound on the epsilon of the training that these canaries were put, or not put, into.

    included: (m,) bool, independent fair coins; scores: (m,), higher = more likely included, non-finite
    ones are not guessed at. The highest k scores are guessed in and the lowest k out, for each k of
    `PARTS`; the best bound is kept, at a confidence corrected for choosing it (Bonferroni).

    >>> told = one_run_bound([True] * 50 + [False] * 50, range(100, 0, -1), delta=0)
    >>> told.correct, round(told.epsilon, 2)  # all told right: (e^eps / (1 + e^eps)) ** 100 = 0.05 / 4
    (100, 3.11)
    """
    coins, values = np.asarray(included, dtype=bool), np.asarray(scores, dtype=np.float64)
    if coins.shape != values.shape or coins.ndim != 1 or coins.size < 2:
        raise ValueError(
            f"{coins.shape} coins for {values.shape} scores: give one score a canary, two or more"
        )
    alpha = (1 - confidence) / len(PARTS)
    shuffled = np.random.default_rng(seed).permutation(np.flatnonzero(np.isfinite(values)))
    ascending = coins[shuffled[np.argsort(values[shuffled], kind="stable")]]
    best = OneRunBound(0.0, 0, 0, epsilon_shown(coins.size, coins.size, coins.size, delta, alpha))
    for part in PARTS:
        half = ascending.size // part // 2
        if not half:
            continue
        correct = int((~ascending[:half]).sum() + ascending[-half:].sum())
        epsilon = epsilon_shown(coins.size, 2 * half, correct, delta, alpha)
        if epsilon > best.epsilon or not best.guesses:
            best = OneRunBound(epsilon, 2 * half, correct, best.ceiling)
    return best


def epsilon_shown(canaries: int, guesses: int, correct: int, delta: float, alpha: float) -> float:
    """The largest epsilon under which so many correct guesses have a probability of at most alpha.

    >>> round(epsilon_shown(100, 100, 50, 0.0, 0.05), 2)
    0.0
    """
    low, high = 0.0, LARGEST_EPSILON
    if p_value(canaries, guesses, correct, low, delta) > alpha:
        return 0.0
    while high - low > TOLERANCE:
        middle = (low + high) / 2
        if p_value(canaries, guesses, correct, middle, delta) <= alpha:
            low = middle
        else:
            high = middle
    return low


def p_value(canaries: int, guesses: int, correct: int, epsilon: float, delta: float) -> float:
    """The most likely that so many correct guesses are under (epsilon, delta)-differential privacy.

    With W binomial of `guesses` trials at the accuracy e^eps / (1 + e^eps) of randomized response:
    P[W >= correct] + 2 canaries delta max over i of P[correct > W >= correct - i] / i (Theorem 5.2).
    """
    accuracy = 1 / (1 + np.exp(-epsilon))
    tail = float(binom.sf(correct - 1, guesses, accuracy))
    steps: NDArray[np.float64] = np.arange(1, correct + 1, dtype=np.float64)
    below = np.cumsum(binom.pmf(correct - steps, guesses, accuracy)) / steps
    return min(1.0, tail + 2 * canaries * delta * float(below.max(initial=0.0)))

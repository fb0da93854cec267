"""What a Poisson-sampled Gaussian mechanism spends, and the least noise that stays within a budget.

Opacus adds up: by numerical composition of the privacy loss (`prv`: Gopi, Lee and Wutschitz 2021),
or by Rényi differential privacy (`rdp`: Mironov 2017), which is looser and never fails.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from bench.errors import InputError

Accountant = Literal["prv", "rdp"]

ORDERS = (*(1 + k / 10 for k in range(1, 100)), *range(11, 64), 96, 128, 192, 256, 384, 512, 768, 1024)
"""Rényi orders; the large ones serve small budgets, which Opacus' own list cannot express."""

LARGEST_NOISE = 1e4
PRV_LIMIT = 200.0
"""The epsilon above which the grid of the numerical composition takes gigabytes."""


@dataclass(frozen=True)
class Mechanism:
    """Noisy sums of clipped gradients over Poisson samples.

    Attributes:
        sample_rate: the chance of a unit to join a step.
        steps: how many there are.
        delta: for which epsilon is stated.
        accountant: which is asked first; `prv` gives way to `rdp` where it fails.
    """

    sample_rate: float
    steps: int
    delta: float
    accountant: Accountant


@dataclass(frozen=True)
class Spent:
    """An epsilon, by which accountant; `note` says why that is not the one that was asked for."""

    epsilon: float
    accountant: Accountant
    note: str = ""


@cache
def epsilon_of(noise_multiplier: float, mechanism: Mechanism) -> Spent:
    """The epsilon that noise of this multiple of the clipping norm comes to, an upper bound."""
    by_orders = _rdp(noise_multiplier, mechanism)
    if mechanism.accountant == "rdp":
        return Spent(by_orders, "rdp")
    if by_orders > PRV_LIMIT:
        return Spent(by_orders, "rdp", f"accounted by rdp: too much for prv, above {PRV_LIMIT:g}")
    try:
        epsilon = _prv(noise_multiplier, mechanism, by_orders)
    except (ArithmeticError, ValueError, RuntimeError, MemoryError) as error:
        return Spent(by_orders, "rdp", f"accounted by rdp: prv failed with {type(error).__name__}")
    if not math.isfinite(epsilon):
        return Spent(by_orders, "rdp", f"accounted by rdp: prv gave {epsilon}")
    return Spent(epsilon, "prv")


def _rdp(noise_multiplier: float, mechanism: Mechanism) -> float:
    from opacus.accountants import RDPAccountant

    accountant = RDPAccountant()
    accountant.history = [(noise_multiplier, mechanism.sample_rate, mechanism.steps)]
    with _without_advice():
        return max(0.0, float(accountant.get_epsilon(mechanism.delta, alphas=list(ORDERS))))


def _prv(noise_multiplier: float, mechanism: Mechanism, about: float) -> float:
    """The error that is added to epsilon, so that it bounds, is kept to 1 % of it."""
    from opacus.accountants import PRVAccountant

    accountant = PRVAccountant()
    accountant.history = [(noise_multiplier, mechanism.sample_rate, mechanism.steps)]
    with _without_advice():
        return float(accountant.get_epsilon(mechanism.delta, eps_error=min(0.01, max(about, 0.01) / 100)))


@cache
def noise_multiplier_within(epsilon: float, mechanism: Mechanism) -> float:
    """The least noise multiplier, to 0.2 %, whose epsilon does not exceed the budget.

    Raises:
        InputError: no noise is enough.
    """
    require_reachable(epsilon, mechanism)
    noise = _least_noise(epsilon, replace(mechanism, accountant="rdp"), LARGEST_NOISE)
    return noise if mechanism.accountant == "rdp" else _least_noise(epsilon, mechanism, noise)


def require_reachable(epsilon: float, mechanism: Mechanism) -> None:
    """Raise `InputError` where even the largest noise spends more than the budget."""
    if _rdp(LARGEST_NOISE, mechanism) > epsilon:
        raise InputError(
            f"epsilon={epsilon:g} cannot be kept for {mechanism.steps} steps at delta={mechanism.delta:.2g}, "
            "whatever the noise; give a larger epsilon, or a larger delta"
        )


def _least_noise(epsilon: float, mechanism: Mechanism, enough: float) -> float:
    """Bisection from a noise multiplier that is known, or thought, to be enough."""
    while epsilon_of(enough, mechanism).epsilon > epsilon:
        enough *= 1.1
    step = 2.0 if mechanism.accountant == "rdp" else 1.1
    too_little = enough / step
    while epsilon_of(too_little, mechanism).epsilon <= epsilon:
        enough, too_little = too_little, too_little / step
    while enough > 1.002 * too_little:
        middle = math.sqrt(enough * too_little)
        if epsilon_of(middle, mechanism).epsilon <= epsilon:
            enough = middle
        else:
            too_little = middle
    return enough


@contextmanager
def _without_advice() -> Iterator[None]:
    """Opacus advises other orders where the best one is the first or the last: here they are ours."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Optimal order is the")
        yield

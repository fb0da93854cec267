import math

import dp_accounting
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from bench.errors import InputError
from bench.privacy import accounting
from bench.privacy.accounting import ORDERS, Mechanism, epsilon_of, noise_multiplier_within

STEPS, DELTA = 20, 1e-4


@pytest.fixture(autouse=True)
def _nothing_is_remembered():
    yield
    epsilon_of.cache_clear()
    noise_multiplier_within.cache_clear()


def by_another_library(noise_multiplier, mechanism, about):
    """Google's dp-accounting by privacy loss distributions, on a grid as fine as the epsilon asks for."""
    accountant = dp_accounting.pld.PLDAccountant(value_discretization_interval=about / 2e4)
    event = dp_accounting.GaussianDpEvent(noise_multiplier)
    if mechanism.sample_rate < 1:
        event = dp_accounting.PoissonSampledDpEvent(mechanism.sample_rate, event)
    accountant.compose(event, mechanism.steps)
    return accountant.get_epsilon(mechanism.delta)


def by_integration(noise_multiplier, mechanism):
    """Rényi divergences by their definition, and the epsilon of the best order (Canonne et al. 2020)."""
    rate, epsilons = mechanism.sample_rate, []
    for order in ORDERS:
        z = np.linspace(-20 * noise_multiplier - 2, order + 20 * noise_multiplier + 2, 20001)
        joined = (2 * z - 1) / (2 * noise_multiplier**2) + math.log(rate)
        ratio = np.logaddexp(math.log1p(-rate), joined) if rate < 1 else joined
        integrand = norm.logpdf(z, scale=noise_multiplier) + order * ratio
        top = integrand.max()
        divergence = (top + math.log(np.trapezoid(np.exp(integrand - top), z))) / (order - 1)
        slack = math.log1p(-1 / order) - math.log(mechanism.delta * order) / (order - 1)
        epsilons.append(mechanism.steps * divergence + slack)
    return min(epsilons)


def analytic(noise_multiplier, mechanism):
    """Without sampling the steps are one Gaussian mechanism (Balle and Wang, ICML 2018, theorem 8)."""
    mu = math.sqrt(mechanism.steps) / noise_multiplier

    def excess(epsilon):
        tail = math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)
        return norm.cdf(mu / 2 - epsilon / mu) - tail - mechanism.delta

    return brentq(excess, 0, 600)


# Noise multipliers that come to about these epsilons, so that none has to be searched for.
@pytest.mark.parametrize(
    ("noise_multiplier", "sample_rate", "about"),
    [
        (5.83, 0.05, 0.1),
        (1.206, 0.05, 1),
        (0.508, 0.05, 8),
        (0.2075, 0.05, 64),
        (55.5, 0.5, 0.1),
        (7.37, 0.5, 1),
        (1.405, 0.5, 8),
        (0.397, 0.5, 64),
        (110.8, 1.0, 0.1),
        (14.39, 1.0, 1),
        (2.433, 1.0, 8),
        (0.542, 1.0, 64),
    ],
)
def test_epsilon_bounds_and_agrees_with_independent_figures(noise_multiplier, sample_rate, about):
    exact = by_another_library(noise_multiplier, Mechanism(sample_rate, STEPS, DELTA, "prv"), about)
    assert exact == pytest.approx(about, rel=0.02)
    prv = epsilon_of(noise_multiplier, Mechanism(sample_rate, STEPS, DELTA, "prv"))
    assert (prv.accountant, prv.note) == ("prv", "")
    assert 0.999 * exact < prv.epsilon < 1.02 * exact, "Opacus adds its own bound on the error"
    loose = Mechanism(sample_rate, STEPS, DELTA, "rdp")
    rdp = epsilon_of(noise_multiplier, loose)
    assert (rdp.accountant, rdp.note) == ("rdp", "")
    assert rdp.epsilon > exact
    assert rdp.epsilon == pytest.approx(by_integration(noise_multiplier, loose), rel=1e-4)


@pytest.mark.parametrize("noise_multiplier", [0.542, 2.433, 14.39, 110.8])
def test_without_sampling_epsilon_is_that_of_one_gaussian_mechanism(noise_multiplier):
    mechanism = Mechanism(1.0, STEPS, DELTA, "prv")
    exact = analytic(noise_multiplier, mechanism)
    assert exact <= epsilon_of(noise_multiplier, mechanism).epsilon <= 1.02 * exact


GRID = [(epsilon, 1.0, accountant) for epsilon in (0.1, 1, 8, 64) for accountant in ("prv", "rdp")]
GRID += [(1, 0.05, "prv"), (0.1, 0.05, "rdp"), (1, 0.05, "rdp"), (8, 0.05, "rdp"), (64, 0.05, "rdp")]
LONG = [(epsilon, 0.5, accountant) for epsilon in (0.1, 1, 8, 64) for accountant in ("prv", "rdp")]
LONG += [(0.1, 0.05, "prv"), (8, 0.05, "prv"), (64, 0.05, "prv")]


@pytest.mark.parametrize(
    ("epsilon", "sample_rate", "accountant"),
    GRID + [pytest.param(*values, marks=pytest.mark.slow) for values in LONG],
)
def test_the_noise_found_is_the_least_that_keeps_the_budget(accountant, epsilon, sample_rate):
    mechanism = Mechanism(sample_rate, STEPS, DELTA, accountant)
    noise_multiplier = noise_multiplier_within(epsilon, mechanism)
    assert 0.98 * epsilon < epsilon_of(noise_multiplier, mechanism).epsilon <= epsilon
    assert epsilon_of(0.99 * noise_multiplier, mechanism).epsilon > epsilon


@pytest.mark.parametrize(
    "mechanism",
    [
        Mechanism(1.0, 1, 1e-10, "prv"),
        pytest.param(Mechanism(0.01, 5000, 1e-6, "prv"), marks=pytest.mark.slow),
    ],
    ids=["one step and a tiny delta", "many steps and a small rate"],
)
def test_budgets_are_kept_at_the_edges(mechanism):
    for epsilon in (0.05, 3.0):
        noise_multiplier = noise_multiplier_within(epsilon, mechanism)
        assert epsilon_of(noise_multiplier, mechanism).epsilon <= epsilon
        assert by_another_library(noise_multiplier, mechanism, epsilon) <= epsilon * 1.001


def test_above_its_limit_prv_is_not_tried(monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr(accounting, "_prv", never)
    mechanism = Mechanism(1.0, STEPS, DELTA, "prv")
    spent = epsilon_of(0.2, mechanism)
    assert spent.epsilon > accounting.PRV_LIMIT
    assert spent.epsilon >= analytic(0.2, mechanism)
    assert (spent.accountant, spent.note) == ("rdp", "accounted by rdp: too much for prv, above 200")


@pytest.mark.parametrize("error", [ValueError, RuntimeError, MemoryError, OverflowError, ZeroDivisionError])
def test_where_prv_fails_rdp_takes_over_and_says_so(error, monkeypatch):
    def fails(*_):
        raise error("of Opacus' own")

    monkeypatch.setattr(accounting, "_prv", fails)
    mechanism = Mechanism(1.0, STEPS, DELTA, "prv")
    spent = epsilon_of(2.5, mechanism)
    assert spent.epsilon == epsilon_of(2.5, Mechanism(1.0, STEPS, DELTA, "rdp")).epsilon
    assert (spent.accountant, spent.note) == ("rdp", f"accounted by rdp: prv failed with {error.__name__}")
    assert epsilon_of(noise_multiplier_within(8.0, mechanism), mechanism).epsilon <= 8.0


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_a_figure_of_prv_that_is_not_finite_is_not_taken(value, monkeypatch):
    monkeypatch.setattr(accounting, "_prv", lambda *_: value)
    spent = epsilon_of(2.5, Mechanism(1.0, STEPS, DELTA, "prv"))
    assert math.isfinite(spent.epsilon)
    assert (spent.accountant, spent.note) == ("rdp", f"accounted by rdp: prv gave {value}")


@pytest.mark.parametrize("accountant", ["prv", "rdp"])
def test_a_budget_that_no_noise_can_keep_is_refused_with_the_way_out(accountant):
    mechanism = Mechanism(1.0, 10**6, 1e-9, accountant)
    with pytest.raises(InputError, match=r"epsilon=0.05 cannot be kept for 1000000 steps.*larger") as error:
        noise_multiplier_within(0.05, mechanism)
    assert len(str(error.value).splitlines()) == 1


def test_more_steps_or_a_higher_rate_spend_more_and_more_noise_spends_less():
    base = epsilon_of(1.5, Mechanism(0.1, 50, 1e-5, "prv")).epsilon
    assert epsilon_of(1.5, Mechanism(0.1, 60, 1e-5, "prv")).epsilon > base
    assert epsilon_of(1.5, Mechanism(0.12, 50, 1e-5, "prv")).epsilon > base
    assert epsilon_of(1.5, Mechanism(0.1, 50, 1e-6, "prv")).epsilon > base
    assert epsilon_of(1.6, Mechanism(0.1, 50, 1e-5, "prv")).epsilon < base

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from bench.auditing import PARTS, epsilon_shown, one_run_bound, p_value


def slow_p_value(canaries, guesses, correct, epsilon, delta):
    """The bound of the paper, term by term."""
    accuracy = np.exp(epsilon) / (1 + np.exp(epsilon))
    chances = [binom.pmf(count, guesses, accuracy) for count in range(guesses + 1)]
    tail = sum(chances[correct:])
    steps = [sum(chances[correct - i : correct]) / i for i in range(1, correct + 1)]
    return min(1.0, tail + 2 * canaries * delta * max(steps, default=0.0))


@given(
    st.integers(1, 40).flatmap(lambda guesses: st.tuples(st.just(guesses), st.integers(0, guesses))),
    st.floats(0, 6),
    st.floats(0, 0.01),
    st.integers(0, 60),
)
def test_the_p_value_is_that_of_the_paper(counts, epsilon, delta, abstained):
    guesses, correct = counts
    got = p_value(guesses + abstained, guesses, correct, epsilon, delta)
    assert got == pytest.approx(slow_p_value(guesses + abstained, guesses, correct, epsilon, delta), abs=1e-9)


def test_all_told_right_is_worth_what_a_hand_calculation_says():
    accuracy = 0.05 ** (1 / 100)  # accuracy ** 100 = 0.05
    expected = np.log(accuracy / (1 - accuracy))
    assert epsilon_shown(100, 100, 100, 0.0, 0.05) == pytest.approx(expected, abs=1e-3)


def test_half_told_right_proves_nothing():
    assert epsilon_shown(200, 200, 100, 0.0, 0.05) == 0.0


def test_a_larger_delta_weakens_the_bound():
    bounds = [epsilon_shown(200, 200, 190, delta, 0.05) for delta in (0.0, 1e-5, 1e-3)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > bounds[2]


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.floats(0.0, 3.0))
def test_the_order_of_the_canaries_and_the_scale_of_the_scores_do_not_matter(seed, shift):
    rng = np.random.default_rng(seed)
    coins = rng.random(60) < 0.5
    scores = rng.normal(size=60) + shift * coins
    order = rng.permutation(60)
    one = one_run_bound(coins, scores, delta=1e-5)
    other = one_run_bound(coins[order], 3 * scores[order] - 1, delta=1e-5)
    assert one == other


def test_equal_scores_are_told_apart_by_nothing():
    coins = np.arange(400) < 200  # in an order that tells all
    bounds = [one_run_bound(coins, np.zeros(400), delta=0.0, seed=seed) for seed in range(20)]
    assert np.mean([bound.epsilon for bound in bounds]) < 0.1


def test_canaries_without_a_finite_score_are_not_guessed_at():
    coins = np.array([True] * 30 + [False] * 30)
    scores = np.where(coins, 1.0, 0.0)
    scores[:10] = np.nan
    scores[-10:] = -np.inf
    bound = one_run_bound(coins, scores, delta=0.0)
    assert (bound.guesses, bound.correct) == (40, 40)
    assert bound.epsilon < bound.ceiling


def test_a_bound_is_no_higher_than_its_ceiling():
    coins = np.array([True, False] * 100)
    perfect = one_run_bound(coins, coins.astype(float), delta=1e-5)
    assert perfect.epsilon == perfect.ceiling


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_the_bound_is_above_the_truth_in_no_more_than_a_twentieth_of_audits(epsilon):
    rng, accuracy = np.random.default_rng(int(10 * epsilon)), 1 / (1 + np.exp(-epsilon))
    bounds = []
    for _ in range(2000):
        coins = rng.random(100) < 0.5
        answers = np.where(rng.random(100) < accuracy, coins, ~coins)  # randomized response
        bounds.append(one_run_bound(coins, answers + rng.normal(0, 1e-3, 100), delta=0.0).epsilon)
    assert np.mean(np.array(bounds) > epsilon) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)
    assert max(bounds) > 0.5 * epsilon


def test_four_numbers_of_guesses_are_corrected_for():
    assert len(PARTS) == 4
    coins = np.array([True, False] * 50)
    assert one_run_bound(coins, coins.astype(float), delta=0.0).ceiling == epsilon_shown(
        100, 100, 100, 0.0, 0.05 / 4
    )


def test_coins_and_scores_must_match():
    with pytest.raises(ValueError, match="give one score a canary"):
        one_run_bound([True, False], [1.0], delta=0.0)

import numpy as np
import pytest

from bench import resampling
from bench.resampling import numbered, resampled_aucs, resampled_means, sample, studentized_means

UNITS = [f"r{n % 23}" for n in range(60)]


def scores(seed):
    return np.random.default_rng(seed).normal(size=60)


def all_resampled():
    drawn = sample("values", scores(1), UNITS)
    error, distances = studentized_means(drawn, 50, seed=3)
    return [
        resampled_aucs(drawn, sample("values", scores(2), UNITS), 50, seed=3),
        resampled_means(drawn, 50, seed=3),
        np.append(error, distances),
    ]


@pytest.mark.parametrize("block", [1, 200, 1000])
def test_how_many_resamples_are_taken_at_a_time_changes_no_estimate(block, monkeypatch):
    whole = all_resampled()
    monkeypatch.setattr(resampling, "BLOCK", block)
    for one, other in zip(whole, all_resampled(), strict=True):
        assert one == pytest.approx(other, abs=1e-12)


def test_units_are_drawn_as_a_whole():
    # The values of every unit add up to nil, and all units have as many: so do those of any resample.
    values = np.tile([1.0, -1.0], 30)
    drawn = sample("values", values, [n // 2 for n in range(60)])
    assert resampled_means(drawn, 200, seed=0) == pytest.approx(np.zeros(200))


def test_figures_of_the_same_units_are_resampled_together():
    means = [
        resampled_means(sample("values", values, UNITS), 50, seed=4) for values in (scores(1), scores(1) + 7)
    ]
    assert means[1] - means[0] == pytest.approx(np.full(50, 7.0))
    sides = [sample("values", scores(seed), UNITS) for seed in (1, 2)]
    other = [sample("values", np.exp(scores(seed)), UNITS) for seed in (1, 2)]
    assert resampled_aucs(*sides, 50, seed=4).tolist() == resampled_aucs(*other, 50, seed=4).tolist()


def test_the_sides_of_an_auc_are_drawn_apart():
    # Were the same units drawn on both sides, each resample would be that of a record against itself.
    drawn = sample("values", scores(1), range(60))
    assert np.ptp(resampled_aucs(drawn, drawn, 50, seed=5)) > 0.1


def test_numbers_of_units_follow_from_their_names():
    numbers, count = numbered(["b", "a", "c", "a"])
    assert (numbers.tolist(), count) == ([1, 0, 2, 0], 3)
    assert numbered([None, ("x", 1), 1])[1] == 3

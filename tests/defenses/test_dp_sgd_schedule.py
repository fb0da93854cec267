from dataclasses import asdict

import pytest

from bench.defenses.dp_sgd import DPSGD
from bench.schedule import Schedule

SHARED = Schedule(epochs=10, batch_size=8, learning_rate=1e-3)
OWN = {"epochs": 3, "batch_size": 5, "learning_rate": 0.02}


def units(n):
    return [f"u{index}" for index in range(n)]


def test_an_equal_schedule_is_the_shared_one():
    assert DPSGD(schedule="equal").scheduled(SHARED, units(100)) == SHARED


@pytest.mark.parametrize("schedule", ["private", "equal"])
def test_what_is_given_wins_over_any_schedule(schedule):
    auto = asdict(DPSGD(schedule=schedule).scheduled(SHARED, units(100)))
    assert asdict(DPSGD(schedule=schedule, **OWN).scheduled(SHARED, units(100))) == OWN
    for name, value in OWN.items():
        one = DPSGD(schedule=schedule, **{name: value}).scheduled(SHARED, units(100))
        assert asdict(one) == auto | {name: value}


@pytest.mark.parametrize("n_records", [1, 3, 7, 8, 20, 1000])
def test_batches_of_the_private_schedule_are_never_smaller_than_the_shared_ones(n_records):
    assert DPSGD().scheduled(SHARED, units(n_records)).batch_size >= SHARED.batch_size

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.studies.difficulty import rank_correlation


def ranked(values):
    """Ranks from 1, ties sharing the mean of theirs: by counting, one at a time."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


@settings(deadline=None, max_examples=10)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=20, max_size=40))
def test_the_rank_correlation_is_that_of_ranks(pairs):
    one, two = zip(*pairs, strict=True)
    rank, ends = rank_correlation(one, two, [f"unit {at}" for at in range(len(pairs))])
    if len(set(one)) == 1 or len(set(two)) == 1:
        assert (rank, ends) == (None, None)
    else:
        assert rank == pytest.approx(np.corrcoef(ranked(one), ranked(two))[0, 1])


def test_fewer_than_20_units_have_no_rank_correlation():
    values = list(range(40))
    assert rank_correlation(values, values, [f"unit {at // 3}" for at in values]) == (None, None)
    # Where every resample has the same rank, nothing says how far off it may be.
    assert rank_correlation(values, values, [f"unit {at // 2}" for at in values]) == (1, None)


def test_the_interval_holds_a_correlation_that_is_there_and_0_where_there_is_none():
    rng = np.random.default_rng(5)
    hard = rng.normal(size=200)
    units = [f"unit {at}" for at in range(200)]
    _, ends = rank_correlation(hard, hard + rng.normal(size=200), units)
    assert 0.4 < ends[0] < ends[1] < 0.85
    _, ends = rank_correlation(hard, rng.normal(size=200), units)
    assert ends[0] < 0 < ends[1]

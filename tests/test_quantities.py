import doctest

from bench import quantities


def test_the_examples_hold():
    results = doctest.testmod(quantities)
    assert results.attempted == 2
    assert results.failed == 0

import pytest

from bench.records.surrogates import (
    FIRST_NAMES,
    FULL_NAMES,
    PHONE_NUMBERS,
    STREETS,
    SURNAMES,
    TOWNS,
    full_name,
    phone_number,
)


@pytest.mark.parametrize(
    ("pool", "size"), [(FIRST_NAMES, 150), (SURNAMES, 250), (TOWNS, 100), (STREETS, 60)], ids="fsta"
)
def test_a_pool_is_large_and_free_of_repetition(pool, size):
    assert len(set(pool)) == len(pool) >= size


def test_a_value_tells_its_pool():
    assert not set(FIRST_NAMES) & set(SURNAMES)


def test_full_names_are_all_different():
    assert len({full_name(index) for index in range(FULL_NAMES)}) == FULL_NAMES


def test_phone_numbers_are_all_different_and_fictional():
    numbers = {phone_number(index) for index in range(PHONE_NUMBERS)}
    assert len(numbers) == PHONE_NUMBERS
    assert all(number[4:10] == "555-01" and len(number) == 12 for number in numbers)


def test_an_index_beyond_the_pool_is_refused():
    for make, size in ((full_name, FULL_NAMES), (phone_number, PHONE_NUMBERS)):
        for index in (-1, size):
            with pytest.raises(IndexError, match=f"{index} does not exist"):
                make(index)

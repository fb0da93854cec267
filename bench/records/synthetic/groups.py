"""How many records each invented person has."""

from collections.abc import Iterator
from random import Random

SHARE_WITH_TWO = 0.15


def group_sizes(n: int, rng: Random) -> Iterator[int]:
    """One or two records a person, adding up to `n`."""
    left = n
    while left:
        size = min(left, 2 if rng.random() < SHARE_WITH_TWO else 1)
        yield size
        left -= size

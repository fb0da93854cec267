"""Embedded, seeded families of invented records, for when no corpus is at hand.

Every sentence and every identifier is invented; telephone numbers lie in the ranges kept for
fiction, mail and web addresses in domains kept for examples.
"""

from collections.abc import Callable
from importlib import import_module

from bench.errors import InputError
from bench.names import did_you_mean
from bench.records.record import Record

FAMILIES = ("essays", "clinical")


def family(name: str) -> Callable[[int, int], list[Record]]:
    """The `generate(n, seed)` of a family, imported at the first look-up.

    Raises:
        InputError: no family has this name.
    """
    if name not in FAMILIES:
        hint = did_you_mean(name, FAMILIES)
        raise InputError(f"unknown synthetic family {name!r}{hint} (known: {', '.join(FAMILIES)})")
    generate: Callable[[int, int], list[Record]] = import_module(f"{__name__}.{name}").generate
    return generate

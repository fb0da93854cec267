"""trap-bench: which defense keeps most of the utility and leaks least.

    >>> import bench
    >>> results = bench.run(defense=["none", "trap"], attack="extraction")   # doctest: +SKIP
    >>> results.to_frame()                                                   # doctest: +SKIP

Everything here is imported when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.api import run
    from bench.attack import Attack, ExtractionAttack, MembershipAttack, Passage
    from bench.defense import Defense
    from bench.records import Record, Span

_HOMES = {
    "run": "bench.api",
    "Attack": "bench.attack",
    "Defense": "bench.defense",
    "MembershipAttack": "bench.attack",
    "ExtractionAttack": "bench.attack",
    "Passage": "bench.attack",
    "Record": "bench.records",
    "Span": "bench.records",
}

__all__ = ["Attack", "Defense", "ExtractionAttack", "MembershipAttack", "Passage", "Record", "Span", "run"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bench' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

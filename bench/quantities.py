"""Amounts as people read them."""

from __future__ import annotations

PREFIXES = ("", "k", "M", "G", "T", "P", "E", "Z", "Y")


def amount(value: float, unit: str = "") -> str:
    """A number with three digits at most, and a prefix for powers of a thousand.

    >>> amount(1_234_567, "B"), amount(999.6), amount(12), amount(0, "B")
    ('1.23 MB', '1 k', '12', '0 B')
    """
    for prefix in PREFIXES:
        shown = f"{value:.3g}"
        if float(shown) < 1000 or prefix == PREFIXES[-1]:
            return f"{float(shown):g} {prefix}{unit}".strip()
        value /= 1000
    raise AssertionError


def duration(seconds: float) -> str:
    """A stretch of time in its two greatest units.

    >>> duration(0.01), duration(0.42), duration(42), duration(725), duration(86_400 * 3 + 3600 * 5)
    ('<0.1 s', '0.4 s', '42 s', '12 min 5 s', '3 d 5 h')
    """
    if seconds < 0.05:
        return "<0.1 s"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for size, unit, smaller, its_unit in (
        (86_400, "d", 3600, "h"),
        (3600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size} {unit}" + (f" {rest} {its_unit}" if rest else "")
    return f"{whole} s"

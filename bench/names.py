"""Names that rows have, and what to tell somebody who mistyped one."""

import difflib
from collections.abc import Iterable

FLOORS = ("base", "reference")
"""The rows that are no defense: the model before fine-tuning, and one fine-tuned on other records."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`", did you mean 'trap'?"` where a known name is close, else nothing."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f", did you mean {close[0]!r}?" if close else ""

"""What Ray reports of its machines, in a line each beside the run's own: it would print pages, on stdout."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

REPORT = re.compile(r"^(\x1b\[\w+)?\((raylet|autoscaler)[^)]*\)(\x1b\[\w+)?\s*(?P<text>[^\n]*)")
LONGEST = 200


@contextmanager
def reports_told(say: Callable[[str], None]) -> Iterator[None]:
    """Within it, the first line of each of Ray's reports is said, and none is printed."""
    with redirect_stdout(_Sieve(sys.stdout, say)):
        yield


class _Sieve(io.TextIOBase):
    """Passes on what is printed, but for Ray's reports."""

    def __init__(self, through: TextIO, say: Callable[[str], None]) -> None:
        self._through = through
        self._say = say
        self._in_report = False

    def write(self, text: str) -> int:
        report = REPORT.match(text)
        if report is not None:
            self._say(f"Ray: {report['text'][:LONGEST]}")
        elif not (self._in_report and text == "\n"):
            self._through.write(text)
        self._in_report = report is not None
        return len(text)

    def flush(self) -> None:
        self._through.flush()

"""Keeps what plugins print, warn and log off the terminal: it may quote records."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout


@contextmanager
def muted(show_text: bool) -> Iterator[None]:
    """Let nothing through that is written to stdout or stderr, warned or logged, unless text may be shown."""
    if show_text:
        yield
        return
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)

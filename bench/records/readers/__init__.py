"""Readers of on-disk formats: one format a file, each with one function `read(path) -> list[Record]`.

A reader checks all that it reads. What it refuses it refuses in one line, an `InputError` that names
the file, the record, the line where there is one, and the offsets, labels or keys at fault; never
a record's text or a span's value.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final

from bench.errors import InputError
from bench.names import did_you_mean
from bench.records.record import Record

FORMATS: Final = {
    "aci-bench": "bench.records.readers.aci_bench",
    "brat": "bench.records.readers.brat",
    "columns": "bench.records.readers.columns",
    "ellipse": "bench.records.readers.ellipse",
    "i2b2-xml": "bench.records.readers.i2b2_xml",
    "jsonl": "bench.records.readers.jsonl",
    "kaggle-pii": "bench.records.readers.kaggle_pii",
}


def reader(name: str) -> Callable[[Path], list[Record]]:
    """The `read` function of the format called `name`, loaded at this call.

    Raises:
        InputError: there is no such format.
    """
    if name not in FORMATS:
        raise InputError(
            f"unknown format {name!r}{did_you_mean(name, FORMATS)} (known: {', '.join(FORMATS)})"
        )
    read: Callable[[Path], list[Record]] = import_module(FORMATS[name]).read
    return read

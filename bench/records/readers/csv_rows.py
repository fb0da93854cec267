"""Rows of CSV whose shape is checked: the columns that are needed, and a field for each column."""

import csv
import io
from collections.abc import Iterator

from bench.errors import InputError


def csv_rows(text: str, columns: tuple[str, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row by the names of its columns, with the place where it stands.

    Raises:
        InputError: the text is not CSV, one of `columns` is missing, or a row has too many or few fields.
    """
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        for column in columns:
            if column not in (rows.fieldnames or ()):
                raise InputError(f"the column {column!r} is missing")
        for row in rows:
            where = f"the row that ends at line {rows.line_num}"
            # DictReader's marks of a row that is too long, and of one that is too short.
            if None in row or None in row.values():
                raise InputError(f"{where}: the row has not as many fields as there are columns")
            yield where, row
    except csv.Error:
        raise InputError(f"the row after line {rows.line_num}: not CSV") from None

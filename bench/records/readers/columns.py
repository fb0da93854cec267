"""Any dataset whose rows are records: files on disk, or of the Hugging Face hub, by a mapping of its columns.

Ids and groups are strings or whole numbers; an empty group is none. Offsets of spans count code points, `end`
exclusive. Columns and fields that the mapping does not name are passed over.

Source: https://huggingface.co/docs/datasets/loading
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.errors import InputError
from bench.records.readers.column_mapping import Columns, column, kind_of
from bench.records.readers.column_spans import spans_of
from bench.records.readers.dataset_rows import Row, rows_on_disk, rows_on_hub
from bench.records.readers.files import check_name, checked, located
from bench.records.record import Record

SAME_NAMES: Final = Columns()


def read(
    path: Path, columns: Columns = SAME_NAMES, config: str | None = None, split: str | None = None
) -> list[Record]:
    """The records of a file or folder, in the order of its rows: of all splits unless one is named.

    Raises:
        InputError: it cannot be read, a column is missing, or a row is not as described above.
    """
    with located(path):
        return _records(rows_on_disk(path, columns.read, config, split), columns)


def read_hub(
    name: str, columns: Columns, config: str | None, split: str | None, revision: str | None
) -> list[Record]:
    """The records of a dataset of the hub; the rest as for `read`.

    Raises:
        InputError: it cannot be reached or read, a column is missing, or a row is not as described above.
    """
    with located(f"hub dataset {name}"):
        return _records(rows_on_hub(name, columns.read, config, split, revision), columns)


def _records(rows: list[Row], columns: Columns) -> list[Record]:
    records = []
    for number, row in enumerate(rows, start=1):
        with located(f"row {number}"):
            records.append(_record(row, number, columns))
    return checked(records)


def _record(row: Mapping[str, object], number: int, columns: Columns) -> Record:
    cells = {name: column(row, name, columns) for name in columns.read}
    record_id = str(number) if columns.id is None else _name("id", columns.id, cells[columns.id])
    with located(f"record {record_id}"):
        text = cells[columns.text]
        if not isinstance(text, str):
            raise InputError(f"the column {columns.text!r} must be a string, not {kind_of(text)}")
        group = None
        if columns.group is not None and cells[columns.group] not in (None, ""):
            group = _name("group", columns.group, cells[columns.group])
        spans = spans_of(cells[columns.spans], text, columns)
    return Record(record_id, text, spans, group)


def _name(kind: str, name: str, cell: object) -> str:
    if isinstance(cell, int) and not isinstance(cell, bool):
        return str(cell)
    if not isinstance(cell, str):
        raise InputError(f"the column {name!r} must be a string or a whole number, not {kind_of(cell)}")
    return check_name(kind, cell)

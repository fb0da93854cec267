"""The spans of a row: a list of objects, the JSON of one, or a list for each field of theirs."""

from typing import Final

from bench.errors import InputError
from bench.records.readers.column_mapping import Columns, field, kind_of
from bench.records.readers.files import check_name, covered, located
from bench.records.readers.json_values import parse
from bench.records.record import Span

UNITS: Final = {"UTF-16 units": ("utf-16-le", 2), "bytes of UTF-8": ("utf-8", 1)}


def spans_of(cell: object, text: str, columns: Columns) -> tuple[Span, ...]:
    """The spans that the cell of a row holds, over the text of that row.

    Raises:
        InputError: it holds something else, or a span does not lie within the text or repeats another one.
    """
    spans = []
    for index, item in enumerate(_items(cell, columns.spans)):
        with located(f"{columns.spans}[{index}]"):
            spans.append(_span(item, text, columns))
    return tuple(spans)


def _items(cell: object, column: str) -> list[object]:
    with located(f"the column {column!r}"):
        value = parse(cell) if isinstance(cell, str) else cell
        if isinstance(value, dict):
            # A list for each field is what older versions of `datasets` make of a list of objects.
            lists = list(value.values())
            if not all(isinstance(one, list) and len(one) == len(lists[0]) for one in lists):
                raise InputError("must be a list of spans, or a list of one length for each of their fields")
            return [dict(zip(value, fields, strict=True)) for fields in zip(*lists, strict=True)]
        if not isinstance(value, list):
            raise InputError(f"must be a list of spans ([] for none), or JSON of one, not {kind_of(value)}")
        return value


def _span(item: object, text: str, columns: Columns) -> Span:
    if not isinstance(item, dict):
        raise InputError(f"must be an object, not {kind_of(item)}")
    start, end = (_offset(item, name) for name in (columns.start, columns.end))
    label = field(item, columns.label)
    if not isinstance(label, str):
        raise InputError(f"{columns.label!r} must be a string, not {kind_of(label)}")
    value = None if columns.value is None else field(item, columns.value)
    try:
        if covered(text, start, end) != (text[start:end] if value is None else value):
            raise InputError(f"the record has another text at {start}-{end}")
    except InputError as error:
        raise InputError(f"{error}{_hint(text, start, end, value)}") from None
    return Span(start, end, check_name("label", label))


def _offset(item: dict[str, object], name: str) -> int:
    offset = field(item, name)
    if not isinstance(offset, int) or isinstance(offset, bool):
        raise InputError(f"{name!r} must be an integer, not {kind_of(offset)}")
    return offset


def _hint(text: str, start: int, end: int, value: object) -> str:
    """In what unit the offsets would fit, where they fit in another one than code points."""
    for unit, (encoding, width) in UNITS.items():
        data = text.encode(encoding)
        if 0 <= start < end <= len(data) // width != len(text):
            piece = data[start * width : end * width].decode(encoding, "replace")
            if value in (None, piece):
                return f"; it would fit if offsets counted {unit}, but they must count code points"
    return ""

"""Plain JSON Lines, the simplest way to bring one's own records.

One object a line: `text`; `spans`, a list of `{"start", "end", "label"}` in code points, `end`
exclusive; optionally `id` (else the line's number, from 1) and `group`. A span may repeat the `text`
that it covers, which is then checked. Blank lines are skipped, and null counts as absent for the
optional keys.
"""

from pathlib import Path

from bench.errors import InputError
from bench.records.readers.files import check_name, checked, covered, located, read_text, without_mark
from bench.records.readers.json_values import (
    allow_only,
    json_lines,
    json_object,
    optional,
    parse,
    required,
)
from bench.records.record import Record, Span


def read(path: Path) -> list[Record]:
    """The records of a JSON Lines file, in the order of its lines.

    Raises:
        InputError: the file or a line of it is not as described above.
    """
    records = []
    with located(path):
        for number, line in json_lines(without_mark(read_text(path))):
            with located(f"line {number}"):
                records.append(_record(json_object(parse(line)), number))
        return checked(records)


def _record(item: dict[str, object], number: int) -> Record:
    allow_only(item, ("id", "text", "spans", "group"))
    given_id = optional(item, "id", str)
    record_id = str(number) if given_id is None else check_name("id", given_id)
    with located(f"record {record_id}"):
        text = required(item, "text", str)
        group = optional(item, "group", str)
        if group is not None:
            check_name("group", group)
        spans = []
        for index, value in enumerate(required(item, "spans", list)):
            with located(f"spans[{index}]"):
                spans.append(_span(json_object(value), text))
    return Record(record_id, text, tuple(spans), group)


def _span(item: dict[str, object], text: str) -> Span:
    allow_only(item, ("start", "end", "label", "text"))
    span = Span(
        required(item, "start", int),
        required(item, "end", int),
        check_name("label", required(item, "label", str)),
    )
    value = covered(text, span.start, span.end)
    if optional(item, "text", str) not in (None, value):
        raise InputError(f"the record has another text at {span.start}-{span.end}")
    return span

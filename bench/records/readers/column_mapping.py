"""The mapping of a card: which column holds what, and how a span's fields are called."""

import re
from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict

from bench.errors import InputError
from bench.names import did_you_mean

NAME: Final = re.compile(r"[^\W\d][\w.-]{0,39}")


class Columns(BaseModel):
    """The columns of a record's text, id, group and spans, and the fields of a span.

    A record without an `id` column is called by its row's number, from 1. `value` is the field, if any, in
    which a span repeats what it covers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = "text"
    id: str | None = None
    group: str | None = None
    spans: str = "spans"
    start: str = "start"
    end: str = "end"
    label: str = "label"
    value: str | None = None

    @property
    def read(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(name for name in (self.id, self.text, self.group, self.spans) if name is not None)


def column(row: Mapping[str, object], name: str, columns: Columns) -> object:
    """What a row has in a column.

    Raises:
        InputError: it has no such column. The others are named only where one of the mapping's is among
            them: in a CSV that has no header, the first row's values stand for the names.
    """
    if name in row:
        return row[name]
    if not any(other in row for other in columns.read):
        raise InputError(f"the column {name!r} is missing, as are all others; is there a header?")
    known = [other for other in row if NAME.fullmatch(other)]
    shown = [repr(other) for other in known]
    if len(known) < len(row):
        shown.append(f"{len(row) - len(known)} that no column would be called")
    hint = did_you_mean(name, known)
    raise InputError(f"the column {name!r} is missing{hint} (there are: {', '.join(shown)})")


def field(item: Mapping[str, object], name: str) -> object:
    """What a span has in a field.

    Raises:
        InputError: it has no such field. The others are counted only: keys of an object may be values.
    """
    if name not in item:
        raise InputError(f"the field {name!r} is missing; there are {len(item)} others")
    return item[name]


def kind_of(value: object) -> str:
    """What sort of value it is, for a message, which never quotes the value itself."""
    if value is None:
        return "null"
    return "NaN" if value != value else type(value).__name__

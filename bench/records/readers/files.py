"""What every reader does with files and what they hold: read strictly, and say where a fault lies."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.errors import InputError, NoRecordsError
from bench.records.record import Record


def read_text(path: Path) -> str:
    r"""The file's text as it is: UTF-8, with each `\r\n` and each U+FEFF kept, since offsets count them.

    Raises:
        InputError: the file cannot be read, or is not UTF-8.
    """
    try:
        return decode(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}") from None


def decode(data: bytes) -> str:
    """`data` as UTF-8 text.

    Raises:
        InputError: it is not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: byte {error.start} cannot be decoded") from None


def without_mark(text: str) -> str:
    """`text` without the byte order mark that some tools put in front of a CSV, JSON or .ann file.

    Only for files that contain records; in front of a record's own text U+FEFF is a character of it.
    """
    return text.removeprefix("\ufeff")


@contextmanager
def located(where: object) -> Iterator[None]:
    """Put `where` (a file, a line, a record) in front of the message of any `InputError` raised within."""
    try:
        yield
    except InputError as error:
        # Cut the chain: what lies below may carry a record's text, as a JSONDecodeError does.
        raise type(error)(f"{where}: {error}") from None


def check_name(kind: str, name: str) -> str:
    """`name`, fit to stand in a message or a table as the id, group or label (`kind`) of something.

    Raises:
        InputError: it is empty or holds control characters, line breaks or half a surrogate pair.
    """
    if not name or not name.isprintable():
        raise InputError(f"{kind} {name!r} must be printable and not empty")
    return name


def covered(text: str, start: int, end: int) -> str:
    """The piece of `text` that lies in `[start, end)`, in code points.

    Raises:
        InputError: it is empty or reaches beyond the text.
    """
    if not 0 <= start < end <= len(text):
        raise InputError(
            f"span {start}-{end} does not lie within the text of {len(text)} characters, or is empty"
        )
    return text[start:end]


def checked(records: list[Record]) -> list[Record]:
    """`records`, in the same order.

    Raises:
        InputError: there are none, two have one id, or a text is not one that UTF-8 can hold.
    """
    if not records:
        raise NoRecordsError("holds no records")
    seen = set()
    for record in records:
        if record.id in seen:
            raise InputError(f"record {record.id}: the id occurs twice")
        seen.add(record.id)
        try:
            record.text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError(f"record {record.id}: half a surrogate pair at {error.start}") from None
    return records

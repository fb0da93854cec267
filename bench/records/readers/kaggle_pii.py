"""The format of Kaggle's "PII Data Detection" (PIILO, CRAPII): essays as tokens with BIO labels.

The file is one JSON array, or JSON Lines, whichever its content shows. Each document has `document`
(its id), `full_text`, and three lists of one length: `tokens`, `trailing_whitespace` (true: exactly one blank
follows the token) and `labels` (`O`, `B-KIND`, `I-KIND`). Tokens may be whitespace. Tokens and
blanks together must give `full_text`, character by character. Other keys are passed over.

A span goes from the start of its first token to the end of its last. `B-` opens a span, and so does
an `I-` that does not follow a token of its own kind: the annotators left such labels where, for example, a
line break inside a name is a token of its own, labelled `O`.

Source: https://www.kaggle.com/competitions/pii-detection-removal-from-educational-data
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeVar

from bench.errors import InputError
from bench.records.readers.files import check_name, checked, located, read_text, without_mark
from bench.records.readers.json_values import json_lines, json_object, parse, required, typed
from bench.records.record import Record, Span

T = TypeVar("T")

LABEL: Final = re.compile(r"([BI])-(\S+)")


def read(path: Path) -> list[Record]:
    """The records of a file in this format, in its order.

    Raises:
        InputError: the file or a document of it is not as described above.
    """
    records = []
    with located(path):
        for where, value in _documents(without_mark(read_text(path))):
            with located(where):
                records.append(_record(json_object(value)))
        return checked(records)


def _documents(text: str) -> Iterator[tuple[str, object]]:
    """Each document with the place where it stands."""
    if text.lstrip().startswith("["):
        for index, value in enumerate(typed(parse(text), list, "the file")):
            yield f"[{index}]", value
        return
    for number, line in json_lines(text):
        with located(f"line {number}"):
            value = parse(line)
        yield f"line {number}", value


def _record(item: dict[str, object]) -> Record:
    if isinstance(item.get("document"), str):
        record_id = check_name("document", required(item, "document", str))
    else:
        record_id = str(required(item, "document", int))
    with located(f"record {record_id}"):
        text = required(item, "full_text", str)
        tokens = _list_of(item, "tokens", str)
        blanks = _list_of(item, "trailing_whitespace", bool)
        labels = _list_of(item, "labels", str)
        if not len(tokens) == len(blanks) == len(labels):
            sizes = f"{len(tokens)} tokens, {len(blanks)} trailing_whitespace, {len(labels)} labels"
            raise InputError(f"the lists must have one length, not {sizes}")
        starts = _starts(text, tokens, blanks)
        spans = _spans(starts, tokens, labels)
    return Record(record_id, text, tuple(spans))


def _list_of(item: dict[str, object], key: str, kind: type[T]) -> list[T]:
    return [typed(value, kind, f"{key}[{index}]") for index, value in enumerate(required(item, key, list))]


def _starts(text: str, tokens: list[str], blanks: list[bool]) -> list[int]:
    """Where in `text` each token begins."""
    starts = []
    position = 0
    for index, (token, blank) in enumerate(zip(tokens, blanks, strict=True)):
        starts.append(position)
        piece = token + " " * blank
        if not text.startswith(piece, position):
            raise InputError(f"tokens[{index}] and its blank do not stand in full_text at {position}")
        position += len(piece)
    if position != len(text):
        raise InputError(f"the tokens end at {position}, full_text at {len(text)}")
    return starts


def _spans(starts: list[int], tokens: list[str], labels: list[str]) -> list[Span]:
    spans: list[Span] = []
    previous = None
    for index, (start, token, label) in enumerate(zip(starts, tokens, labels, strict=True)):
        if label == "O":
            previous = None
            continue
        match = LABEL.fullmatch(label)
        if match is None:
            # Not quoted: where columns are mixed up, it is a word of the text.
            raise InputError(f"labels[{index}] must be O, B-KIND or I-KIND")
        kind = check_name("label", match[2])
        if match[1] == "I" and kind == previous:
            start = spans.pop().start
        spans.append(Span(start, starts[index] + len(token), kind))
        previous = kind
    return spans

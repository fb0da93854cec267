r"""brat standoff: a folder of `.txt` files, each with its annotations in an `.ann` file beside it.

An annotation is a line `T1<TAB>LABEL start end<TAB>text`, in any order; an empty `.ann` file means
that there are none. Offsets count code points, among them a U+FEFF at the front and each `\r`. The
third column must repeat the text that is covered, with a blank for each `\n`, as brat writes it.
Relations, events, attributes and notes annotate no text and are passed over. A discontinuous span
(`0 5;10 15`) is refused, since a span here is one piece of text.

Source: brat standoff format, https://brat.nlplab.org/standoff.html
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

from bench.errors import InputError
from bench.records.readers.files import check_name, checked, covered, located, read_text, without_mark
from bench.records.record import Record, Span

TEXT_BOUND: Final = re.compile(r"T\S*\t(\S+) ([0-9]{1,9}) ([0-9]{1,9})\t(.*)", re.DOTALL)
DISCONTINUOUS: Final = re.compile(r"T\S*\t\S+ [0-9]+ [0-9]+;")
OTHER_KINDS: Final = ("R", "E", "A", "M", "N", "#", "*")


def read(path: Path) -> list[Record]:
    """The records of a folder and of those within it, sorted by path; a record's id is its file's stem.

    Raises:
        InputError: a file is not as described above, or two records have one stem.
    """
    with located(path):
        if not path.is_dir():
            raise InputError("is not a folder of .txt and .ann files")
    records = [_record(text_path) for text_path in sorted(path.rglob("*.txt"))]
    with located(path):
        return checked(records)


def _record(text_path: Path) -> Record:
    annotation_path = text_path.with_suffix(".ann")
    with located(text_path):
        bare = Record(check_name("id", text_path.stem), read_text(text_path))
    spans = []
    with located(annotation_path):
        for number, line in enumerate(without_mark(read_text(annotation_path)).split("\n"), start=1):
            if line.strip() and not line.startswith(OTHER_KINDS):
                with located(f"line {number}"):
                    spans.append(_span(line, bare.text))
        return replace(bare, spans=tuple(spans))


def _span(line: str, text: str) -> Span:
    if DISCONTINUOUS.match(line):
        raise InputError("a discontinuous span cannot be read; split it into one annotation for each piece")
    match = TEXT_BOUND.fullmatch(line)
    if match is None:
        raise InputError("must be of the form T1<TAB>LABEL START END<TAB>TEXT")
    span = Span(int(match[2]), int(match[3]), check_name("label", match[1]))
    expected = covered(text, span.start, span.end).replace("\n", " ")
    # The .ann file itself may have lines that end in \r\n.
    if match[4] not in (expected, expected + "\r"):
        raise InputError(
            f"{span.label} {span.start}-{span.end}: the third column differs from the text there"
        )
    return span

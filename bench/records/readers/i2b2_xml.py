"""The XML of the i2b2/n2c2 de-identification tracks, which MEDDOCAN's XML is too: one document a file.

Under the root, whatever its name, stand `<TEXT>` with the document and `<TAGS>` with an element for each
span: `<NAME id="P0" start="16" end="19" text="Ann" TYPE="PATIENT" comment=""/>`. The label is its `TYPE`; the
element's own name, a coarser category, is passed over, and so are other attributes.

The text is what XML says it is, and none of it is stripped. Offsets count code points of it: a U+FEFF or
line break at its front is a character; `\\r\\n` and `\\r` are one `\\n`, inside of CDATA as well, and only
`&#13;` outside of it is a `\\r`. `text` must repeat what lies at the offsets; a blank there may stand for a
tab or line break, since XML reads those as blanks in an attribute.

A document type is refused where it begins, before anything in it is declared: so no entity can expand,
and nothing outside of the file is ever opened. Files are UTF-8.

Source: Stubbs and Uzuner (2015), J. Biomed. Inform. 58 Suppl, S20-S29, https://doi.org/10.1016/j.jbi.2015.07.020
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

from bench.errors import InputError
from bench.records.readers.files import check_name, checked, covered, located, read_text, without_mark
from bench.records.readers.text_and_tags import Document, parse_document
from bench.records.record import Record, Span

OFFSET: Final = re.compile(r"[0-9]{1,9}")
BLANKS: Final = str.maketrans("\t\r\n", "   ")


def read(path: Path) -> list[Record]:
    """The records of a folder and of those within it, sorted by path; a record's id is its file's stem.

    Raises:
        InputError: a file is not as described above, or two records have one stem.
    """
    with located(path):
        if not path.is_dir():
            raise InputError("is not a folder of .xml files")
    records = [_record(file) for file in sorted(path.rglob("*.xml"))]
    with located(path):
        return checked(records)


def _record(file: Path) -> Record:
    with located(file):
        source = without_mark(read_text(file))
        document = parse_document(source)
        bare = Record(check_name("id", file.stem), document.text)
        try:
            return replace(bare, spans=tuple(_span(document, index) for index in range(len(document.tags))))
        except InputError as error:
            raise InputError(f"{error}{_hint(source)}") from None


def _span(document: Document, index: int) -> Span:
    tag = document.tags[index]
    with located(f"tag {check_name('id', tag.get('id', f'number {index + 1}'))}"):
        for attribute in ("start", "end", "text", "TYPE"):
            if attribute not in tag:
                raise InputError(f"the attribute {attribute!r} is missing")
        for attribute in ("start", "end"):
            if not OFFSET.fullmatch(tag[attribute]):
                raise InputError(f"{attribute} must be a whole number of at most nine digits")
        span = Span(int(tag["start"]), int(tag["end"]), check_name("label", tag["TYPE"]))
        found = covered(document.text, span.start, span.end)
        if tag["text"] != found and tag["text"].translate(BLANKS) != found.translate(BLANKS):
            raise InputError(
                f"{span.label} {span.start}-{span.end}: its text differs from that of the document"
            )
        return span


def _hint(source: str) -> str:
    """Why offsets may be off, where the file shows it."""
    if "\r\n" in source:
        return " (lines end in \\r\\n here, which XML reads as \\n: offsets must count each as one)"
    return ""

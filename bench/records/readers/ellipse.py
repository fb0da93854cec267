"""The ELLIPSE corpus: essays of English-language learners, one a row of a CSV, plain or in the authors' zip.

Of its columns `text_id_kaggle` (the id) and `full_text` are used. The authors put placeholders in place
of personal information, the same ones everywhere, which nothing could tell apart; here each becomes
an invented value that carries a span, by the rules in `placeholders`. The labels are NAME, CITY, LOCATION,
SCHOOL, ADDRESS and PHONE. Names never recur between the essays of one file, but may between two files.

Source: Crossley et al. (2023), https://github.com/scrosseye/ELLIPSE-Corpus, whose README publishes the
passwords of the zip files.
"""

import zipfile
import zlib
from pathlib import Path
from typing import Final

from bench.errors import InputError
from bench.records.readers.csv_rows import csv_rows
from bench.records.readers.files import check_name, checked, decode, located, read_text, without_mark
from bench.records.readers.placeholders import fill
from bench.records.record import Record

ID: Final = "text_id_kaggle"
TEXT: Final = "full_text"


def read(path: Path, *, password: str = "ellipse_test", seed: int = 0) -> list[Record]:
    """The records of the CSV, in its order, with surrogates drawn by `seed`.

    `password` opens the zip; the default is that of the test part, and a plain CSV needs none.

    Raises:
        InputError: the file cannot be read or opened, a column is missing, an id occurs twice.
    """
    with located(path):
        text = _unzipped(path, password) if zipfile.is_zipfile(path) else read_text(path)
        return checked(fill(_essays(without_mark(text)), seed))


def _unzipped(path: Path, password: str) -> str:
    """The one CSV in the zip."""
    try:
        with zipfile.ZipFile(path) as archive:
            tables = [name for name in archive.namelist() if name.endswith(".csv") and "__MACOSX" not in name]
            if len(tables) != 1:
                raise InputError(f"the zip must hold one .csv file, not {len(tables)}")
            return decode(archive.read(tables[0], password.encode()))
    # One wrong password in 256 passes zip's own check and shows only as damage further on.
    except (RuntimeError, zipfile.BadZipFile, zlib.error, EOFError):
        raise InputError("the zip does not open: the password is wrong, or the file is damaged") from None


def _essays(text: str) -> dict[str, str]:
    """Each essay's text by its id, in the order of the rows."""
    essays: dict[str, str] = {}
    for where, row in csv_rows(text, (ID, TEXT)):
        with located(where):
            essay = check_name(ID, row[ID])
            if essay in essays:
                raise InputError(f"record {essay}: the id occurs twice")
            if not row[TEXT]:
                raise InputError(f"record {essay}: the text is empty")
            essays[essay] = row[TEXT]
    return essays

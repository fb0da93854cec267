"""ACI-BENCH: visit notes, one a row of a CSV, with what its metadata tells of the patient located in them.

A folder holds pairs of tables, `NAME.csv` (used are its columns `encounter_id` and `note`) and
`NAME_metadata.csv` (`encounter_id`, `patient_firstname`, `patient_familyname`, `patient_age` and
`patient_gender`). A record is a note, as a clinic would hold it; the dialogue that it was written from is
passed over. The corpus has no annotation of its own. The spans are our choice, not the authors':

- **PATIENT**: every mention of the patient's first name, family name, or both with blanks between them, as
  whole words with capitals (`Mr. Wood` and not `wood`), whatever their capitals in the metadata.
- **AGE**: the number of the patient's age, in `61-year-old`, `61 years old`, `61 y.o.`, or so in months.
- **GENDER**: the word right after such an age, where it is one for the gender that the metadata states.

What the metadata does not state, or states otherwise than the note, stays unannotated, as a family name
that it leaves out. It names doctors as well; no note names one of them. It has no number of a patient's
own: notes whose patients share first and family name are one group, called after the first of them.

Source: Yim et al. (2023), Scientific Data, https://github.com/wyim/aci-bench
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.errors import InputError
from bench.records.readers.csv_rows import csv_rows
from bench.records.readers.files import check_name, checked, located, read_text, without_mark
from bench.records.record import Record, Span

ENCOUNTER: Final = "encounter_id"
NOTE: Final = "note"
FIRST, FAMILY, AGE, GENDER = "patient_firstname", "patient_familyname", "patient_age", "patient_gender"
METADATA: Final = "_metadata.csv"
WORDS: Final = {"female": "female|woman|girl", "male": "male|man|boy"}


def read(path: Path) -> list[Record]:
    """The notes of all pairs of tables in a folder, by the tables' names, then in the order of their rows.

    Raises:
        InputError: a table is missing or not as described above, an encounter has no metadata or no note.
    """
    with located(path):
        if not path.is_dir():
            raise InputError(f"is not a folder of tables, each NAME.csv with NAME{METADATA}")
    records: list[Record] = []
    groups: dict[tuple[str, str], str] = {}
    for metadata in sorted(path.glob(f"*{METADATA}")):
        patients = _rows(metadata, (ENCOUNTER, FIRST, FAMILY, AGE, GENDER))
        notes = metadata.with_name(metadata.name.replace(METADATA, ".csv"))
        texts = _rows(notes, (ENCOUNTER, NOTE))
        with located(notes):
            if lone := sorted(patients.keys() ^ texts.keys()):
                raise InputError(f"encounter {lone[0]}: {metadata.name} and this table must both have it")
            for encounter, row in texts.items():
                patient = patients[encounter]
                name = (patient[FIRST].strip().casefold(), patient[FAMILY].strip().casefold())
                group = groups.setdefault(name, encounter) if all(name) else None
                records.append(Record(encounter, row[NOTE], tuple(_spans(row[NOTE], patient)), group))
    with located(path):
        return checked(records)


def _rows(path: Path, columns: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """The rows of a table by their encounter, in the order of the file."""
    rows: dict[str, dict[str, str]] = {}
    with located(path):
        for where, row in csv_rows(without_mark(read_text(path)), columns):
            with located(where):
                encounter = check_name(ENCOUNTER, row[ENCOUNTER])
                if encounter in rows:
                    raise InputError(f"encounter {encounter}: it occurs twice")
                rows[encounter] = row
    return rows


def _spans(note: str, patient: dict[str, str]) -> Iterator[Span]:
    first, family = (_capitalized(patient[column]) for column in (FIRST, FAMILY))
    whole = rf"{first}\s+{family}" if first and family else ""
    if names := "|".join(name for name in (whole, first, family) if name):
        for match in re.finditer(rf"(?<!\w)(?:{names})(?!\w)", note):
            yield Span(*match.span(), "PATIENT")
    if age := re.match(r"[0-9]+", patient[AGE]):
        old = r"(?:[ -](?:year|month)s?[ -]old|[ ]y\.?o\.?)(?!\w)"
        gender = WORDS.get(patient[GENDER].strip().casefold(), r"(?!)")
        for match in re.finditer(rf"(?<![\w.-])({age[0]}){old}(?:[ ]({gender})(?!\w))?", note):
            yield Span(*match.span(1), "AGE")
            if match[2]:
                yield Span(*match.span(2), "GENDER")


def _capitalized(name: str) -> str:
    """A pattern of the name's words, each with a capital; empty where one of them is no word of letters."""
    words = name.split()
    if not all(word.isalpha() for word in words):
        return ""
    return r"\s+".join(re.escape(word[0].upper() + word[1:]) for word in words)

"""The placeholders that de-identification left in ELLIPSE essays, and what stands in for each.

Found are `Generic_Name`, `Generic_City` and `Generic_School` (with any capitals, and once `Genereic_School`),
and `STUDENT_NAME`, `TEACHER_NAME`, `RELATIVE_NAME`, `PROPER_NAME`, `LOCATION_NAME`, `SCHOOL_NAME`,
`ADDRESS_NAME` and `PHONE_NUMBER`. What becomes of them is our choice, not the authors':

- **One placeholder, one value in an essay**, whatever its capitals and slips. So all `Generic_Name`s of an
  essay are one person, as they mostly are, and its `STUDENT_NAME` and `TEACHER_NAME` are two.
- **A person's full name is no other person's**, in this essay or another of the file. Towns, schools and
  streets may recur between essays, as real ones do.
- **Letters glued to a placeholder stay, outside of the span**: `Generic_Nameis` gives `Ana Garzais` with the
  span on `Ana Garza`. So do plurals: in `all of the Generic_Schools`, and in `Generic_Names house`, where
  only an apostrophe is missing.
- Any other word with an underscore is the essay's own.

The value of a placeholder depends on the seed, the essay's id and, for persons, on the rank of the id
among all ids; on the order of the essays in the file it does not depend.
"""

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from bench.errors import InputError
from bench.records.record import Record, Span
from bench.records.surrogates import FULL_NAMES, PHONE_NUMBERS, STREETS, TOWNS, full_name, phone_number

PLACEHOLDER: Final = re.compile(
    r"Genere?ic_(?P<generic>Name|City|School)"
    r"|(?P<named>STUDENT|TEACHER|RELATIVE|PROPER|LOCATION|SCHOOL|ADDRESS)_NAME|(?P<phone>PHONE)_NUMBER",
    re.ASCII | re.IGNORECASE,
)
PERSONS: Final = ("generic name", "student", "teacher", "relative", "proper")


def fill(texts: dict[str, str], seed: int) -> list[Record]:
    """Records of the essays `texts` (id to text), in their order, each placeholder made an annotated value.

    Labels are NAME, CITY, LOCATION, SCHOOL, ADDRESS and PHONE.

    Raises:
        InputError: there are more essays than full names can be given to, or an essay is empty.
    """
    if len(texts) * len(PERSONS) > FULL_NAMES:
        raise InputError(f"{len(texts)} essays are too many: the pool has {FULL_NAMES} full names")
    order = list(range(FULL_NAMES))
    Random(seed).shuffle(order)
    rank = {essay: index for index, essay in enumerate(sorted(texts))}
    records = []
    for essay, text in texts.items():
        first = rank[essay] * len(PERSONS)
        records.append(_filled(essay, text, order[first : first + len(PERSONS)], seed))
    return records


def _filled(essay: str, text: str, names: Sequence[int], seed: int) -> Record:
    pieces: list[str] = []
    spans: list[Span] = []
    taken = length = 0
    for match in PLACEHOLDER.finditer(text):
        generic = match["generic"]
        key = f"generic {generic}".lower() if generic else (match["named"] or match["phone"]).lower()
        if key in PERSONS:
            label, value = "NAME", " ".join(full_name(names[PERSONS.index(key)]))
        else:
            label, make = OTHERS[key]
            value = make(Random(f"{seed} {essay} {key}"))
        before = text[taken : match.start()]
        start = length + len(before)
        length = start + len(value)
        taken = match.end()
        pieces += [before, value]
        spans.append(Span(start, length, label))
    return Record(essay, "".join([*pieces, text[taken:]]), tuple(spans))


def _town(draw: Random) -> str:
    return draw.choice(TOWNS)


def _school(draw: Random) -> str:
    return f"{draw.choice(TOWNS)} {draw.choice(('Middle', 'High'))} School"


def _address(draw: Random) -> str:
    return f"{draw.randrange(10, 1000)} {draw.choice(STREETS)}, {draw.choice(TOWNS)}"


def _phone(draw: Random) -> str:
    return phone_number(draw.randrange(PHONE_NUMBERS))


OTHERS: Final[dict[str, tuple[str, Callable[[Random], str]]]] = {
    "generic city": ("CITY", _town),
    "generic school": ("SCHOOL", _school),
    "location": ("LOCATION", _town),
    "school": ("SCHOOL", _school),
    "address": ("ADDRESS", _address),
    "phone": ("PHONE", _phone),
}

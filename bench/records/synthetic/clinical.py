"""Invented clinical cases: mostly one a patient, sometimes two with different conditions."""

from datetime import date, timedelta
from functools import partial
from random import Random

from bench.errors import InputError
from bench.records.record import Record
from bench.records.surrogates import TOWNS
from bench.records.synthetic import clinical_text as text
from bench.records.synthetic.clinical_conditions import CONDITIONS, Condition
from bench.records.synthetic.composer import Composer, draw_new, number
from bench.records.synthetic.groups import group_sizes
from bench.records.synthetic.identifiers import (
    DATE_STYLES,
    day,
    digits,
    email,
    name_slots,
    people,
    phone,
    street,
    written,
)


def generate(n: int, seed: int) -> list[Record]:
    """`n` cases; the group of each is its patient, who keeps name, address, numbers and clinician.

    The same `n` and `seed` give the same cases. Another `n` gives others: the cases of a smaller
    collection are not the first ones of a larger.

    Raises:
        InputError: `n` is below 1, or needs more people than there are names.
    """
    if n < 1:
        raise InputError(f"clinical: n is {n}; at least 1 is needed")
    rng = Random(f"clinical {seed}")
    sizes = list(group_sizes(n, rng))
    names = people(rng, 2 * len(sizes), "clinical")
    seen: set[str] = set()
    drafts: list[tuple[str, Composer]] = []
    for i, (size, name, clinician) in enumerate(zip(sizes, names, names, strict=True), start=1):
        born = day(rng, date(1931, 1, 1), date(2001, 12, 31))
        style = rng.choice(DATE_STYLES)
        patient = _patient(rng, name, clinician) | {"BIRTH_DATE": written(born, style)}
        for condition in rng.sample(CONDITIONS, size):
            draw = partial(_case, rng, patient | _stay(rng, born, style), condition)
            drafts.append((f"patient-{i:04d}", draw_new(draw, seen)))
    return number(drafts, "case", rng)


def _patient(rng: Random, name: tuple[str, str], clinician: tuple[str, str]) -> dict[str, str]:
    """What stays the same in all cases of one patient."""
    return {
        **name_slots("PATIENT", name),
        **name_slots("CLINICIAN", clinician),
        "HOSPITAL": f"{rng.choice(text.HOSPITAL_NAMES)} {rng.choice(text.HOSPITAL_KINDS)}",
        "TOWN": rng.choice(TOWNS),
        "STREET": street(rng),
        "EMAIL": email(rng),
        "PHONE": phone(rng),
        "MRN": f"{rng.choice(('', 'M', 'R-'))}{digits(rng, rng.choice((7, 8)))}",
        "INSURANCE_ID": f"{rng.choice('ABCDEFGHKLMNPRTVWXYZ')}{digits(rng, 3)}-{digits(rng, 5)}",
    }


def _stay(rng: Random, born: date, style: str) -> dict[str, str]:
    """The dates of one stay, and the patient's age at its start."""
    admitted = day(rng, date(2019, 1, 1), date(2024, 12, 31))
    birthday_to_come = (admitted.month, admitted.day) < (born.month, born.day)
    return {
        "ADMISSION_DATE": written(admitted, style),
        "DISCHARGE_DATE": written(admitted + timedelta(days=rng.randint(3, 12)), style),
        "AGE": str(admitted.year - born.year - birthday_to_come),
    }


def _case(rng: Random, identifiers: dict[str, str], condition: Condition) -> Composer:
    parts = {
        "header": text.HEADERS,
        "history title": text.HISTORY_TITLES,
        "course title": text.COURSE_TITLES,
        "letter": text.LETTERS,
        "registration": text.REGISTRATIONS,
        "history": [f"{lead} {complaint}" for lead in text.HISTORIES for complaint in condition.complaints],
        "finding": condition.findings,
        "course": condition.courses,
        "advice": condition.advice,
        "discharge": text.DISCHARGES,
        "contact": text.CONTACTS,
    }
    case = Composer(rng, identifiers, text.POOLS | {"condition": (condition.name,)})
    case.arrange(rng.choice(text.LAYOUTS), parts)
    return case

"""Invented identifiers that no reader could derive from the rest of a record."""

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random

from bench.errors import InputError
from bench.records.surrogates import FULL_NAMES, STREETS, full_name

# fmt: off
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)
# fmt: on
DATE_STYLES = ("{d} {month} {y}", "{month} {d}, {y}", "{y}-{m:02d}-{d:02d}", "{m:02d}/{d:02d}/{y}")
# Codes that end in 11 are services, and 555 is an exchange.
AREAS = [area for area in range(203, 799) if area % 100 != 11 and area != 555]
MAIL_DOMAINS = (
    "example.org",
    "example.com",
    "mail.example",
    "post.example",
    "letters.example",
    "home.example.net",
)
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


def people(rng: Random, count: int, where: str) -> Iterator[tuple[str, str]]:
    """`count` different (first name, surname) pairs.

    Raises:
        InputError: the pools have fewer combinations.
    """
    if count > FULL_NAMES:
        raise InputError(
            f"{where}: {count} people are needed, but there are {FULL_NAMES} names; ask for less"
        )
    yield from map(full_name, rng.sample(range(FULL_NAMES), count))


def name_slots(label: str, name: tuple[str, str]) -> dict[str, str]:
    """A person's slots: the full name, and its two parts."""
    first, last = name
    return {label: f"{first} {last}", f"{label}.first": first, f"{label}.last": last}


def street(rng: Random) -> str:
    """A house number and a street."""
    return f"{rng.randint(2, 298)} {rng.choice(STREETS)}"


def phone(rng: Random) -> str:
    """A telephone number in the range 555-01xx, which no subscriber has."""
    style = rng.choice(("({area}) 555-01{line:02d}", "{area}-555-01{line:02d}", "{area} 555 01{line:02d}"))
    return style.format(area=rng.choice(AREAS), line=rng.randint(0, 99))


def digits(rng: Random, length: int) -> str:
    """Random digits, the first of them not zero."""
    return str(rng.randint(10 ** (length - 1), 10**length - 1))


def handle(rng: Random) -> str:
    """A made-up word that can be spoken, such as `tovaril`."""
    syllables = (rng.choice(CONSONANTS) + rng.choice(VOWELS) for _ in range(rng.randint(2, 3)))
    return "".join(syllables) + rng.choice(CONSONANTS)


def email(rng: Random) -> str:
    """A mail address in a domain kept for examples."""
    separator = rng.choice((".", "_", ""))
    return f"{handle(rng)}{separator}{rng.randint(2, 998)}@{rng.choice(MAIL_DOMAINS)}"


def day(rng: Random, first: date, last: date) -> date:
    """A day from `first` to `last`, both included."""
    return first + timedelta(days=rng.randint(0, (last - first).days))


def written(when: date, style: str) -> str:
    """The day in one of `DATE_STYLES`."""
    return style.format(y=when.year, m=when.month, d=when.day, month=MONTHS[when.month - 1])

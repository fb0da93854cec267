"""Invented school essays: mostly one an author, sometimes two on different topics."""

from datetime import date
from functools import partial
from random import Random

from bench.errors import InputError
from bench.records.record import Record
from bench.records.surrogates import TOWNS
from bench.records.synthetic import essays_text as text
from bench.records.synthetic.composer import Composer, draw_new, number
from bench.records.synthetic.essays_topics import TOPICS, Topic
from bench.records.synthetic.groups import group_sizes
from bench.records.synthetic.identifiers import (
    DATE_STYLES,
    day,
    digits,
    email,
    handle,
    name_slots,
    people,
    phone,
    street,
    written,
)


def generate(n: int, seed: int) -> list[Record]:
    """`n` essays; the group of each is its author, whose name, school and the like stay the same.

    The same `n` and `seed` give the same essays. Another `n` gives others: the essays of a smaller
    collection are not the first ones of a larger.

    Raises:
        InputError: `n` is below 1, or needs more people than there are names.
    """
    if n < 1:
        raise InputError(f"essays: n is {n}; at least 1 is needed")
    rng = Random(f"essays {seed}")
    sizes = list(group_sizes(n, rng))
    names = people(rng, 3 * len(sizes), "essays")
    seen: set[str] = set()
    drafts: list[tuple[str, Composer]] = []
    for i, (size, student, teacher, friend) in enumerate(
        zip(sizes, names, names, names, strict=True), start=1
    ):
        author = _author(rng, student, teacher, friend)
        style = rng.choice(DATE_STYLES)
        for topic in rng.sample(TOPICS, size):
            when = written(day(rng, date(2014, 9, 1), date(2024, 6, 30)), style)
            draw = partial(_essay, rng, author | {"DATE": when}, topic)
            drafts.append((f"author-{i:04d}", draw_new(draw, seen)))
    return number(drafts, "essay", rng)


def _author(
    rng: Random, student: tuple[str, str], teacher: tuple[str, str], friend: tuple[str, str]
) -> dict[str, str]:
    """What stays the same in all essays of one author."""
    return {
        **name_slots("STUDENT", student),
        **name_slots("TEACHER", teacher),
        **name_slots("FRIEND", friend),
        "SCHOOL": f"{rng.choice(text.SCHOOL_NAMES)} {rng.choice(text.SCHOOL_KINDS)}",
        "TOWN": rng.choice(TOWNS),
        "STREET": street(rng),
        "EMAIL": email(rng),
        "PHONE": phone(rng),
        "USERNAME": f"{handle(rng)}{rng.choice(('', '_'))}{handle(rng)}{rng.randint(2, 98)}",
        "STUDENT_ID": f"{rng.choice(('', 'S-', 'P'))}{digits(rng, rng.choice((6, 7)))}",
        "URL": f"https://{handle(rng)}.{rng.choice(text.WEB_DOMAINS)}/{handle(rng)}{rng.randint(2, 98)}",
    }


def _essay(rng: Random, identifiers: dict[str, str], topic: Topic) -> Composer:
    parts = {
        "intro": text.INTROS,
        "header": text.HEADERS,
        "contact": text.CONTACTS,
        "opening": topic.openings,
        "argument": topic.arguments,
        "example": topic.examples,
        "ending": topic.endings,
        "closing": text.CLOSINGS,
    }
    essay = Composer(rng, identifiers, text.POOLS)
    essay.arrange(rng.choice(text.LAYOUTS), parts)
    return essay

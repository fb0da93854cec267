import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from passports import corpora, passport, record, sound, spans_of
from pydantic import ValidationError

from bench.passport import as_json, as_text, content_digest
from bench.records.cards import load_card, load_records
from bench.records.record import Span
from bench.records.splits import Shares, split

CORPORA = Path(__file__).parents[2].parent / "shared" / "data"
needs_corpora = pytest.mark.skipif(
    not CORPORA.is_dir(), reason="the real corpora (../shared/data) are missing"
)


@settings(deadline=None, max_examples=40)
@given(corpora())
def test_values_and_groups_on_both_sides_are_those_of_a_slow_loop(splits):
    shown = passport(splits)
    for border, labels in shown.across.values.items():
        first, second = (
            {(span.label, tuple(re.findall(r"\S+", value.casefold()))) for _, span, value in spans_of(part)}
            for part in map(splits.get, border.split("-"))
        )
        for name, shared in labels.items():
            assert shared.both == len([one for one in first & second if one[0] == name and one[1]])
            assert shared.first == len([one for one in first if one[0] == name and one[1]])
    homes = {(r.group or r.id, name) for name, records in splits.items() for r in records}
    assert shown.across.groups == len([g for g, n in Counter(g for g, _ in homes).items() if n > 1])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Ana Garza", "ANA\r\n  garza", True),
        ("Straße 3", "STRASSE\u00a03", True),
        (" Ana ", "ana", True),
        ("Ana", "Anna", False),
        ("12", "1 2", False),
        (" ", "\n", False),
    ],
)
def test_values_are_compared_without_regard_to_case_and_blanks(one, other, same):
    target, holdout = (record(value, value, (0, len(value), "id")) for value in (one, other))
    shared = passport(sound(target=[target], holdout=[holdout])).across.values["target-holdout"]["id"]
    assert shared.both == same


def test_a_value_of_two_labels_is_two_values():
    target, holdout = record(1, "May", (0, 3, "person")), record(2, "May", (0, 3, "date"))
    shared = passport(sound(target=[target], holdout=[holdout])).across.values["target-holdout"]
    assert {name: (one.both, one.first) for name, one in shared.items()} == {"date": (0, 0), "person": (0, 1)}


def test_the_content_hash_depends_on_neither_split_nor_order():
    records = load_records(load_card("synthetic-clinical"), None, 40, seed=0)
    hashes = {passport(split(records, Shares(), seed)).content for seed in range(3)}
    assert hashes == {content_digest(records)} == {content_digest(records[::-1])}


def test_the_content_hash_depends_on_every_part_of_a_record():
    one = record("r", "Ann Lee", (0, 3, "person"), group="g")
    changed = [
        one,
        replace(one, id="s"),
        replace(one, text="Ann Leo"),
        replace(one, group=None),
        replace(one, spans=()),
        *(replace(one, spans=(Span(*span),)) for span in [(1, 3, "person"), (0, 2, "person"), (0, 3, "id")]),
    ]
    assert len({content_digest([other]) for other in changed}) == len(changed)


def test_a_passport_states_what_the_card_does_and_cannot_be_changed():
    shown = passport(sound())
    about = shown.dataset
    assert (about.name, about.language, about.licence, about.family) == (
        "clinical",
        "es",
        "CC BY 4.0",
        "clinical",
    )
    assert (about.reader, about.generator) == ("brat", None)
    generated = passport(sound(), card=load_card("synthetic-essays")).dataset
    assert (generated.reader, generated.generator) == (None, "essays")
    with pytest.raises(ValidationError, match="frozen"):
        shown.faults = ()


@needs_corpora
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "folder", "records", "spans"),
    [("clinical", "meddocan", 750, 17134), ("ellipse", "ellipse-test", 2571, 965)],
)
def test_the_real_corpora_have_passports_without_faults(name, folder, records, spans):
    card = load_card(name)
    found = load_records(card, CORPORA / folder, None, 0)
    shown = passport(split(found, Shares(), 0), card=card)
    assert (shown.total.records, shown.total.spans) == (records, spans)
    assert shown.total.groups == len({one.unit for one in found})
    assert shown.faults == ()
    for text in (as_json(shown), as_text(shown)):
        assert not any(
            value in text for one in found[::20] for _, _, value in spans_of([one]) if len(value) > 8
        )

import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bench.models.loading import find_model, load_tokenizer
from bench.passport import content_digest, make_passport
from bench.passport_format import Passport, Setting
from bench.passport_text import as_json, as_text
from bench.records.cards import load_card, load_records
from bench.records.record import Record, Span
from bench.records.splits import SPLITS, Shares, split
from bench.tokens import tokenize

CORPORA = Path(__file__).parents[1].parent / "shared" / "data"
needs_corpora = pytest.mark.skipif(
    not CORPORA.is_dir(), reason="the real corpora (../shared/data) are missing"
)

TOKENIZER, START = load_tokenizer(find_model("tiny"))
CARD = load_card("clinical")
WORDS = ["Zebediah", "ZEBEDIAH", "Straße", "STRASSE", "👩\u200d👧", "e\u0301", "x", "\ufeff", "中"]
BLANKS = [" ", "  ", "\r\n", "\n", "\u00a0", "\t", "\u2028"]
FILLER = "seven words that no other record has"


def passport(splits, max_length=256, card=CARD):
    setting = Setting(
        model="tiny",
        max_length=max_length,
        limit=None,
        split_seed=0,
        shares=Shares().model_dump(),
        data="0" * 32,
    )
    whole = iter(tokenize([r for part in splits.values() for r in part], TOKENIZER, START, sys.maxsize))
    tokens = {name: [next(whole) for _ in part] for name, part in splits.items()}
    return make_passport(card, setting, splits, tokens)


def record(name, text="Ann", *spans, group=None):
    return Record(str(name), text, tuple(Span(*span) for span in spans), group)


def sound(nonmembers=20, **given):
    """Splits without a fault, each record with a text and a group of its own; `given` replaces some."""
    sizes = dict.fromkeys(SPLITS, 2) | {"holdout": nonmembers}
    splits = {
        name: [
            record(f"{name} {i}", f"{name}{i} " * 6, (0, len(name), "person"), group=f"of {name} {i}")
            for i in range(size)
        ]
        for name, size in sizes.items()
    }
    return splits | given


@st.composite
def corpora(draw):
    """Records of hard text in splits that keep no rule: groups anywhere, and splits may be empty."""
    pieces = st.lists(st.sampled_from(WORDS + BLANKS), min_size=1, max_size=8).map("".join)
    splits = {name: [] for name in SPLITS}
    for number in range(draw(st.integers(0, 12))):
        text = draw(pieces)
        cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
        spans = [
            (a, b, draw(st.sampled_from(["person", "date"])))
            for a, b in zip(cuts[::2], cuts[1::2], strict=False)
        ]
        group = draw(st.none() | st.sampled_from(["g1", "g2"]))
        splits[draw(st.sampled_from(SPLITS))].append(record(f"r{number}", text, *spans, group=group))
    return splits


def spans_of(records):
    """Each span with its record and its value."""
    return [(r, span, r.text[span.start : span.end]) for r in records for span in r.spans]


@settings(deadline=None, max_examples=40)
@given(corpora())
def test_counts_of_splits_and_labels_are_those_of_a_slow_loop(splits):
    shown = passport(splits)
    everything = [r for records in splits.values() for r in records]
    for part, records in [
        (shown.total, everything),
        *((shown.splits[name], splits[name]) for name in SPLITS),
    ]:
        assert part.records == len(records)
        assert part.groups == len({r.group or r.id for r in records})
        assert part.ungrouped == len([r for r in records if not r.group])
        assert part.spans == len(spans_of(records)) == sum(part.spans_by_label.values())
        assert part.spans_by_label == Counter(span.label for _, span, _ in spans_of(records))
        assert part.without_spans == len([r for r in records if not r.spans])
        if records:
            assert part.share_without_spans == part.without_spans / part.records
    assert list(shown.labels) == sorted({span.label for _, span, _ in spans_of(everything)})
    for name, label in shown.labels.items():
        own = [one for one in spans_of(everything) if one[1].label == name]
        assert label.spans == len(own)
        assert label.records == len({r.id for r, _, _ in own})
        assert label.groups == len({r.group or r.id for r, _, _ in own})
        assert label.whitespace_edges == len([value for _, _, value in own if value != value.strip()])


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


@settings(deadline=None, max_examples=40)
@given(corpora(), st.integers(1, 12))
def test_lost_spans_and_token_lengths_are_those_of_a_run(splits, max_length):
    shown = passport(splits, max_length)
    cut = tokenize([r for part in splits.values() for r in part], TOKENIZER, START, max_length)
    lost = {one.record_id: one.lost_spans for one in cut}
    for name, records in splits.items():
        assert shown.splits[name].spans_lost_by_truncation == sum(lost[r.id] for r in records)
        for unit, lengths in (
            (shown.splits[name].tokens, [len(TOKENIZER.tokenize(r.text)) for r in records]),
            (shown.splits[name].characters, [len(r.text) for r in records]),
        ):
            assert (unit is None) == (not records)
            assert unit is None or (unit.min, unit.max) == (min(lengths), max(lengths))
            assert unit is None or unit.median == np.median(lengths)
    assert sum(label.spans_lost_by_truncation for label in shown.labels.values()) == (
        shown.total.spans_lost_by_truncation
    )


@settings(deadline=None, max_examples=40)
@given(corpora())
def test_no_text_and_no_value_is_shown_and_json_reads_back(splits):
    shown = passport(splits)
    for text in (as_json(shown), as_text(shown)):
        assert not any(word in text for word in WORDS if word != "x")
    read = Passport.model_validate_json(as_json(shown))
    assert read == shown
    assert as_text(read) == as_text(shown)


def test_lengths_by_hand():
    lengths = passport(sound(target=[record(n, "a" * n) for n in range(1, 22)])).splits["target"].characters
    assert (lengths.min, lengths.median, lengths.p95, lengths.max) == (1, 11, 20, 21)
    pair = passport(sound(target=[record(1, "a"), record(2, "aaaa")])).splits["target"].characters
    assert (pair.min, pair.median, pair.p95, pair.max) == (1, 2.5, pytest.approx(3.85), 4)


def test_characters_are_code_points():
    shown = passport(sound(target=[record(1, "👩\u200d👧\r\n", (0, 3, "person"))]))
    assert shown.splits["target"].characters.max == 5


def test_lost_spans_are_counted_by_label():
    text = "Ann " * 40
    shown = passport(
        sound(target=[record(1, text, (0, 3, "person"), (120, 123, "person"), (156, 159, "id"))]), 20
    )
    lost = {name: label.spans_lost_by_truncation for name, label in shown.labels.items()}
    assert lost == {"id": 1, "person": 1}
    assert shown.splits["target"].tokens.max >= 40
    assert any("truncation at 20 tokens: 2 of 29 (id 1, person 1)" in line for line in shown.warnings)


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


def test_values_on_both_sides_are_warned_of_with_their_border():
    splits = sound()
    splits["population"].append(replace(splits["target"][0], id="again", text="target, once more"))
    lines = [line for line in passport(splits).warnings if "both sides" in line]
    assert lines == ["values on both sides of target-population: 1 of target's 1 (person 1)"]


def test_sound_splits_have_no_fault():
    assert passport(sound()).faults == ()


def test_a_group_in_two_splits_is_a_fault():
    splits = sound()
    splits["holdout"].append(replace(splits["holdout"][0], id="new", group="of target 0", text="Ann " * 9))
    shown = passport(splits)
    assert shown.across.groups == 1
    assert shown.faults == ("groups in more than one split: 1",)


def test_near_duplicates_are_counted_by_border_and_are_a_fault_across_one():
    splits = sound()
    for number, name in enumerate(["target", "target", "complement", "holdout"]):
        splits[name].append(
            record(f"copy {number}", f"{FILLER}{'!' * number}", (0, 5, "id"), group="g" * number)
        )
    shown = passport(splits)
    assert shown.near_duplicate_pairs == 6
    assert shown.across.near_duplicate_pairs == 5
    borders = {"complement-holdout": 1, "target-complement": 2, "target-holdout": 2}
    assert shown.across.near_duplicate_pairs_by_border == borders
    listed = "complement-holdout 1, target-complement 2, target-holdout 2"
    assert shown.faults == (f"near-duplicate pairs in two splits: 5 ({listed})",)


@pytest.mark.parametrize("name", SPLITS)
def test_a_split_without_spans_is_a_fault(name):
    bare = [replace(one, spans=()) for one in sound()[name]]
    shown = passport(sound(**{name: bare}))
    assert shown.faults == (f"{name} has no span at all",)
    assert shown.splits[name].share_without_spans == 1


def test_a_split_whose_spans_are_all_lost_is_a_fault():
    late = [record(n, f"{n} word " * 30, (200, 204, "date")) for n in range(2)]
    assert passport(sound(validation=late), 8).faults == ("validation has no span within 8 tokens",)
    assert passport(sound(validation=late), 256).faults == ()


@pytest.mark.parametrize(("nonmembers", "faulty"), [(19, True), (20, False)])
def test_one_non_member_too_few_is_a_fault(nonmembers, faulty):
    expected = ("non-members in holdout: 19, at least 20 are needed; raise its --share",) if faulty else ()
    assert passport(sound(nonmembers)).faults == expected


@pytest.mark.parametrize(
    ("nonmembers", "refused"), [(99, ["1", "0.1"]), (100, ["0.1"]), (999, ["0.1"]), (1000, [])]
)
def test_a_tpr_that_will_be_refused_is_warned_of(nonmembers, refused):
    lines = [line for line in passport(sound(nonmembers)).warnings if line.startswith("TPR")]
    assert [line.split()[2] for line in lines] == refused
    assert all(f"{nonmembers} non-members" in line for line in lines)


@pytest.mark.parametrize("value", [" Ann", "Ann\r", "\n", "Ann\u00a0"])
def test_spans_with_whitespace_at_an_edge_are_a_fault(value):
    shown = passport(sound(target=[record(1, f"by{value}\nleft", (2, 2 + len(value), "person"))]))
    assert shown.faults == ("spans that start or end with whitespace: 1 (person 1)",)


def test_records_that_state_no_group_are_warned_of():
    shown = passport(sound(target=[record(1, "Ann", (0, 3, "id"))]))
    assert "records that state no group: 1 of 27; each is a privacy unit" in shown.warnings
    assert not any("group" in line for line in passport(sound()).warnings)


def test_no_record_at_all_has_a_passport_full_of_faults():
    shown = passport({name: [] for name in SPLITS})
    assert len(shown.faults) == 6
    assert shown.total.characters is None
    assert shown.total.share_without_spans is None
    assert "target       " in as_text(shown)


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

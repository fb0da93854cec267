from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from passports import START, TOKENIZER, corpora, passport, record, sound, spans_of

from bench.records.splits import SPLITS
from bench.tokens import tokenize


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

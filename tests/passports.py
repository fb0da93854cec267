"""Splits made by hand or drawn, and their passports."""

import sys

from hypothesis import strategies as st

from bench.models.finding import find_model
from bench.models.loading import load_tokenizer
from bench.passport import Setting, make_passport
from bench.records.cards import load_card
from bench.records.record import Record, Span
from bench.records.splits import SPLITS, Shares
from bench.tokens import tokenize

TOKENIZER, START = load_tokenizer(find_model("tiny"))
CARD = load_card("clinical")
WORDS = ["Zebediah", "ZEBEDIAH", "Straße", "STRASSE", "👩\u200d👧", "e\u0301", "x", "\ufeff", "中"]
BLANKS = [" ", "  ", "\r\n", "\n", "\u00a0", "\t", "\u2028"]


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

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import bytes_to_unicode

from bench.models.finding import find_model
from bench.models.loading import load_tokenizer
from bench.records import Record, Span
from bench.tokens import TokenSpan, tokenize

TEXT = ["Ann Lee called Monday the 3rd", "the nurse Anna Leech wrote to Ann Lee", "Иван сказал Анне"]
BYTES = {letter: byte for byte, letter in bytes_to_unicode().items()}
START = 0


def trained(model, pre_tokenizer, special, alphabet):
    backend = Tokenizer(model)
    backend.pre_tokenizer = pre_tokenizer
    trainer = trainers.BpeTrainer(
        vocab_size=450,
        min_frequency=1,
        special_tokens=special,
        initial_alphabet=alphabet,
        show_progress=False,
    )
    backend.train_from_iterator(TEXT, trainer)
    return backend


def byte_level(trim_offsets):
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    backend = trained(
        models.BPE(), pre_tokenizers.ByteLevel(add_prefix_space=False), ["<|endoftext|>"], alphabet
    )
    backend.post_processor = processors.ByteLevel(trim_offsets=trim_offsets)
    return PreTrainedTokenizerFast(tokenizer_object=backend, bos_token="<|endoftext|>")


def sentencepiece():
    special = ["<s>", "<|endoftext|>", *(f"<0x{byte:02X}>" for byte in range(256))]
    pieces = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    backend = trained(models.BPE(byte_fallback=True), pieces, special, [])
    return PreTrainedTokenizerFast(tokenizer_object=backend, bos_token="<s>")


TOKENIZERS = {
    "tiny": load_tokenizer(find_model("tiny"))[0],
    "byte-level": byte_level(False),
    "byte-level-trimmed": byte_level(True),
    "sentencepiece": sentencepiece(),
}
every_tokenizer = pytest.mark.parametrize("name", TOKENIZERS)
patient = settings(deadline=None)
BLANK = Record("r", "Ann  Lee", (Span(0, 3, "X"), Span(3, 4, "X")))

FRAGMENTS = [
    "Ann",
    "Lee",
    " ",
    "  ",
    "\r\n",
    "\n\n",
    "é",
    "e\u0301",
    "\ufeff",
    "\u200d",
    "👩\u200d👧",
    "🏳\ufe0f",
]
FRAGMENTS += ["Иван", "中文", "ﬁ", "<|endoftext|>", "<s>", "\t", "\x00", "ß", "3rd", "the"]


@st.composite
def records(draw):
    anything = st.text(st.characters(codec="utf-8", exclude_characters="\u2581"), min_size=1, max_size=3)
    text = "".join(draw(st.lists(st.sampled_from(FRAGMENTS) | anything, min_size=1, max_size=12)))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    return Record("r", text, tuple(Span(a, b, "X") for a, b in zip(cuts[::2], cuts[1::2], strict=False)))


def one(name, text, *spans, max_length=10_000):
    record = Record("r", text, tuple(Span(start, end, "X") for start, end in spans))
    return tokenize([record], TOKENIZERS[name], START, max_length)[0]


def slow_extents(name, tokens):
    """Each token's code points, from the bytes that its piece stands for, and not from its offsets."""
    pieces = TOKENIZERS[name].convert_ids_to_tokens(tokens.input_ids[1:].tolist())
    text, seen = tokens.text, b""
    owner = [number for number, letter in enumerate(text) for _ in letter.encode()]
    if name == "sentencepiece":
        text = text.replace(" ", "\u2581")
        owner = [number for number, letter in enumerate(text) for _ in letter.encode()]
        if not text.startswith("\u2581"):  # the space put in front counts as part of the first character
            text, owner = "\u2581" + text, [0, 0, 0, *owner]
        values = [bytes([int(p[3:5], 16)]) if p.startswith("<0x") else p.encode() for p in pieces]
    else:
        values = [bytes(BYTES[letter] for letter in piece) for piece in pieces]
    extents = []
    for value in values:
        extents.append((owner[len(seen)], owner[len(seen) + len(value) - 1] + 1))
        seen += value
    assert seen == text.encode(), "the pieces spell the text: nothing is lost, added or a special token"
    return extents


@every_tokenizer
@patient
@given(record=records())
@example(record=BLANK)
def test_offsets_are_the_characters_that_each_token_spells(name, record):
    tokens = one(name, record.text)
    assert list(zip(tokens.starts, tokens.ends, strict=True)) == slow_extents(name, tokens)
    assert tokens.text_of(slice(0, len(tokens))) == record.text


@every_tokenizer
@patient
@given(record=records())
@example(record=BLANK)
def test_the_tokens_of_a_span_are_exactly_those_that_overlap_it(name, record):
    tokens = tokenize([record], TOKENIZERS[name], START, 10_000)[0]
    extents = list(enumerate(slow_extents(name, tokens)))
    expected = [[t for t, (a, b) in extents if a < span.end and b > span.start] for span in record.spans]
    assert [list(range(span.start, span.end)) for span in tokens.spans] == expected
    assert np.flatnonzero(tokens.personal).tolist() == sorted({t for span in expected for t in span})
    assert tokens.lost_spans == 0


def test_a_merge_across_the_border_of_a_span_belongs_to_it():
    tokens = one("byte-level", "the Anna", (4, 7))  # " Anna" is one token, and so no token ends at "Ann"
    assert [tokens.text_of(slice(t, t + 1)) for t in range(len(tokens))] == ["the", " Anna"]
    assert tokens.spans == (TokenSpan(1, 2, "X", False),)
    assert tokens.personal.tolist() == [False, True]


@every_tokenizer
@patient
@given(record=records(), max_length=st.integers(1, 12))
@example(record=BLANK, max_length=9)
def test_truncation_counts_the_spans_it_cuts_and_masks_what_is_left_of_them(name, record, max_length):
    whole = tokenize([record], TOKENIZERS[name], START, 10_000)[0]
    cut = tokenize([record], TOKENIZERS[name], START, max_length)[0]
    assert len(cut) == min(max_length, len(whole))
    assert cut.input_ids.tolist() == whole.input_ids[: max_length + 1].tolist()
    assert cut.personal.tolist() == whole.personal[:max_length].tolist()
    assert cut.spans == tuple(span for span in whole.spans if span.end <= max_length)
    assert cut.lost_spans == len(whole.spans) - len(cut.spans)


@every_tokenizer
def test_the_start_token_stands_in_front_and_is_not_scored(name):
    tokens = one(name, "Ann Lee")
    assert tokens.input_ids[0] == START
    assert len(tokens) == len(tokens.input_ids) - 1 == len(tokens.starts) == len(tokens.personal)
    assert tokens.starts[0] == 0


@every_tokenizer
@pytest.mark.parametrize("spelled", ["<|endoftext|>", "<s>"])
def test_text_that_spells_a_special_token_is_plain_text(name, spelled):
    tokens = one(name, f"Ann{spelled}Lee", (3, 3 + len(spelled)))
    assert not set(tokens.input_ids[1:].tolist()) & set(TOKENIZERS[name].all_special_ids)
    assert len(tokens) > 3
    assert spelled in tokens.text_of(slice(tokens.spans[0].start, tokens.spans[0].end))


def test_a_value_that_stands_in_the_text_before_it_is_known_to():
    text = "Ann met Lee. Ann and Annabel left Lee; nobody met Bo."
    values = [(0, 3), (8, 11), (13, 16), (21, 28), (34, 37), (50, 52)]
    assert [span.in_prefix for span in one("tiny", text, *values).spans] == [0, 0, 1, 0, 1, 0]


def test_records_are_tokenized_alone_whatever_the_tokenizer_was_told_to_do():
    tokenizer = sentencepiece()
    backend = tokenizer.backend_tokenizer
    backend.enable_truncation(2)
    backend.enable_padding(length=40)
    backend.post_processor = processors.TemplateProcessing("<s> $A", special_tokens=[("<s>", 0)])
    texts = ["Ann Lee called", "中文", "a"]
    together = tokenize([Record(text, text) for text in texts], tokenizer, START, 50)
    assert [tokens.record_id for tokens in together] == texts
    assert [tokens.input_ids.tolist() for tokens in together] == [
        one("sentencepiece", text).input_ids.tolist() for text in texts
    ]

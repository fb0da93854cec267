import json
import tempfile
from pathlib import Path

import pytest
from annotated_texts import SECRET, annotated_texts, refusal, round_trip
from hypothesis import given
from hypothesis import strategies as st

from bench.records.readers.kaggle_pii import read
from bench.records.record import Record, Span


def document(record_id: object, tokens: list[tuple[str, bool, str]]) -> dict[str, object]:
    return {
        "document": record_id,
        "full_text": "".join(token + " " * blank for token, blank, _ in tokens),
        "tokens": [token for token, _, _ in tokens],
        "trailing_whitespace": [blank for _, blank, _ in tokens],
        "labels": [label for _, _, label in tokens],
    }


def tokenized(text: str, spans: tuple[Span, ...]) -> list[tuple[str, bool, str]]:
    """One token a character; a blank goes to the token before it, unless a span begins or ends with it."""
    labels = ["O"] * len(text)
    for span in spans:
        labels[span.start : span.end] = [f"I-{span.label}"] * (span.end - span.start)
        labels[span.start] = f"B-{span.label}"
    ends = {span.end for span in spans}
    tokens: list[tuple[str, bool, str]] = []
    for index, (character, label) in enumerate(zip(text, labels, strict=True)):
        inside_or_outside = label[0] != "B" and index + 1 not in ends
        if character == " " and inside_or_outside and tokens and not tokens[-1][1]:
            token, _, previous = tokens.pop()
            tokens.append((token, True, previous))
        else:
            tokens.append((character, False, label))
    return tokens


def write(folder: Path, *documents: object, lines: bool = False) -> Path:
    path = folder / "train.json"
    path.write_text("\n".join(map(json.dumps, documents)) if lines else json.dumps(documents), "utf-8")
    return path


@round_trip
@given(st.lists(annotated_texts(), min_size=1, max_size=4), st.booleans())
def test_any_record_written_as_tokens_is_read_back(annotated, lines):
    documents = [document(n, tokenized(*each)) for n, each in enumerate(annotated)]
    with tempfile.TemporaryDirectory() as folder:
        found = read(write(Path(folder), *documents, lines=lines))
    assert found == [Record(str(n), *each) for n, each in enumerate(annotated)]


def test_a_span_goes_from_its_first_token_to_the_end_of_its_last(tmp_path):
    tokens = [("by", True, "O"), ("Ann", True, "B-NAME"), ("Lee", True, "I-NAME"), ("\n\n", False, "O")]
    assert read(write(tmp_path, document("e-1", tokens))) == [
        Record("e-1", "by Ann Lee \n\n", (Span(3, 10, "NAME"),))
    ]


def test_b_after_b_opens_another_span(tmp_path):
    tokens = [("Ann", True, "B-NAME"), ("Lee", False, "B-NAME")]
    assert read(write(tmp_path, document(1, tokens)))[0].spans == (Span(0, 3, "NAME"), Span(4, 7, "NAME"))


def test_i_after_a_gap_or_another_kind_opens_a_span(tmp_path):
    tokens = [
        ("Ann", False, "B-NAME"),
        ("\n", False, "O"),
        ("Lee", True, "I-NAME"),
        ("x@y", False, "I-EMAIL"),
    ]
    assert read(write(tmp_path, document(1, tokens)))[0].spans == (
        Span(0, 3, "NAME"),
        Span(4, 7, "NAME"),
        Span(8, 11, "EMAIL"),
    )


def test_other_keys_are_passed_over(tmp_path):
    assert read(write(tmp_path, {**document(1, [("a", False, "O")]), "source": 3})) == [Record("1", "a")]


TOKENS = [(SECRET, True, "B-NAME"), ("fell", False, "O")]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"full_text": f" {SECRET} fell"},
            "record 5: tokens[0] and its blank do not stand in full_text at 0",
        ),
        ({"full_text": f"{SECRET}\nfell"}, "tokens[0] and its blank do not stand in full_text at 0"),
        ({"full_text": f"{SECRET} fell "}, "record 5: the tokens end at 13, full_text at 14"),
        ({"trailing_whitespace": [True, True]}, "tokens[1] and its blank do not stand in full_text at 9"),
        ({"trailing_whitespace": [1, 0]}, "trailing_whitespace[0] must be true or false, not an integer"),
        ({"labels": ["O"]}, "2 tokens, 2 trailing_whitespace, 1 labels"),
        ({"labels": ["O", "NAME"]}, "record 5: labels[1] must be O, B-KIND or I-KIND"),
        ({"labels": [SECRET, "O"]}, "record 5: labels[0] must be"),
        ({"labels": ["B-", "O"]}, "record 5: labels[0] must be"),
        ({"labels": ["b-NAME", "O"]}, "record 5: labels[0] must be"),
        ({"labels": [None, "O"]}, "labels[0] must be a string, not null"),
        ({"tokens": SECRET}, "'tokens' must be a list, not a string"),
        ({"document": 1.5}, "[1]: 'document' must be an integer"),
        ({"document": ""}, "[1]: document '' must be printable"),
        ({"document": "4"}, "record 4: the id occurs twice"),
        (
            {"full_text": "", "tokens": [], "trailing_whitespace": [], "labels": []},
            "record 5: the text is empty",
        ),
    ],
)
def test_a_faulty_document_is_refused_by_its_place(tmp_path, change, reason):
    assert reason in refusal(read, write(tmp_path, document(4, TOKENS), {**document(5, TOKENS), **change}))


@pytest.mark.parametrize("key", ["document", "full_text", "tokens", "trailing_whitespace", "labels"])
def test_a_missing_key_is_named(tmp_path, key):
    item = document(5, TOKENS)
    del item[key]
    assert f"the key {key!r} is missing" in refusal(read, write(tmp_path, item))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "holds no records"),
        ("[]", "holds no records"),
        (f'["{SECRET}"]', "[0]: must be a JSON object, not a string"),
        (f'[{{"document": "{SECRET}', "not JSON from character"),
        (f'\n{{"document": "{SECRET}', "line 2: not JSON from character 13 on"),
    ],
)
def test_what_is_not_this_format_is_refused(tmp_path, content, reason):
    path = tmp_path / "train.json"
    path.write_text(content)
    assert reason in refusal(read, path)


def test_another_encoding_is_refused(tmp_path):
    path = tmp_path / "train.json"
    path.write_bytes(f'["{SECRET}", "Núñez"]'.encode("latin-1"))
    assert "not UTF-8: byte" in refusal(read, path)

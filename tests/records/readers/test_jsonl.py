import json
import tempfile
from pathlib import Path

import pytest
from annotated_texts import SECRET, annotated_texts, refusal, round_trip
from hypothesis import given
from hypothesis import strategies as st

from bench.records.readers.jsonl import read
from bench.records.record import Record, Span


def write(folder: Path, *lines: object) -> Path:
    path = folder / "records.jsonl"
    path.write_text("".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines), "utf-8")
    return path


@round_trip
@given(st.lists(annotated_texts(), min_size=1, max_size=4), st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_any_record_written_as_json_lines_is_read_back(annotated, ascii_only, line_end):
    records = [Record(f"id {n}", *each, group=f"g{n % 2}") for n, each in enumerate(annotated)]
    lines = [
        json.dumps(
            {
                "id": r.id,
                "text": r.text,
                "group": r.group,
                "spans": [
                    {"start": s.start, "end": s.end, "label": s.label, "text": r.text[s.start : s.end]}
                    for s in r.spans
                ],
            },
            ensure_ascii=ascii_only,
        )
        for r in records
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "records.jsonl")
        path.write_bytes(line_end.join(lines).encode())
        assert read(path) == records


def test_without_an_id_the_line_number_is_the_id(tmp_path):
    item = {"text": "Ann fell.", "spans": [{"start": 0, "end": 3, "label": "NAME"}]}
    path = write(tmp_path, item, "", {**item, "id": None, "group": None})
    spans = (Span(0, 3, "NAME"),)
    assert read(path) == [Record("1", "Ann fell.", spans), Record("3", "Ann fell.", spans)]


def test_a_byte_order_mark_in_front_of_the_file_is_no_text(tmp_path):
    path = write(tmp_path, "\ufeff" + json.dumps({"text": "\ufeffa", "spans": []}))
    assert read(path) == [Record("1", "\ufeffa")]


SPAN = {"start": 0, "end": 8, "label": "NAME"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"textt": 1}, "line 2: unknown key 'textt'"),
        ({"text": None}, "record r: 'text' must be a string, not null"),
        ({"text": ""}, "record r: the text is empty"),
        ({"text": SECRET + "\ud800"}, "record r: half a surrogate pair at 8"),
        ({"id": 7}, "line 2: 'id' must be a string, not an integer"),
        ({"id": "a\nb"}, r"line 2: id 'a\nb' must be printable"),
        ({"id": "1"}, "record 1: the id occurs twice"),
        ({"group": 7}, "record r: 'group' must be a string, not an integer"),
        ({"group": ""}, "record r: group '' must be printable"),
        ({"spans": None}, "record r: 'spans' must be a list, not null"),
        ({"spans": [3]}, "spans[0]: must be a JSON object, not an integer"),
        ({"spans": [{**SPAN, "start": "0"}]}, "record r: spans[0]: 'start' must be an integer, not a string"),
        ({"spans": [{**SPAN, "start": False}]}, "'start' must be an integer, not true or false"),
        ({"spans": [{**SPAN, "end": 8.0}]}, "'end' must be an integer, not a number"),
        (
            {"spans": [{**SPAN, "end": 99}]},
            "spans[0]: span 0-99 does not lie within the text of 14 characters",
        ),
        ({"spans": [{**SPAN, "start": -3}]}, "span -3-8 does not lie"),
        ({"spans": [{**SPAN, "text": "Ann"}]}, "the record has another text at 0-8"),
        ({"spans": [{**SPAN, "label": ""}]}, "label '' must be printable"),
        ({"spans": [{**SPAN, "kind": 1}]}, "spans[0]: unknown key 'kind'"),
        ({"spans": [{"start": 0, "end": 8}]}, "spans[0]: the key 'label' is missing"),
        ({"spans": [SPAN, {**SPAN, "start": 4}]}, "line 2: record r: span NAME 4-8 overlaps"),
    ],
)
def test_a_faulty_line_is_refused_by_its_number_and_key(tmp_path, change, reason):
    fine = {"text": f"{SECRET} fell.", "spans": []}
    assert reason in refusal(read, write(tmp_path, fine, {**fine, "id": "r", **change}))


@pytest.mark.parametrize("key", ["text", "spans"])
def test_a_missing_key_is_named(tmp_path, key):
    item = {"text": SECRET, "spans": []}
    del item[key]
    assert f"line 1: record 1: the key {key!r} is missing" in refusal(read, write(tmp_path, item))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (f'{{"text": "{SECRET}', "line 1: not JSON from character 9 on"),
        (f'["{SECRET}"]', "line 1: must be a JSON object, not a list"),
        ("[" * 100_000, "line 1: not JSON that can be read"),
        ("1" * 5_000, "line 1: not JSON that can be read"),
        ("", "holds no records"),
    ],
)
def test_what_is_not_json_lines_is_refused(tmp_path, line, reason):
    assert reason in refusal(read, write(tmp_path, line))


def test_another_encoding_and_a_missing_file_are_refused(tmp_path):
    path = tmp_path / "records.jsonl"
    assert "cannot be read: No such file" in refusal(read, path)
    path.write_bytes(json.dumps({"text": SECRET, "spans": []}).encode("utf-16"))
    assert "not UTF-8: byte 0" in refusal(read, path)

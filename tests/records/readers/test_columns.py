import csv
import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from annotated_texts import SECRET, annotated_texts, refusal, round_trip
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.errors import InputError
from bench.records.readers.column_mapping import Columns
from bench.records.readers.columns import read, read_hub
from bench.records.record import Record, Span

ROOT = Path(__file__).parents[3]
TEXT = f"{SECRET} fell ill."
SPAN = {"start": 0, "end": 8, "label": "NAME"}
ROW = {"text": TEXT, "spans": [SPAN]}
READ = [Record("1", TEXT, (Span(0, 8, "NAME"),))]

Rows = Sequence[dict[str, object]]


def as_parquet(rows: Rows, path: Path) -> Path:
    pq.write_table(pa.Table.from_pylist(list(rows)), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def as_csv(rows: Rows, path: Path) -> Path:
    with path.with_suffix(".csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0], quoting=csv.QUOTE_ALL)
        table.writeheader()
        table.writerows(row | {"spans": json.dumps(row["spans"])} for row in rows)
    return path.with_suffix(".csv")


def as_json_lines(rows: Rows, path: Path) -> Path:
    path.with_suffix(".jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path.with_suffix(".jsonl")


def as_json(rows: Rows, path: Path) -> Path:
    path.with_suffix(".json").write_text(json.dumps(rows), encoding="utf-8")
    return path.with_suffix(".json")


def saved(rows: Rows, path: Path) -> Path:
    import datasets

    datasets.Dataset.from_list(list(rows)).save_to_disk(path)
    return path


def saved_splits(rows: Rows, path: Path) -> Path:
    import datasets

    datasets.DatasetDict({"train": datasets.Dataset.from_list(list(rows))}).save_to_disk(path)
    return path


FORMATS = [as_parquet, as_csv, as_json_lines, as_json]
each_format = pytest.mark.parametrize("write", FORMATS)


@pytest.mark.parametrize("write", FORMATS)
@settings(round_trip, max_examples=25)
@given(documents=st.lists(annotated_texts(), min_size=1, max_size=4))
def test_any_records_written_as_rows_are_read_back(tmp_path_factory, write, documents):
    documents = [(f"👩\u200d👧 שלום <&>\r\n{text}", spans) for text, spans in documents]
    move = len("👩\u200d👧 שלום <&>\r\n")
    records = [
        Record(f"00{n}", text, tuple(Span(s.start + move, s.end + move, s.label) for s in spans), f"g{n % 2}")
        for n, (text, spans) in enumerate(documents)
    ]
    rows = [
        {
            "key": record.id,
            "note": record.text,
            "who": record.group,
            "marks": [{"from": s.start, "to": s.end, "kind": s.label} for s in record.spans],
        }
        for record in records
    ]
    if write is as_csv:
        rows = [row | {"spans": row["marks"]} for row in rows]
    names = Columns(
        id="key",
        text="note",
        group="who",
        spans="spans" if write is as_csv else "marks",
        start="from",
        end="to",
        label="kind",
    )
    path = write(rows, tmp_path_factory.mktemp("rows") / "notes")
    assert read(path, names) == records


@pytest.mark.parametrize("write", [*FORMATS, saved, saved_splits])
def test_files_and_saved_datasets_are_read_by_the_names_that_a_mapping_has_by_default(tmp_path, write):
    assert read(write([ROW], tmp_path / "notes")) == READ


@each_format
def test_a_folder_as_on_the_hub_is_read_whole_or_by_its_split(tmp_path, write):
    (tmp_path / "data").mkdir()
    for split, text in (
        ("train-00000-of-00002", "one"),
        ("train-00001-of-00002", "two"),
        ("test-00000-of-00001", "three"),
    ):
        write([{"id": split, "text": text, "spans": []}], tmp_path / "data" / split)
    texts = [record.text for record in read(tmp_path)]
    assert texts == ["one", "two", "three"]
    assert [record.text for record in read(tmp_path, split="test")] == ["three"]
    message = refusal(partial(read, split="tset"), tmp_path)
    assert "no split 'tset', did you mean 'test'? (there are: train, test)" in message


def test_configs_of_a_folder_are_told_apart(tmp_path):
    for name in ("first", "second"):
        as_parquet([ROW | {"text": f"{SECRET} {name}"}], tmp_path / name)
    configs = [f"- config_name: {name}\n  data_files: {name}.parquet\n" for name in ("first", "second")]
    (tmp_path / "README.md").write_text("---\nconfigs:\n" + "".join(configs) + "---\n", encoding="utf-8")
    assert read(tmp_path, config="second")[0].text == f"{SECRET} second"
    assert "cannot be loaded: BuilderConfig 'third' not found" in refusal(
        partial(read, config="third"), tmp_path
    )
    assert "config 'a': a folder written by save_to_disk has none" in refusal(
        partial(read, config="a"), saved([ROW], tmp_path / "saved")
    )


def test_csv_cells_are_taken_as_they_stand(tmp_path):
    rows = [
        {"id": "007", "text": "NA", "group": "1.0", "spans": []},
        {"id": "1e3", "text": "12", "group": "", "spans": []},
    ]
    path = as_csv(rows, tmp_path / "notes")
    assert read(path, Columns(id="id", group="group")) == [
        Record("007", "NA", group="1.0"),
        Record("1e3", "12"),
    ]


@pytest.mark.parametrize("write", [as_parquet, as_json_lines, as_json, saved])
def test_whole_numbers_serve_as_ids_and_groups_and_a_null_group_is_none(tmp_path, write):
    rows = [ROW | {"n": 2, "g": 7}, ROW | {"n": 1, "g": None}]
    records = read(write(rows, tmp_path / "notes"), Columns(id="n", group="g"))
    assert [(record.id, record.group) for record in records] == [("2", "7"), ("1", None)]


def test_spans_may_be_json_or_a_list_for_each_field(tmp_path):
    for spans in (json.dumps([SPAN]), {"start": [0], "end": [8], "label": ["NAME"]}):
        assert read(as_parquet([ROW | {"spans": spans}], tmp_path / "notes")) == READ
    none = {"start": pa.array([], pa.int64()).to_pylist(), "end": [], "label": []}
    assert read(as_json_lines([ROW | {"spans": none}], tmp_path / "notes")) == [Record("1", TEXT)]


@pytest.mark.parametrize(
    ("row", "names", "reason"),
    [
        (
            ROW,
            {"text": "txt"},
            "the column 'txt' is missing, did you mean 'text'? (there are: 'text', 'spans')",
        ),
        (ROW, {"id": "key"}, "the column 'key' is missing (there are: 'text', 'spans')"),
        (ROW, {"label": "lable"}, "spans[0]: the field 'lable' is missing; there are 3 others"),
        (ROW | {"text": None}, {}, "row 1: record 1: the column 'text' must be a string, not null"),
        (ROW | {"text": 5}, {}, "the column 'text' must be a string, not int"),
        ({"text": "", "spans": []}, {}, "record 1: the text is empty"),
        (ROW | {"id": None}, {"id": "id"}, "the column 'id' must be a string or a whole number, not null"),
        (ROW | {"id": math.nan}, {"id": "id"}, "the column 'id' must be a string or a whole number, not NaN"),
        (ROW | {"id": 1.0}, {"id": "id"}, "the column 'id' must be a string or a whole number, not float"),
        (ROW | {"id": True}, {"id": "id"}, "the column 'id' must be a string or a whole number, not bool"),
        (ROW | {"id": ""}, {"id": "id"}, "row 1: id '' must be printable"),
        (
            ROW | {"who": math.nan},
            {"group": "who"},
            "the column 'who' must be a string or a whole number, not NaN",
        ),
        (
            ROW | {"spans": None},
            {},
            "the column 'spans': must be a list of spans ([] for none), or JSON of one",
        ),
        (ROW | {"spans": f"{SECRET}"}, {}, "the column 'spans': not JSON from character 0 on"),
        (ROW | {"spans": "null"}, {}, "must be a list of spans ([] for none), or JSON of one, not null"),
        (ROW | {"spans": {"start": [0], "end": [8, 9]}}, {}, "a list of one length for each of their fields"),
        (ROW | {"spans": ["0-8"]}, {}, "spans[0]: must be an object, not str"),
        (ROW | {"spans": [SPAN | {"start": "0"}]}, {}, "spans[0]: 'start' must be an integer, not str"),
        (ROW | {"spans": [SPAN | {"end": 8.0}]}, {}, "spans[0]: 'end' must be an integer, not float"),
        (ROW | {"spans": [SPAN | {"label": 3}]}, {}, "spans[0]: 'label' must be a string, not int"),
        (ROW | {"spans": [SPAN | {"label": ""}]}, {}, "spans[0]: label '' must be printable"),
        (
            ROW | {"spans": [SPAN | {"end": 99}]},
            {},
            "span 0-99 does not lie within the text of 18 characters",
        ),
        (ROW | {"spans": [SPAN | {"end": 0}]}, {}, "span 0-0 does not lie within"),
        (ROW | {"spans": [SPAN | {"v": "Zeb"}]}, {"value": "v"}, "the record has another text at 0-8"),
        (ROW | {"spans": [SPAN, SPAN]}, {}, "span NAME 0-8 overlaps"),
    ],
)
def test_a_faulty_row_is_refused(tmp_path, row, names, reason):
    path = as_parquet([row], tmp_path / "notes")
    assert reason in refusal(partial(read, columns=Columns(**names)), path)


@pytest.mark.parametrize(("unit", "start"), [("UTF-16 units", 3), ("bytes of UTF-8", 5)])
@pytest.mark.parametrize("names", [{}, {"value": "v"}])
def test_offsets_that_count_something_else_than_code_points_are_told_what_they_count(
    tmp_path, unit, start, names
):
    text = f"👧 {SECRET}" if names == {} else f"👧 {SECRET} fell ill, and was ill."
    span = {"start": start, "end": start + 8, "label": "NAME", "v": SECRET}
    path = as_parquet([{"text": text, "spans": [span]}], tmp_path / "notes")
    message = refusal(partial(read, columns=Columns(**names)), path)
    assert f"; it would fit if offsets counted {unit}, but they must count code points" in message


def test_an_id_that_occurs_twice_and_a_table_without_rows_are_refused(tmp_path):
    twice = as_parquet([ROW | {"id": 1}, ROW | {"id": 1}], tmp_path / "twice")
    assert "record 1: the id occurs twice" in refusal(partial(read, columns=Columns(id="id")), twice)
    pq.ParquetWriter(tmp_path / "empty.parquet", pa.Table.from_pylist([ROW]).schema).close()
    assert "holds no records" in refusal(read, tmp_path / "empty.parquet")
    (tmp_path / "empty.csv").write_text("text,spans\n", encoding="utf-8")
    assert "holds no records" in refusal(read, tmp_path / "empty.csv")


@pytest.mark.parametrize("first", [f'1,"{SECRET} fell","[]"', f"Ann,{SECRET},Lima"])
def test_a_csv_without_header_is_refused_without_quoting_its_first_row(tmp_path, first):
    (tmp_path / "notes.csv").write_text(f'{first}\n2,"b","[]"\n', encoding="utf-8")
    message = refusal(read, tmp_path / "notes.csv")
    assert "the column 'text' is missing, as are all others; is there a header?" in message
    assert not [value for value in ("Ann", "Lima", SECRET) if value in message]


def test_names_of_a_spans_fields_are_not_quoted_since_they_may_be_values(tmp_path):
    path = as_json_lines([ROW | {"spans": [{"Ann": 0, SECRET: 8}]}], tmp_path / "notes")
    message = refusal(read, path)
    assert "spans[0]: the field 'start' is missing; there are 2 others" in message
    assert not [value for value in ("Ann", SECRET) if value in message]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.parquet", SECRET.encode()),
        ("notes.json", f'[{{"text": "{SECRET}'.encode()),
        ("notes.jsonl", f'{{"text": "{SECRET}", "spans": []}}\n{{"text": "{SECRET}'.encode()),
        ("notes.csv", f'text,spans\n"{SECRET}","[]"\n"{SECRET}","[]","x","y"\n'.encode()),
        ("notes.csv", f'text,spans\n"{SECRET} Núñez","[]"\n'.encode("latin-1")),
        ("notes.jsonl", f'{{"text": "{SECRET} Núñez", "spans": []}}\n'.encode("latin-1")),
        ("notes.csv", b""),
        ("notes.jsonl", b""),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_damaged_file_is_refused(tmp_path, capfd, name, content):
    (tmp_path / name).write_bytes(content)
    refusal(read, tmp_path / name)
    assert capfd.readouterr() == ("", "")


def test_a_missing_file_another_format_and_a_folder_of_nothing_are_refused(tmp_path):
    assert "cannot be loaded: Unable to find" in refusal(read, tmp_path / "notes.csv")
    (tmp_path / "notes.txt").write_text(SECRET, encoding="utf-8")
    assert "must be a folder, or a file that ends in .parquet, .csv" in refusal(read, tmp_path / "notes.txt")
    (tmp_path / "empty").mkdir()
    assert "cannot be loaded" in refusal(read, tmp_path / "empty")
    truncated = as_parquet([ROW], tmp_path / "notes")
    truncated.write_bytes(truncated.read_bytes()[:-40])
    assert "after 0 rows" in refusal(read, truncated)


READS = """
import socket, sys
from pathlib import Path
from bench.records.readers.columns import read

asked = []

def refused(*arguments, **_):
    asked.append(arguments)
    raise OSError("no network in this test")

socket.socket.connect = socket.getaddrinfo = refused
for path in sys.argv[1:]:
    assert len(read(Path(path))) == 1
assert asked == []
"""


def test_nothing_is_shown_sent_or_left_in_a_cache(tmp_path):
    (tmp_path / "hub").mkdir()
    as_parquet([ROW], tmp_path / "hub" / "train")
    paths = [write([ROW], tmp_path / write.__name__) for write in (*FORMATS, saved, saved_splits)]
    for folder in ("home", "temporary"):
        (tmp_path / folder).mkdir()
    before = sorted(tmp_path.rglob("*"))
    # Offline, as the tests are, the hub would not be asked anyway.
    online = {name: value for name, value in os.environ.items() if not name.endswith("_OFFLINE")}
    places = {"HF_HOME": "home", "HOME": "home", "XDG_CACHE_HOME": "home", "TMPDIR": "temporary"}
    ended = subprocess.run(
        [sys.executable, "-c", READS, *map(str, paths), str(tmp_path / "hub")],
        cwd=ROOT,
        env=online | {variable: str(tmp_path / folder) for variable, folder in places.items()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert sorted(tmp_path.rglob("*")) == before


def test_the_package_datasets_and_not_the_folder_of_cards_is_imported_from_the_root_of_the_repository():
    code = "import datasets; print(datasets.__file__, datasets.load_dataset.__name__)"
    for before in ("", "import bench.records.readers.columns; "):
        ended = subprocess.run(
            [sys.executable, "-c", before + code], cwd=ROOT, capture_output=True, text=True, check=True
        )
        file, name = ended.stdout.split()
        assert name == "load_dataset"
        assert ROOT not in Path(file).parents


def test_the_package_datasets_is_loaded_only_when_rows_are_read():
    code = (
        "import sys, bench.records.readers.columns; sys.exit(bool({'datasets', 'pandas'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("write", [as_parquet, as_csv])
def test_a_hub_dataset_is_asked_for_by_name_config_and_revision_and_runs_no_code(
    monkeypatch, tmp_path, write
):
    import datasets

    (tmp_path / "hub").mkdir()
    write([ROW], tmp_path / "hub" / "train")
    asked = []

    def from_here(load):
        def call(path, **others):
            asked.append((path, others["name"], others["revision"]))
            assert not others.get("trust_remote_code")
            del others["name"], others["revision"]
            return load(str(tmp_path / "hub"), **others, cache_dir=str(tmp_path / "cache"))

        return call

    for name in ("load_dataset_builder", "load_dataset"):
        monkeypatch.setattr(datasets, name, from_here(getattr(datasets, name)))
    assert read_hub("clinic/notes", Columns(), "default", "train", "v1") == READ
    assert set(asked) == {("clinic/notes", "default", "v1")}


def test_a_hub_dataset_that_cannot_be_reached_or_is_a_folder_here_is_refused(monkeypatch, tmp_path):
    with pytest.raises(InputError, match=r"^hub dataset clinic/notes: cannot be loaded: Couldn't"):
        read_hub("clinic/notes", Columns(), None, None, None)
    (tmp_path / "clinic" / "notes").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"^hub dataset clinic/notes: clinic/notes is a folder here"):
        read_hub("clinic/notes", Columns(), None, None, None)

import json
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
import yaml

from bench.errors import InputError
from bench.records.cards import Card, LabelGroup, card_folder, card_names, load_card, load_records
from bench.records.readers import FORMATS
from bench.records.record import Record, Span
from bench.records.splits import Shares, split
from bench.statistics import LEAST_UNITS

CORPORA = Path(__file__).parents[2].parent / "shared" / "data"
needs_corpora = pytest.mark.skipif(
    not CORPORA.is_dir(), reason="the real corpora (../shared/data) are missing"
)

CARD = {
    "name": "mine",
    "title": "Notes of mine",
    "family": "clinical",
    "language": "en",
    "licence": "none",
    "citation": "none",
    "obtain": "Ask the archive for notes.jsonl.",
    "source": {"reader": "jsonl", "files": ["notes.jsonl"]},
    "labels": {"NAME": "person", "WARD": "organization"},
}

COLUMNS = {"reader": "columns", "files": ["notes.jsonl"]}


def card_at(folder: Path, **changed: object) -> str:
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump(CARD | changed), encoding="utf-8")
    return str(path)


def notes(folder: Path, *spans: list[tuple[int, int, str]]) -> Path:
    """A folder with one note for each list of spans, ids from `n-0` on."""
    lines = [
        {
            "id": f"n-{i}",
            "text": "Zebediah left ward nine.",
            "spans": [{"start": start, "end": end, "label": label} for start, end, label in each],
        }
        for i, each in enumerate(spans)
    ]
    (folder / "notes.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return folder


NAME, WARD = (0, 8, "NAME"), (14, 23, "WARD")


def one_line(error: pytest.ExceptionInfo[InputError]) -> str:
    message = str(error.value)
    assert len(message.splitlines()) == 1
    assert "Zebediah" not in message
    return message


@pytest.mark.parametrize("name", card_names())
def test_every_built_in_card_states_everything(name):
    card = load_card(name)
    assert card.name == name
    stated = yaml.safe_load((card_folder() / f"{name}.yaml").read_text(encoding="utf-8"))
    assert stated.keys() == Card.model_fields.keys()
    for field in ("title", "language", "licence", "citation", "obtain"):
        assert getattr(card, field).strip()
    assert "never bundled" in card.obtain
    assert card.labels
    assert set(card.labels.values()) <= set(get_args(LabelGroup))
    assert getattr(card.source, "reader", "jsonl") in FORMATS


def test_there_is_a_card_for_each_corpus_and_for_each_synthetic_family():
    corpora = {"clinical", "essays", "ellipse", "i2b2-2014", "aci-bench"}
    assert corpora | {"synthetic-clinical", "synthetic-essays"} <= set(card_names())


@pytest.mark.parametrize("name", ["synthetic-clinical", "synthetic-essays"])
def test_a_synthetic_card_needs_no_files_and_knows_all_its_labels(name):
    records = load_records(load_card(name), None, None, seed=0)
    assert len(records) == load_card(name).source.records
    assert len(load_records(load_card(name), None, 12, seed=0)) == 12
    assert {span.label for record in records for span in record.spans} == set(load_card(name).labels.values())


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", ["synthetic-clinical", "synthetic-essays"])
def test_a_synthetic_card_has_the_people_that_an_interval_needs_among_members_and_non_members(name, seed):
    parts = split(load_records(load_card(name), None, None, seed), Shares(), seed)
    for side in (parts["target"], parts["holdout"]):
        assert LEAST_UNITS <= len({record.unit for record in side}) < len(side)


def test_a_card_of_ones_own_reads_records_and_maps_their_labels(tmp_path):
    card = load_card(card_at(tmp_path))
    (record,) = load_records(card, notes(tmp_path, [NAME, WARD]), None, seed=0)
    assert (record.id, record.group) == ("n-0", None)
    assert [(s.start, s.end, s.label) for s in record.spans] == [(0, 8, "person"), (14, 23, "organization")]


def test_a_group_is_read_off_the_id_where_the_card_says_how(tmp_path):
    source = CARD["source"] | {"group_from_id": r"^([a-z]+)-\d+$"}
    records = load_records(load_card(card_at(tmp_path, source=source)), notes(tmp_path, [], []), None, seed=0)
    assert [record.group for record in records] == ["n", "n"]


def test_a_card_maps_the_columns_of_a_table(tmp_path):
    row = {"note": "Zebediah left.", "who": 7, "marks": [{"from": 0, "to": 8, "label": "NAME"}]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    names = {"text": "note", "group": "who", "spans": "marks", "start": "from", "end": "to"}
    source = {
        "reader": "columns",
        "files": ["none.parquet", "rows.jsonl"],
        "split": "train",
        "columns": names,
    }
    card = load_card(card_at(tmp_path, source=source))
    assert load_records(card, tmp_path, None, seed=0) == [
        Record("1", "Zebediah left.", (Span(0, 8, "person"),), "7")
    ]
    with pytest.raises(InputError, match="dataset mine needs --data-dir"):
        load_records(card, None, None, seed=0)


def test_a_card_of_a_hub_dataset_needs_no_folder(tmp_path):
    source = {"reader": "columns", "hub": "clinic/notes", "revision": "v1", "config": "en"}
    with pytest.raises(InputError, match=r"^hub dataset clinic/notes: cannot be loaded: Couldn't") as error:
        load_records(load_card(card_at(tmp_path, source=source)), None, None, seed=0)
    one_line(error)


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"licens": "MIT"}, "licens"),
        ({"family": "letters"}, "family"),
        ({"labels": {"NAME": "people"}}, "labels.NAME"),
        ({"source": CARD["source"] | {"reader": "jsonlines"}}, "reader"),
        ({"source": CARD["source"] | {"otherwise": "jsonlines"}}, "otherwise"),
        ({"source": CARD["source"] | {"files": []}}, "files"),
        ({"source": {"generator": "letters", "records": 5}}, "generator"),
        ({"source": {"generator": "essays", "records": 0}}, "records"),
        ({"source": CARD["source"] | {"group_from_id": r"^(\w)(\w)"}}, "group_from_id"),
        ({"source": CARD["source"] | {"group_from_id": r"^(\w"}}, "group_from_id"),
        ({"source": COLUMNS | {"columns": {"txt": "note"}}}, "columns.txt"),
        ({"source": COLUMNS | {"hub": "clinic/notes"}}, "must have either files or hub"),
        ({"source": {"reader": "columns"}}, "must have either files or hub"),
        ({"source": {"reader": "columns", "hub": "../notes/x"}}, "hub"),
        ({"source": COLUMNS | {"revision": "v1"}}, "a revision is one of a hub dataset"),
        ({"source": COLUMNS | {"otherwise": "jsonl"}}, "otherwise"),
        ({"source": CARD["source"] | {"columns": {}}}, "columns"),
        ({"source": "jsonl"}, "source"),
        ({"title": None}, "title"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_card_is_refused_in_one_line_that_names_card_and_field(tmp_path, changed, field):
    with pytest.raises(InputError) as error:
        load_records(load_card(card_at(tmp_path, **changed)), notes(tmp_path, [NAME]), None, seed=0)
    message = one_line(error)
    assert "mine" in message
    assert field in message


@pytest.mark.parametrize("text", ["name: [", "- a\n- b\n", "", "\x00", "name: a\n  title: b\n"])
def test_a_file_that_is_no_card_is_refused_in_one_line_that_names_it(tmp_path, text):
    path = tmp_path / "broken.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        load_card(str(path))
    assert str(path) in one_line(error)


def test_an_unknown_card_is_refused_with_a_suggestion(tmp_path):
    with pytest.raises(InputError, match="did you mean 'clinical'") as error:
        load_card("clinicl")
    one_line(error)
    with pytest.raises(InputError, match=r"absent\.yaml cannot be read") as error:
        load_card(str(tmp_path / "absent.yaml"))
    one_line(error)


def test_a_label_that_is_not_on_the_card_is_named_with_its_record(tmp_path):
    data = notes(tmp_path, [NAME], [(0, 8, "NAMES")])
    with pytest.raises(InputError, match="record n-1: label 'NAMES' is not on the card mine") as error:
        load_records(load_card(card_at(tmp_path)), data, None, seed=0)
    assert "did you mean 'NAME'" in one_line(error)


@pytest.mark.parametrize("name", [name for name in card_names() if not name.startswith("synthetic")])
@pytest.mark.parametrize("given", ["nothing", "a missing folder", "a file", "an empty folder"])
def test_without_its_files_a_dataset_says_how_to_obtain_them(tmp_path, name, given):
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    folders = {"nothing": None, "a missing folder": "absent", "a file": "file", "an empty folder": "empty"}
    data_dir = folders[given] and tmp_path / folders[given]
    with pytest.raises(InputError) as error:
        load_records(load_card(name), data_dir, None, seed=0)
    message = one_line(error)
    assert load_card(name).obtain.split(". ")[1] in message
    assert data_dir is None or str(data_dir) in message


def test_a_limit_draws_records_with_spans_first_and_keeps_their_order(tmp_path):
    spans = [[NAME] if index % 3 == 0 else [] for index in range(12)]
    card, data = load_card(card_at(tmp_path)), notes(tmp_path, *spans)

    def drawn(limit: int, seed: int = 0) -> list[int]:
        return [int(record.id[2:]) for record in load_records(card, data, limit, seed)]

    annotated = {0, 3, 6, 9}
    for limit in (1, 4, 7, 11):
        assert len(drawn(limit)) == limit
        assert len(annotated & set(drawn(limit))) == min(limit, 4)
        assert drawn(limit) == sorted(drawn(limit))
    assert drawn(12) == drawn(50) == list(range(12))
    assert drawn(7, seed=5) == drawn(7, seed=5)
    assert len({tuple(drawn(7, seed)) for seed in range(5)}) > 1


@needs_corpora
def test_meddocan_groups_the_cases_of_one_article():
    records = load_records(load_card("clinical"), CORPORA / "meddocan", None, seed=0)
    files = [path.stem for path in (CORPORA / "meddocan").rglob("*.txt")]
    assert sorted(record.id for record in records) == sorted(files)
    assert Counter(record.group for record in records) == Counter(name[: name.rindex("-")] for name in files)
    assert {span.label for record in records for span in record.spans} <= set(get_args(LabelGroup))
    assert all(record.spans for record in records)


@needs_corpora
def test_meddocan_is_read_from_its_xml_as_well():
    from_xml = load_records(load_card("clinical"), CORPORA / "meddocan" / "xml-sample", None, seed=0)
    from_brat = load_records(load_card("clinical"), CORPORA / "meddocan" / "train", None, seed=0)
    assert len(from_xml) == 20
    assert {record.id: record for record in from_brat}.items() >= {r.id: r for r in from_xml}.items()


@needs_corpora
def test_documents_in_the_format_of_i2b2_have_the_labels_and_groups_of_their_card():
    records = load_records(load_card("i2b2-2014"), CORPORA / "i2b2-sample" / "input" / "i2b2", None, seed=0)
    assert all(record.group == record.id[: record.id.rindex("-")] for record in records)
    counts = Counter(span.label for record in records for span in record.spans)
    assert counts["person"] == 61
    assert counts["location"] == 118
    assert counts["id"] == 51
    assert sum(counts.values()) == 347


@pytest.mark.parametrize("spellings", [("SSN", "SOCIALSECURITY"), ("IPADDR", "IPADDRESS")])
def test_both_spellings_of_the_two_i2b2_labels_that_differ_are_on_the_card(tmp_path, spellings):
    tags = "".join(
        f'<ID id="P{i}" start="{i}" end="{i + 1}" text="{i}" TYPE="{name}"/>'
        for i, name in enumerate(spellings)
    )
    (tmp_path / "220-01.xml").write_text(f"<a><TEXT>01</TEXT><TAGS>{tags}</TAGS></a>", encoding="utf-8")
    (record,) = load_records(load_card("i2b2-2014"), tmp_path, None, seed=0)
    assert record.group == "220"
    assert len(record.spans) == 2
    assert len({span.label for span in record.spans}) == 1


@needs_corpora
def test_aci_bench_is_found_in_a_clone_and_in_the_folder_of_its_tables():
    card, clone = load_card("aci-bench"), CORPORA / "aci-bench"
    records = load_records(card, clone, None, seed=0)
    assert len(records) == 207
    assert {span.label for record in records for span in record.spans} == {"person", "age", "demographic"}
    assert load_records(card, clone / "data" / "challenge_data", None, seed=0) == records


@needs_corpora
def test_ellipse_essays_have_surrogates_and_stand_for_themselves():
    records = load_records(load_card("ellipse"), CORPORA / "ellipse-test", 300, seed=0)
    assert len(records) == 300
    assert len({record.unit for record in records}) == 300
    labels = {span.label for record in records for span in record.spans}
    assert labels
    assert labels <= {"person", "location", "organization", "contact"}


def test_a_folder_of_another_dataset_is_told_with_how_to_obtain_the_right_one(tmp_path):
    (tmp_path / "essays.csv").write_text("text_id_kaggle,full_text\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"holds no records\. How to obtain clinical: ") as told:
        load_records(load_card("clinical"), tmp_path, None, 0)
    assert "\n" not in str(told.value)

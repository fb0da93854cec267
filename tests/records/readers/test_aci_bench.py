import csv
import io
import re
from collections import Counter
from pathlib import Path

import pytest
from annotated_texts import CORPORA, SECRET, hard_texts, needs_corpora, refusal, round_trip
from hypothesis import given
from hypothesis import strategies as st

from bench.records.readers.aci_bench import read
from bench.records.record import Record

FOLDER = CORPORA / "aci-bench" / "data" / "challenge_data"
ENCOUNTERS = ("dataset", "encounter_id", "dialogue", "note")
PATIENTS = ("encounter_id", "patient_firstname", "patient_familyname", "patient_age", "patient_gender")


def table(header: tuple[str, ...], *rows: tuple[str, ...]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    return out.getvalue()


def write(folder: Path, *visits: tuple[str, str, str, str, str, str], name: str = "train") -> Path:
    """A folder with a pair of tables; of each visit the id, the note, and first, family, age, gender."""
    notes = [("aci", visit, f"[doctor] hi {SECRET}", note) for visit, note, *_ in visits]
    (folder / f"{name}.csv").write_bytes(table(ENCOUNTERS, *notes).encode())
    patients = [(visit, *patient) for visit, _, *patient in visits]
    (folder / f"{name}_metadata.csv").write_bytes(table(PATIENTS, *patients).encode())
    return folder


def spans(folder: Path, note: str, *patient: str) -> list[tuple[str, str]]:
    """The label and text of each span of the note of one patient."""
    (record,) = read(write(folder, ("D1", note, *patient)))
    return [(span.label, record.text[span.start : span.end]) for span in record.spans]


@pytest.mark.parametrize(
    ("note", "names"),
    [
        ("Mary Wood came. Mary smiles.", ["Mary Wood", "Mary"]),
        ("Ms. Wood's arm. Ms. Mary\nWood", ["Wood", "Mary\nWood"]),
        ("Her arm is of wood; a Woodlands school; MARY; Maryland; Rosemary", []),
        ("Wood Mary", ["Wood", "Mary"]),
        ("(Mary),Wood.", ["Mary", "Wood"]),
        ("\ufeff👩\u200d👧 Mary", ["Mary"]),
    ],
)
def test_names_are_found_as_whole_words_with_capitals(tmp_path, note, names):
    for stated in (("mary", "wood"), ("Mary ", "Wood")):
        assert spans(tmp_path, note, *stated, "", "") == [("PATIENT", name) for name in names]


def test_a_name_that_is_no_word_or_not_stated_is_not_looked_for(tmp_path):
    assert spans(tmp_path, "33 years with Howard, a.b", "33", "Howard", "", "") == [("PATIENT", "Howard")]
    assert spans(tmp_path, "33 years with Howard", "", "", "", "") == []


@pytest.mark.parametrize(
    ("note", "age", "gender", "found"),
    [
        ("a 61-year-old male", "61", "male ", [("AGE", "61"), ("GENDER", "male")]),
        ("a 61-year-old female", "61", "male", [("AGE", "61")]),
        ("a 61 y.o. woman", "61.0", "female", [("AGE", "61"), ("GENDER", "woman")]),
        ("61 years old, male", "61", "male", [("AGE", "61")]),
        ("a 9-month-old male", "9-month", "male", [("AGE", "9"), ("GENDER", "male")]),
        ("a 62-year-old, 161-year-old, 61 years ago, 1.61 years old", "61", "male", []),
        ("a 61-year-older woman", "61", "female", []),
        ("a 61-year-old male", "", "male", []),
        ("a 61-year-old malefactor", "61", "male", [("AGE", "61")]),
    ],
)
def test_age_and_gender_are_found_where_the_note_says_what_the_metadata_states(
    tmp_path, note, age, gender, found
):
    assert spans(tmp_path, note, "", "", age, gender) == found


@round_trip
@given(hard_texts.filter(bool), hard_texts, st.sampled_from(["Mary", "Mary Wood", "Wood"]))
def test_any_note_is_read_back_and_a_name_in_it_is_found(tmp_path_factory, before, after, name):
    note = f"{before} {name} {after}"
    folder = write(tmp_path_factory.mktemp("aci"), ("D1", note, "mary", "wood", "", ""))
    (record,) = read(folder)
    assert record.text == note
    assert name in [note[span.start : span.end] for span in record.spans]


def test_patients_of_one_full_name_are_one_group_called_after_their_first_note(tmp_path):
    write(tmp_path, ("D1", "a", "Mary", "Wood", "", ""), ("D2", "b", "Mary", "", "", ""), name="a")
    write(tmp_path, ("D3", "c", "mary", "wood ", "", ""), ("D4", "d", "Ann", "Wood", "", ""), name="b")
    assert read(tmp_path) == [
        Record("D1", "a", group="D1"),
        Record("D2", "b"),
        Record("D3", "c", group="D1"),
        Record("D4", "d", group="D4"),
    ]


VISIT = ("D1", f"{SECRET} is ill.", SECRET, "Wood", "61", "male")


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        ("train.csv", "note", "notes", "the column 'note' is missing"),
        ("train_metadata.csv", "patient_age", "age", "the column 'patient_age' is missing"),
        ("train.csv", "D1", "D2", "encounter D1: train_metadata.csv and this table must both have it"),
        ("train.csv", "D1", "", "the row that ends at line 2: encounter_id '' must be printable"),
        ("train.csv", f'"{SECRET} is ill."', '""', "record D1: the text is empty"),
        (
            "train.csv",
            f'"{SECRET} is ill."',
            f'"{SECRET}","x"',
            "line 2: the row has not as many fields",
        ),
        ("train.csv", f'"{SECRET} is ill."', f'"{SECRET}', "the row after line 1: not CSV"),
    ],
)
def test_faulty_tables_are_refused(tmp_path, file, old, new, reason):
    path = write(tmp_path, VISIT) / file
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new).encode())
    message = refusal(read, tmp_path)
    assert file in message
    assert reason in message


def test_a_visit_that_stands_twice_is_refused(tmp_path):
    assert "encounter D1: it occurs twice" in refusal(read, write(tmp_path, VISIT, VISIT))
    write(tmp_path, VISIT)
    assert "record D1: the id occurs twice" in refusal(read, write(tmp_path, VISIT, name="valid"))


def test_a_missing_table_an_empty_folder_a_file_and_another_encoding_are_refused(tmp_path):
    assert "no records" in refusal(read, tmp_path)
    write(tmp_path, VISIT)
    assert "is not a folder of tables" in refusal(read, tmp_path / "train.csv")
    text = (tmp_path / "train.csv").read_bytes().decode()
    (tmp_path / "train.csv").write_bytes(text.replace("is ill", "Núñez").encode("latin-1"))
    assert "train.csv: not UTF-8: byte" in refusal(read, tmp_path)
    (tmp_path / "train.csv").unlink()
    assert "train.csv: cannot be read" in refusal(read, tmp_path)


@needs_corpora
def test_the_real_corpus_is_read_whole_and_holds_the_names_that_the_docs_say():
    records = read(FOLDER)
    labels = Counter(span.label for record in records for span in record.spans)
    assert labels == {"PATIENT": 268, "AGE": 213, "GENDER": 205}
    named = [record for record in records if any(span.label == "PATIENT" for span in record.spans)]
    assert (len(records), len(named), sum(bool(record.spans) for record in records)) == (207, 148, 155)
    assert (len({record.unit for record in records}), sum(r.group is None for r in records)) == (195, 62)
    docs = Path(__file__).parents[3] / "docs" / "datasets.md"
    assert "148 of its 207 notes" in docs.read_text(encoding="utf-8")


@needs_corpora
def test_every_mention_of_a_name_is_annotated_and_no_note_names_a_doctor_of_the_metadata():
    records = {record.id: record for record in read(FOLDER)}
    for path in FOLDER.glob("*_metadata.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            patients = list(csv.DictReader(file))
        for patient in patients:
            record = records[patient["encounter_id"]]
            covered = {i for s in record.spans if s.label == "PATIENT" for i in range(s.start, s.end)}
            words = patient["patient_firstname"].split() + patient["patient_familyname"].split()
            mentions = re.finditer(rf"(?i)\b({'|'.join(words) or '(?!)'})\b", record.text)
            assert all(m[0].isdigit() or m.start() in covered for m in mentions)
            doctor = patient["doctor_name"].removeprefix("Dr.").split()
            assert not re.search(rf"(?i)\b({'|'.join(doctor) or '(?!)'})\b", record.text)

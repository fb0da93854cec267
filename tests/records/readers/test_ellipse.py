import csv
import io
import re
import tempfile
import zipfile
from functools import partial
from pathlib import Path

import pytest
from annotated_texts import CORPORA, SECRET, hard_texts, needs_corpora, refusal, round_trip
from hypothesis import given
from hypothesis import strategies as st

from bench.records.readers.ellipse import read
from bench.records.record import Record
from bench.records.surrogates import FIRST_NAMES, SURNAMES, TOWNS

ZIP = CORPORA / "ellipse-test" / "ELLIPSE_Final_github_test.zip"

PLACEHOLDERS = {
    "Generic_Name": "NAME",
    "STUDENT_NAME": "NAME",
    "TEACHER_NAME": "NAME",
    "RELATIVE_NAME": "NAME",
    "PROPER_NAME": "NAME",
    "Generic_City": "CITY",
    "LOCATION_NAME": "LOCATION",
    "Generic_School": "SCHOOL",
    "Generic_school": "SCHOOL",
    "Genereic_School": "SCHOOL",
    "SCHOOL_NAME": "SCHOOL",
    "ADDRESS_NAME": "ADDRESS",
    "PHONE_NUMBER": "PHONE",
}


def table(*rows: tuple[str, ...], header: tuple[str, ...] = ("grade", "text_id_kaggle", "full_text")) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    return out.getvalue()


def write(folder: Path, content: str) -> Path:
    path = folder / "essays.csv"
    path.write_bytes(content.encode())
    return path


def essays(folder: Path, seed: int = 0, **texts: str) -> dict[str, Record]:
    path = write(folder, table(*(("8", essay, text) for essay, text in texts.items())))
    return {record.id: record for record in read(path, seed=seed)}


def values(record: Record) -> list[str]:
    return [record.text[span.start : span.end] for span in record.spans]


@round_trip
@given(
    st.lists(st.tuples(hard_texts, st.sampled_from(sorted(PLACEHOLDERS))), min_size=1, max_size=6), hard_texts
)
def test_all_but_the_placeholders_is_read_back(pieces, rest):
    original = "".join(before + placeholder for before, placeholder in pieces) + rest
    with tempfile.TemporaryDirectory() as folder:
        record = essays(Path(folder), e=original)["e"]
    assert [span.label for span in record.spans] == [PLACEHOLDERS[placeholder] for _, placeholder in pieces]
    restored = record.text
    for span, (_, placeholder) in reversed(list(zip(record.spans, pieces, strict=True))):
        restored = restored[: span.start] + placeholder + restored[span.end :]
    assert restored == original


def test_one_placeholder_has_one_value_in_an_essay_whatever_its_spelling(tmp_path):
    text = "Generic_Name and GENERIC_name at Generic_School, Generic_school, Genereic_School"
    name, again, *schools = values(essays(tmp_path, e=text)["e"])
    assert name == again
    assert len(set(schools)) == 1


def test_student_and_teacher_are_two_persons(tmp_path):
    persons = values(
        essays(tmp_path, e="STUDENT_NAME TEACHER_NAME RELATIVE_NAME PROPER_NAME Generic_Name")["e"]
    )
    assert len(set(persons)) == 5
    for person in persons:
        first, last = person.split(" ")
        assert first in FIRST_NAMES
        assert last in SURNAMES


def test_letters_glued_to_a_placeholder_stay_outside_the_span(tmp_path):
    text = "Generic_Nameis here, Generic_Names house, all Generic_Schools, toSTUDENT_NAME."
    record = essays(tmp_path, e=text)["e"]
    name, same, school, student = values(record)
    assert record.text == f"{name}is here, {same}s house, all {school}s, to{student}."


def test_other_words_with_an_underscore_stay(tmp_path):
    assert essays(tmp_path, e="some 3_ 4 week break, snake_case, \u017fCHOOL_NAMES")["e"] == Record(
        "e", "some 3_ 4 week break, snake_case, \u017fCHOOL_NAMES"
    )


def test_two_essays_never_share_a_full_name(tmp_path):
    texts = {f"e{n}": "Generic_Name wrote to TEACHER_NAME" for n in range(3000)}
    names = [name for record in essays(tmp_path, **texts).values() for name in values(record)]
    assert len(set(names)) == len(names) == 6000


def test_surrogates_do_not_depend_on_the_order_of_the_rows(tmp_path):
    texts = {f"e{n}": "Generic_Name of Generic_City, PHONE_NUMBER, ADDRESS_NAME" for n in range(20)}
    forth, back = essays(tmp_path, **texts), essays(tmp_path, **dict(reversed(texts.items())))
    assert forth == back
    assert list(back) == list(reversed(forth))


def test_the_seed_and_only_the_seed_changes_surrogates(tmp_path):
    text = "Generic_Name Generic_City PHONE_NUMBER ADDRESS_NAME Generic_School LOCATION_NAME"
    assert essays(tmp_path, seed=1, e=text) == essays(tmp_path, seed=1, e=text)
    assert essays(tmp_path, seed=1, e=text) != essays(tmp_path, seed=2, e=text)


def test_a_surrogate_is_what_its_label_says(tmp_path):
    text = "Generic_City|LOCATION_NAME|SCHOOL_NAME|ADDRESS_NAME|PHONE_NUMBER"
    city, location, school, address, phone = values(essays(tmp_path, e=text)["e"])
    assert {city, location, school.split()[0], address.split(", ")[1]} <= set(TOWNS)
    assert school.endswith(" School")
    assert re.fullmatch(r"[0-9]{2,3} [A-Z][a-z]+ [A-Z][a-z]+, [A-Z][a-z]+", address)
    assert re.fullmatch(r"[0-9]{3}-555-01[0-9]{2}", phone)


def test_a_plain_zip_and_a_byte_order_mark_are_read(tmp_path):
    path = tmp_path / "essays.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("__MACOSX/._essays.csv", "")
        archive.writestr(
            "essays.csv", "\ufeff" + table(("e", "Hi\r\n"), header=("text_id_kaggle", "full_text"))
        )
    assert read(path) == [Record("e", "Hi\r\n")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "the column 'text_id_kaggle' is missing"),
        (table(header=("text_id_kaggle", "text")), "the column 'full_text' is missing"),
        (table(header=("text_id", "full_text")), "the column 'text_id_kaggle' is missing"),
        (table(), "holds no records"),
        (
            table(("8", "a", SECRET), ("8", "a", SECRET)),
            "the row that ends at line 3: record a: the id occurs twice",
        ),
        (table(("8", "a", "")), "the row that ends at line 2: record a: the text is empty"),
        (table(("8", "a")), "the row that ends at line 2: the row has not as many fields"),
        (
            table(("8", "a", SECRET, SECRET)),
            "the row that ends at line 2: the row has not as many fields",
        ),
        (table(("8", "", SECRET)), "the row that ends at line 2: text_id_kaggle '' must be printable"),
        (table() + f'"8","a","{SECRET}" fell"\r\n', "the row after line 1: not CSV"),
        (table() + f'"8","a","{SECRET}', "the row after line 1: not CSV"),
    ],
)
def test_a_faulty_table_is_refused(tmp_path, content, reason):
    assert reason in refusal(read, write(tmp_path, content))


def test_another_encoding_and_a_missing_file_are_refused(tmp_path):
    path = tmp_path / "essays.csv"
    assert "cannot be read" in refusal(read, path)
    path.write_bytes(table(("8", "a", f"{SECRET} Núñez")).encode("latin-1"))
    assert "not UTF-8: byte" in refusal(read, path)


def test_a_zip_without_one_table_or_with_damage_is_refused(tmp_path):
    path = tmp_path / "essays.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("essays.txt", SECRET)
    assert "must hold one .csv file, not 0" in refusal(read, path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("essays.csv", table(("8", "a", SECRET)))
    path.write_bytes(path.read_bytes().replace(SECRET.encode(), b"Ebenezer"))
    assert "the file is damaged" in refusal(read, path)


@needs_corpora
def test_the_real_corpus_is_read_whole():
    records = read(ZIP)
    spans = [span for record in records for span in record.spans]
    counts = {label: sum(span.label == label for span in spans) for label in set(PLACEHOLDERS.values())}
    assert len(records) == 2571
    assert counts == {"NAME": 742, "CITY": 127, "SCHOOL": 80, "LOCATION": 14, "ADDRESS": 1, "PHONE": 1}
    assert not any(re.search(r"(?i)gener\w*_|_name|_number", record.text) for record in records)


@needs_corpora
def test_any_wrong_password_is_refused():
    # One in 256 passes zip's own check, so that some of these fail later than the rest.
    for number in range(300):
        assert "the password is wrong" in refusal(partial(read, password=f"wrong-{number}"), ZIP)

import tempfile
from pathlib import Path

import pytest
from annotated_texts import CORPORA, SECRET, annotated_texts, needs_corpora, refusal, round_trip
from hypothesis import given

from bench.records.readers.brat import read
from bench.records.record import Record, Span

TEXT = f"{SECRET} fell ill."


def write(folder: Path, text: str, annotations: str, name: str = "case-1") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_bytes(text.encode())
    (folder / f"{name}.ann").write_bytes(annotations.encode())


@round_trip
@given(annotated_texts(), annotated_texts())
def test_any_record_written_as_brat_is_read_back(first, second):
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, spans) in {"b/1": first, "a/2": second}.items():
            # Unsorted on purpose: brat numbers annotations in the order in which they were made.
            lines = [
                f"T{number}\t{s.label} {s.start} {s.end}\t" + text[s.start : s.end].replace("\n", " ") + "\n"
                for number, s in enumerate(reversed(spans), start=1)
            ]
            write(Path(folder, name).parent, text, "".join(lines), Path(name).name)
        assert read(Path(folder)) == [Record("2", *second), Record("1", *first)]


def test_records_are_sorted_by_path_and_named_after_the_stem(tmp_path):
    for name in ("b/1", "a/2", "a/10.5"):
        write((tmp_path / name).parent, TEXT, "", Path(name).name)
    assert [record.id for record in read(tmp_path)] == ["10.5", "2", "1"]


def test_u_feff_and_crlf_count_in_offsets(tmp_path):
    write(tmp_path, "\ufeffa\r\nAnn", "T1\tNAME 4 7\tAnn\n")
    assert read(tmp_path) == [Record("case-1", "\ufeffa\r\nAnn", (Span(4, 7, "NAME"),))]


def test_a_blank_stands_for_a_newline_within_a_span(tmp_path):
    write(tmp_path, "by Ann\nLee", "T1\tNAME 3 10\tAnn Lee\n")
    assert read(tmp_path)[0].spans == (Span(3, 10, "NAME"),)


def test_annotation_files_may_have_windows_lines_and_a_byte_order_mark(tmp_path):
    write(tmp_path, "by Ann Lee", "\ufeffT1\tNAME 3 6\tAnn\r\nT2\tNAME 7 10\tLee\r\n\r\n")
    assert read(tmp_path)[0].spans == (Span(3, 6, "NAME"), Span(7, 10, "NAME"))


def test_annotations_of_no_text_are_passed_over(tmp_path):
    lines = ["R1\tOf Arg1:T1 Arg2:T1", "E1\tFell:T1", "A1\tSure T1", "M1\tSure T1", "N1\tReference T1 x:1 y"]
    lines += ["#1\tAnnotatorNotes T1\tnote", "*\tEquiv T1 T2", "T1\tNAME 0 8\t" + SECRET]
    write(tmp_path, TEXT, "\n".join(lines))
    assert read(tmp_path)[0].spans == (Span(0, 8, "NAME"),)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (f"T1\tNAME 0 4;6 8\t{SECRET}", "discontinuous"),
        (f"T1\tNAME 1 9\t{SECRET}", "NAME 1-9: the third column differs"),
        (f"T1\tNAME 0 99\t{SECRET}", "0-99 does not lie within the text of 18 characters"),
        ("T1\tNAME 8 8\t", "8-8 does not lie"),
        (f"T1\tNAME -1 8\t{SECRET}", "must be of the form"),
        (f"T1 NAME 0 8 {SECRET}", "must be of the form"),
        (f"{SECRET}", "must be of the form"),
        ("T1\tNA\u200bME 0 4\tZebe", "label"),
    ],
)
def test_a_faulty_annotation_is_refused_by_its_line(tmp_path, line, reason):
    write(tmp_path, TEXT, "T9\tVERB 9 13\tfell\n" + line + "\n")
    message = refusal(read, tmp_path)
    assert "case-1.ann: line 2: " in message
    assert reason in message


def test_overlapping_spans_are_refused(tmp_path):
    write(tmp_path, TEXT, f"T1\tNAME 0 8\t{SECRET}\nT2\tNAME 4 8\tdiah\n")
    assert "record case-1: span NAME 4-8 overlaps" in refusal(read, tmp_path)


def test_a_missing_annotation_file_is_refused(tmp_path):
    (tmp_path / "case-1.txt").write_text(TEXT)
    assert "case-1.ann: cannot be read" in refusal(read, tmp_path)


def test_an_empty_text_is_refused(tmp_path):
    write(tmp_path, "", "")
    assert "case-1.txt: record case-1: the text is empty" in refusal(read, tmp_path)


def test_one_stem_in_two_folders_is_refused(tmp_path):
    write(tmp_path / "a", TEXT, "")
    write(tmp_path / "b", TEXT, "")
    assert refusal(read, tmp_path).endswith("record case-1: the id occurs twice")


@pytest.mark.parametrize("ending", ["txt", "ann"])
def test_another_encoding_is_refused(tmp_path, ending):
    write(tmp_path, TEXT, "")
    (tmp_path / f"case-1.{ending}").write_bytes(f"{SECRET} Núñez".encode("latin-1"))
    assert f"case-1.{ending}: not UTF-8: byte 10" in refusal(read, tmp_path)


def test_a_folder_without_texts_and_a_file_are_refused(tmp_path):
    assert "no records" in refusal(read, tmp_path)
    (tmp_path / "case-1.txt").write_text(TEXT)
    assert "not a folder" in refusal(read, tmp_path / "case-1.txt")


@needs_corpora
@pytest.mark.parametrize(
    ("folder", "records", "spans"), [("meddocan", 750, 17134), ("i2b2-sample/input/brat/sample", 15, 347)]
)
def test_the_real_corpora_are_read_whole(folder, records, spans):
    found = read(CORPORA / folder)
    assert (len(found), sum(len(record.spans) for record in found)) == (records, spans)

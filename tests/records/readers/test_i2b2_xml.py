import csv
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest
from annotated_texts import CORPORA, SECRET, annotated_texts, needs_corpora, refusal, round_trip
from hypothesis import given
from hypothesis import strategies as st

from bench.records.readers import brat
from bench.records.readers.i2b2_xml import read
from bench.records.record import Record, Span

SAMPLE = CORPORA / "i2b2-sample"
TEXT = f"{SECRET} fell ill."
TAG = f'<NAME id="P0" start="0" end="8" text="{SECRET}" TYPE="PATIENT" comment="" />'
# What no XML document can hold, however it is written.
NOT_XML = {*map(chr, range(32)), "\ufffe", "\uffff"} - {"\t", "\n", "\r"}


def document(text: str = f"<![CDATA[{TEXT}]]>", tags: str = TAG, root: str = "i2b2", head: str = "") -> str:
    content = f"<TEXT>{text}</TEXT>\n<TAGS>\n{tags}\n</TAGS>"
    return f'<?xml version="1.0" encoding="UTF-8" ?>\n{head}<{root}>\n{content}\n</{root}>\n'


def write(folder: Path, content: str, name: str = "220-01") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.xml").write_bytes(content.encode())
    return folder


def as_cdata(text: str) -> str:
    """`text` in CDATA, which ends for each `]]>`, and for each `\\r`, since XML reads it as `\\n` within."""
    return "<![CDATA[" + text.replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[") + "]]>"


def as_characters(text: str) -> str:
    return escape(text, {"\r": "&#13;"})


@round_trip
@given(
    annotated_texts(),
    st.sampled_from([as_cdata, as_characters]),
    st.sampled_from(["deIdi2b2", "MEDDOCAN"]),
    st.sampled_from(["<script>&amp;", "]]>", "שלום", "ع\u202bب", "\r\n", "😀"]),
)
def test_any_record_written_as_xml_is_read_back(annotated, written, root, front):
    text, spans = annotated
    text = front + "".join("?" if char in NOT_XML else char for char in text)
    spans = tuple(Span(s.start + len(front), s.end + len(front), s.label) for s in spans)
    tags = [
        f'<T id="T{number}" start="{s.start}" end="{s.end}" TYPE="{s.label}"'
        f" text={quoteattr(text[s.start : s.end])}/>"
        for number, s in enumerate(reversed(spans))
    ]
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), document(written(text), "".join(tags), root), "case-1")
        assert read(Path(folder)) == [Record("case-1", text, spans)]


def test_records_are_sorted_by_path_and_named_after_the_stem(tmp_path):
    for name in ("b/1-01", "a/2-01", "a/10-01"):
        write((tmp_path / name).parent, document(), Path(name).name)
    assert [record.id for record in read(tmp_path)] == ["10-01", "2-01", "1-01"]


def test_nothing_is_stripped_and_a_u_feff_at_the_front_counts(tmp_path):
    text = "\ufeff\n\n  Ann \n\n"
    tag = '<NAME id="P0" start="5" end="8" text="Ann" TYPE="PATIENT"/>'
    write(tmp_path, "\ufeff" + document(f"<![CDATA[{text}]]>", tag))
    assert read(tmp_path) == [Record("220-01", text, (Span(5, 8, "PATIENT"),))]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_line_end_of_the_file_is_one_character_as_xml_has_it(tmp_path, ending):
    tag = '<NAME id="P0" start="3" end="6" text="Ann" TYPE="PATIENT"/>'
    write(tmp_path, document("<![CDATA[by\nAnn]]>", tag).replace("\n", ending))
    assert read(tmp_path) == [Record("220-01", "by\nAnn", (Span(3, 6, "PATIENT"),))]


def test_a_blank_may_stand_for_a_line_break_in_the_text_of_a_tag(tmp_path):
    tag = '<NAME id="P0" start="3" end="10" text="Ann\nLee" TYPE="PATIENT"/>'
    write(tmp_path, document("<![CDATA[by Ann\nLee]]>", tag))
    assert read(tmp_path)[0].spans == (Span(3, 10, "PATIENT"),)


def test_comments_and_processing_instructions_are_no_text(tmp_path):
    write(tmp_path, document(f"<!-- note -->{SECRET}<?note it?> fell ill."))
    assert read(tmp_path) == [Record("220-01", TEXT, (Span(0, 8, "PATIENT"),))]


def test_a_script_in_the_text_is_text(tmp_path):
    text = "<script>alert('&amp;')</script>"
    write(tmp_path, document(f"<![CDATA[{text}]]>", ""))
    assert read(tmp_path) == [Record("220-01", text)]


ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else SECRET * 100}">' for n in range(10))
OUTSIDE = '<!ENTITY e9 SYSTEM "file:///etc/passwd">'


@pytest.mark.parametrize(
    "head",
    [
        f"<!DOCTYPE deIdi2b2 [{ENTITIES}]>",
        f"<!DOCTYPE deIdi2b2 [{OUTSIDE}]>",
        '<!DOCTYPE deIdi2b2 SYSTEM "deid.dtd">',
        '<!DOCTYPE deIdi2b2 [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>',
    ],
    ids=["bomb", "external entity", "external subset", "parameter entity"],
)
def test_a_document_type_is_refused_before_it_can_define_anything(tmp_path, head):
    write(tmp_path, document("&e9;", head=head))
    assert "220-01.xml: a document type (<!DOCTYPE ...>) is not allowed" in refusal(read, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('start="0"', 'start="1"', "tag P0: PATIENT 1-8: its text differs"),
        ('end="8"', 'end="9"', "tag P0: PATIENT 0-9: its text differs"),
        ('end="8"', 'end="99"', "tag P0: span 0-99 does not lie within the text of 18 characters"),
        ('end="8"', 'end="0"', "tag P0: span 0-0 does not lie"),
        ('start="0"', 'start="-1"', "tag P0: start must be a whole number"),
        ('end="8"', 'end="٨"', "tag P0: end must be a whole number"),
        ('end="8"', "", "tag P0: the attribute 'end' is missing"),
        ("TYPE=", "type=", "tag P0: the attribute 'TYPE' is missing"),
        ('TYPE="PATIENT"', 'TYPE=""', "tag P0: label '' must be printable"),
        ('id="P0" start="0"', 'start="1"', "tag number 1: PATIENT 1-8"),
        ('text="', 'text=" ', "tag P0: PATIENT 0-8: its text differs"),
        (TAG, TAG + TAG, "record 220-01: span PATIENT 0-8 overlaps"),
        (TAG, f"<NAME>{TAG}</NAME>", "an element within a tag"),
        ("<![CDATA[", f"<b>{SECRET}</b><![CDATA[", "an element within <TEXT>"),
        ("<TAGS>", "<TAGS></TAGS><TAGS>", "the element <TAGS> occurs twice"),
        ("TAGS>", "LABELS>", "the element <TAGS> is missing"),
        ("TEXT>", "NOTE>", "the element <TEXT> is missing"),
        (TEXT, "", "record 220-01: the text is empty"),
        (f"<![CDATA[{TEXT}]]>", f"{TEXT} &nbsp;", "line 3: not XML that can be read: undefined entity"),
        (f"<![CDATA[{TEXT}]]>", f"{TEXT} &", "not XML that can be read"),
        (TEXT, f"{TEXT}\x00", "not XML that can be read"),
        ("</TAGS>\n</i2b2>\n", "", "not XML that can be read: no element found"),
        ('encoding="UTF-8"', 'encoding="ISO-8859-1"', "the encoding must be UTF-8, not 'ISO-8859-1'"),
    ],
)
def test_a_faulty_document_is_refused(tmp_path, old, new, reason):
    assert old in document()
    message = refusal(read, write(tmp_path, document().replace(old, new)))
    assert "220-01.xml: " in message
    assert reason in message


@pytest.mark.parametrize("cut", [0, 1, 40, 60, 100, 150])
def test_a_truncated_file_is_refused(tmp_path, cut):
    assert "not XML that can be read" in refusal(read, write(tmp_path, document()[:cut]))


def test_offsets_that_count_windows_line_ends_twice_are_told_why(tmp_path):
    tag = '<NAME id="P0" start="4" end="7" text="Ann" TYPE="PATIENT"/>'
    write(tmp_path, document("<![CDATA[by\r\nAnn Lee]]>", tag))
    assert "PATIENT 4-7: its text differs" in (message := refusal(read, tmp_path))
    assert "which XML reads as \\n: offsets must count each as one" in message


def test_another_encoding_is_refused(tmp_path):
    write(tmp_path, "")
    (tmp_path / "220-01.xml").write_bytes(document(f"{SECRET} Núñez").encode("latin-1"))
    assert "220-01.xml: not UTF-8: byte" in refusal(read, tmp_path)
    (tmp_path / "220-01.xml").write_bytes(document().encode("utf-16"))
    assert "220-01.xml: not UTF-8: byte" in refusal(read, tmp_path)


def test_a_folder_without_documents_a_file_and_a_stem_in_two_folders_are_refused(tmp_path):
    assert "no records" in refusal(read, tmp_path)
    write(tmp_path / "a", document())
    assert "not a folder" in refusal(read, tmp_path / "a" / "220-01.xml")
    write(tmp_path / "b", document())
    assert refusal(read, tmp_path).endswith("record 220-01: the id occurs twice")


@needs_corpora
def test_three_renderings_of_the_same_documents_give_the_same_records():
    in_brat = brat.read(SAMPLE / "input/brat/sample")
    assert (len(in_brat), sum(len(record.spans) for record in in_brat)) == (15, 347)
    assert read(SAMPLE / "input/xml/sample") == in_brat
    with (SAMPLE / "mappings/brat_to_i2b2_map_types.csv").open(encoding="utf-8") as file:
        labels = dict(csv.reader(file))
    assert read(SAMPLE / "input/i2b2/sample") == [
        Record(r.id, r.text, tuple(Span(s.start, s.end, labels[s.label]) for s in r.spans)) for r in in_brat
    ]


@needs_corpora
def test_the_xml_of_meddocan_gives_the_records_of_its_brat_files():
    in_xml = read(CORPORA / "meddocan" / "xml-sample")
    in_brat = {record.id: record for record in brat.read(CORPORA / "meddocan" / "train")}
    assert len(in_xml) == 20
    assert sum(record.text.startswith("\ufeff") for record in in_xml) == 7
    assert in_xml == [in_brat[record.id] for record in in_xml]

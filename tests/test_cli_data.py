import json
from pathlib import Path

import pytest
import yaml
from test_cli import EACH, run_python

from bench.passport import Passport, as_text

CORPORA = Path(__file__).parents[1].parent / "shared" / "data"
needs_corpora = pytest.mark.skipif(
    not CORPORA.is_dir(), reason="the real corpora (../shared/data) are missing"
)

SECRET = "Zebediah"
CARD = {
    "name": "letters",
    "title": "Letters of ours",
    "family": "clinical",
    "language": "en",
    "licence": "internal",
    "citation": "none",
    "obtain": "ask for letters.jsonl",
    "source": {"reader": "jsonl", "files": ["letters.jsonl"]},
    "labels": {"NAME": "person", "DATE": "date"},
}


@pytest.fixture
def letters(tmp_path):
    """`letters(120)` writes a card and so many letters; gives the arguments that check them."""

    def write(count=120, label="NAME", value=SECRET, reader="jsonl"):
        source = {"reader": reader, "files": ["letters.jsonl" if reader == "jsonl" else "brat"]}
        card = tmp_path / "letters.yaml"
        card.write_text(yaml.safe_dump(CARD | {"source": source}), encoding="utf-8")
        (tmp_path / "brat").mkdir(exist_ok=True)
        lines = []
        for number in range(count):
            text = f"👩\u200d👧 no. {number}:\r\n{value} came on day {number}.\r\n"
            start = text.index(value)
            end = start + len(value)
            span = {"start": start, "end": end, "label": label}
            lines.append(
                json.dumps({"id": f"l{number}", "text": text, "spans": [span], "group": f"g{number}"})
            )
            (tmp_path / f"brat/l{number}.txt").write_bytes(text.encode())
            (tmp_path / f"brat/l{number}.ann").write_bytes(f"T1\t{label} {start} {end}\t{value}\r\n".encode())
        (tmp_path / "letters.jsonl").write_text("\n".join(lines), encoding="utf-8")
        return ["data", "check", str(card), "--data-dir", str(tmp_path)]

    return write


def test_the_passport_is_shown_as_text_and_as_json(typed, letters):
    arguments = letters()
    code, shown, said = typed(*arguments, "--format", "json")
    assert (code, said) == (0, "")
    passport = Passport.model_validate_json(shown)
    assert json.loads(shown)["schema"] == "trap-bench-passport/1"
    assert (passport.total.records, passport.total.spans, passport.faults) == (120, 120, ())
    assert passport.across.values["target-holdout"]["person"].both == 1
    assert typed(*arguments) == (0, as_text(passport), "")


@pytest.mark.parametrize("reader", ["jsonl", "brat"])
def test_emoji_and_windows_lines_are_counted_as_they_stand_and_no_text_is_shown(typed, letters, reader):
    arguments = letters(reader=reader)
    code, shown, said = typed(*arguments, "--format", "json", "--max-length", "8", "--strict")
    total = json.loads(shown)["total"]
    assert total["characters"]["max"] == len(f"??? no. 100:__{SECRET} came on day 100.__")
    assert (total["spans"], total["spans_lost_by_truncation"]) == (120, 120)
    assert code == 1
    for text in (shown, said, typed(*arguments)[1]):
        assert not any(word in text for word in (SECRET, SECRET.casefold(), "came on", "👩"))


def test_options_decide_records_splits_and_tokens(typed, letters):
    def seen(*more):
        return json.loads(typed(*arguments, "--format", "json", *more)[1])

    arguments = letters()
    plain, seeded = seen(), seen("--split-seed", "5")
    assert plain == seen()
    assert plain["content"] == seeded["content"]
    assert plain["setting"]["data"] != seeded["setting"]["data"]
    shares = [
        f"--share={name}=0.2" for name in ("target", "complement", "population", "validation", "holdout")
    ]
    assert {part["records"] for part in seen(*shares)["splits"].values()} == {24}
    assert seen("--limit", "60")["total"]["records"] == 60
    assert seen("--max-length", "50")["setting"]["max_length"] == 50


def test_the_data_hash_is_that_of_a_run(typed):
    from bench.experiment import settings_from
    from bench.plan import make_labs

    (lab,) = make_labs(settings_from({"dataset": "synthetic-essays", "limit": 30}))
    shown = typed("data", "check", "synthetic-essays", "--limit", "30", "--format", "json")[1]
    assert json.loads(shown)["setting"]["data"] == lab.setting["data"]


def test_strict_ends_with_one_line_for_each_fault_after_the_passport(typed, letters):
    arguments = letters(60)
    code, shown, said = typed(*arguments, "--format", "json", "--strict")
    faults = json.loads(shown)["faults"]
    assert faults
    assert code == 1
    assert said.splitlines() == [f"fault: {fault}" for fault in faults]
    assert typed(*arguments, "--format", "json") == (0, shown, "")
    code, _, said = typed(*letters(120), "--strict")
    assert (code, said) == (0, "")


def test_spans_with_whitespace_at_an_edge_are_a_fault(typed, letters):
    code, _, said = typed(*letters(value="Ann Lee\r"), "--strict")
    assert (code, said) == (1, "fault: spans that start or end with whitespace: 120 (person 120)\n")


def test_output_goes_to_a_file_even_where_strict_complains(typed, letters, tmp_path):
    arguments = letters(60)
    path = tmp_path / "passport.json"
    code, shown, _ = typed(*arguments, "--format", "json", "-o", str(path), "--strict")
    assert (code, shown) == (1, "")
    assert path.read_text(encoding="utf-8") == typed(*arguments, "--format", "json")[1]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--format", "html"], "--format html: known are text, json"),
        (["-o", "{}/absent/x"], "there is no folder"),
        (["-o", "{}"], "is a folder; give a file"),
        (["--max-length", "2"], "max_length=2 is not allowed"),
        (["--max-length", "4096"], "max_length=4096 is not allowed: tiny takes 2048 tokens"),
        (["--limit", "0"], "limit=0 is not allowed"),
        (["--limit", "4"], "4 records in 4 groups are too few"),
        (["--split-seed", "-1"], "split_seed=-1 is not allowed"),
        (["--share", "holdout=0.3"], "must sum to 1"),
        (["--share", "holdout"], "such as holdout=0.3"),
        (["--model", "tny"], "did you mean 'tiny'?"),
        (["--model", "./absent"], "there is no such folder"),
        (["--strikt"], "--strikt"),
        (["--data-dir", "{}/absent"], "is not a folder"),
        (["--data-dir", "{}/brat"], "holds no letters.jsonl"),
    ],
)
def test_bad_input_is_told_in_one_line(typed, letters, tmp_path, more, reason):
    code, shown, said = typed(*letters(20), *(argument.replace("{}", str(tmp_path)) for argument in more))
    assert (code, shown) == (2, "")
    assert said.startswith("bench: ")
    assert said.count("\n") == 1
    assert reason in said


def test_an_unknown_dataset_and_none_are_told(typed):
    assert typed("data", "check", "clinicl") == typed("status", "--dataset", "clinicl")
    code, _, said = typed("data", "check")
    assert code == 2
    assert said == "bench: Missing argument 'name'.\n"


def test_a_label_that_is_not_on_the_card_is_told_with_its_record(typed, letters):
    code, shown, said = typed(*letters(label="NAMES"))
    assert (code, shown) == (2, "")
    assert "record l0: label 'NAMES' is not on the card letters, did you mean 'NAME'?" in said
    assert SECRET not in said


@pytest.mark.parametrize(
    ("spans", "reason"),
    [
        ([(0, 8), (4, 10)], "overlaps"),
        ([(3, 3)], "does not lie within"),
        ([(0, 99)], "does not lie within"),
    ],
)
def test_annotation_that_cannot_be_read_is_told_with_its_record(typed, letters, tmp_path, spans, reason):
    arguments = letters()
    stated = [{"start": start, "end": end, "label": "NAME"} for start, end in spans]
    line = json.dumps({"id": "x", "text": f"{SECRET} left", "spans": stated})
    (tmp_path / "letters.jsonl").write_text(line, encoding="utf-8")
    code, shown, said = typed(*arguments)
    assert (code, shown) == (2, "")
    assert "record x: " in said
    assert reason in said
    assert said.count("\n") == 1
    assert SECRET not in said


def test_help_and_mistakes_load_no_torch(tmp_path):
    helps = ["--help", "data --help", "data check --help", "data get --help"]
    mistakes = ["data check clinicl", "data check clinical", "data get clinicl", "data get essays"]
    ended = json.loads(run_python(EACH, json.dumps(helps + mistakes), folder=tmp_path))
    codes = [(code, torch_loaded) for code, _, _, torch_loaded in ended.values()]
    assert codes == [(0, False)] * len(helps) + [(2, False)] * len(mistakes)
    assert all(command in ended["data --help"][1] for command in ("check", "get"))


@needs_corpora
@pytest.mark.parametrize(("name", "folder"), [("clinical", "meddocan"), ("ellipse", "ellipse-test")])
def test_the_real_corpora_are_checked(typed, name, folder):
    arguments = ["data", "check", name, "--data-dir", str(CORPORA / folder), "--limit", "150", "--strict"]
    code, shown, said = typed(*arguments, "--format", "json")
    assert (code, said) == (0, "")
    assert json.loads(shown)["total"]["records"] == 150

"""`bench study` from end to end, on the smallest runs that answer."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from bench.cli import app
from bench.models.finding import EMBEDDED
from bench.publishing import stored_cells
from bench.registry import defenses
from bench.store import Store
from bench.studies.file import StudyFile

SMALL = ["--dataset", "synthetic-essays", "--limit", "80", "--max-length", "48", "--epochs", "6"]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("studies")


def study(out, *options, defaults=SMALL):
    done = CliRunner().invoke(app, ["study", *options, *defaults, "--out", str(out)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    (data,) = out.glob(f"{options[0]}*.json")
    stated = json.loads(data.read_text(encoding="utf-8"))
    return done, StudyFile.model_validate(stated)


def test_dynamics_is_one_training_looked_at_after_each_epoch(out):
    done, found = study(out, "dynamics")
    assert [point.value for point in found.points] == [1, 2, 3, 4, 5, 6]
    # One course of the undefended run: each place is a prefix of the last.
    (course,) = found.courses
    cells = [cell for cell in stored_cells(Store(out)) if cell.defense == "none" and cell.attack == "tra"]
    for cell in cells:
        assert cell.training.validation_nll == course.validation_nll[: cell.training.epochs]
    assert {cell.training.epochs for cell in cells} == {1, 2, 3, 4, 5, 6}
    assert done.output.count("trained none") == 6
    assert found.points[-1].tra_pii > found.points[0].tra_pii
    assert found.sentences[0] in done.output
    assert "That memorization keeps growing past the validation minimum is" in found.sentences[0]


def test_mean_tra_is_that_of_the_evidence(out):
    _, found = study(out, "dynamics")
    cells = {cell.spec: cell for cell in stored_cells(Store(out)) if cell.attack_spec == "tra"}
    for point in found.points:
        cell = cells[point.spec]
        total = count = 0.0
        for member, tokens, tra in zip(
            cell.audited.member,
            cell.memorization_evidence.n_pii_tokens,
            cell.memorization_evidence.tra_pii,
            strict=True,
        ):
            if member:
                total, count = total + tra, count + tokens
        assert point.tra_pii == pytest.approx(total / count, rel=1e-4)
        assert point.nll == cell.utility.nll


def test_a_frontier_is_drawn_from_one_parameter(out):
    _, found = study(out, "frontier", "--defense", "trap", "--vary", "strength=0.5,4")
    assert [(point.spec, point.value) for point in found.points] == [
        ("trap:strength=0.5", 0.5),
        ("trap:strength=4", 4),
        ("none", None),
        ("reference", None),
    ]
    assert found.points[0].tra_pii > found.points[1].tra_pii
    page = (out / "frontier-trap-strength.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 4, "two pictures, each drawn for wide and for narrow pages"
    assert found.points[0].leak is not None
    assert found.sentences[0].split(": ", 1)[0] in page


def test_difficulty_reads_the_same_signals_as_the_cells(out):
    _, found = study(out, "difficulty")
    cells = {
        cell.spec: cell
        for cell in stored_cells(Store(out))
        if cell.attack_spec == "tra" and cell.spec in ("none", "early-stopping")
    }
    for one in found.hardness:
        if one.of == "label" and one.name != "no identifier":
            expected = cells[one.spec].memorization.by_label[one.name]
            assert one.n_tokens == expected.n_tokens
            assert one.tra == pytest.approx(expected.tra)
    for spec in cells:
        whole, *quarters = [
            one for one in found.hardness if one.spec == spec and one.of in ("corpus", "quarter")
        ]
        assert sum(one.n_tokens for one in quarters) == whole.n_tokens
        assert [one.difficulty for one in quarters] == sorted(one.difficulty for one in quarters)


def test_a_study_that_is_done_trains_nothing(out):
    study(out, "dynamics")
    before = {path.name: path.stat().st_mtime_ns for path in out.glob("models/*")}
    done, _ = study(out, "dynamics")
    assert "0 trainings" in done.output
    assert {path.name: path.stat().st_mtime_ns for path in out.glob("models/*")} == before


LETTERS = """
name: letters
title: Letters
family: clinical
language: en
licence: none
citation: none
obtain: here
source: {reader: jsonl, files: [letters.jsonl]}
labels: {NAME: person}
"""


def test_no_text_no_identifier_and_no_path_stands_in_a_study(tmp_path):
    card, model = tmp_path / "mine" / "letters.yaml", tmp_path / "secret" / "little"
    card.parent.mkdir()
    card.write_text(LETTERS, encoding="utf-8")
    shutil.copytree(EMBEDDED["tiny"], model)
    lines = [
        {
            "id": f"r{at}",
            "text": f"Zebedee{at} wrote to us in May.",
            "spans": [{"start": 0, "end": 8, "label": "NAME"}],
        }
        for at in range(60)
    ]
    (card.parent / "letters.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    own = ["--dataset", str(card), "--data-dir", str(card.parent), "--model", str(model), "--limit", "60"]
    out = tmp_path / "out"
    done, _ = study(
        out, "dynamics", *own, "--vary", "epochs=1,2", defaults=["--epochs", "2", "--max-length", "16"]
    )
    for text in (done.stdout, *(path.read_text(encoding="utf-8") for path in out.glob("dynamics.*"))):
        for hidden in ("Zebedee", "wrote to us", "mine/", "secret", str(card)):
            assert hidden not in text
    assert {path.stat().st_mode & 0o777 for path in out.glob("dynamics.*")} == {0o600}


def test_a_defense_of_a_file_can_be_studied(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(
        """
from pydantic import Field
from bench import Defense

class Mine(Defense):
    '''Scales the loss.'''
    name = "mine"
    scale: float = Field(1.0, gt=0)
    def token_losses(self, logprobs, logits, batch):
        return -self.scale * logprobs
""",
        encoding="utf-8",
    )
    chosen = ["--plugin", str(mine), "--defense", "mine", "--vary", "scale=1,2", "--attack", "loss"]
    try:
        _, found = study(tmp_path / "out", "frontier", *chosen)
    finally:
        defenses().forget()
    assert [point.spec for point in found.points][:2] == ["mine", "mine:scale=2"]


def test_difficulty_is_told_again_where_only_cells_are_left(out):
    _, found = study(out, "difficulty")
    for path in (*out.glob("models/*.safetensors"), *out.glob("signals/*")):
        path.unlink()
    _, again = study(out, "difficulty")
    assert again == found


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["dynamic"], "unknown study 'dynamic', did you mean 'dynamics'"),
        (["difficulty", "--vary", "x=1,2"], "difficulty varies nothing"),
        (["frontier"], "a frontier is of one defense"),
    ],
)
def test_a_mistaken_study_is_one_line(options, why, tmp_path, capsys, monkeypatch):
    from bench.cli import main

    monkeypatch.setattr("sys.argv", ["bench", "study", *options, "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert why in said
    assert len(said.splitlines()) == 1

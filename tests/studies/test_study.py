"""`bench study` from end to end, on the smallest runs that answer."""

import json

import pytest
from typer.testing import CliRunner

from bench.cli import app
from bench.leaderboard import leaderboard
from bench.publishing import stored_cells
from bench.store import Store
from bench.studies.file import StudyFile

SMALL = ["--dataset", "synthetic-essays", "--limit", "80", "--max-length", "48", "--epochs", "6"]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("studies")


def study(out, *options):
    done = CliRunner().invoke(app, ["study", *options, *SMALL, "--out", str(out)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    stated = json.loads((out / f"{options[0]}.json").read_text(encoding="utf-8"))
    return done, StudyFile.model_validate(stated)


def test_dynamics_is_one_training_looked_at_after_each_epoch(out):
    done, found = study(out, "dynamics")
    assert [point.value for point in found.points] == [1, 2, 3, 4, 5, 6]
    epochs = [Store(out).about_model(path.stem)["training"]["epochs"] for path in out.glob("models/*.json")]
    assert sorted(epochs)[:5] == [1, 2, 3, 4, 5]
    # One course of the undefended run: each place is a prefix of the last.
    (course,) = found.courses
    cells = [cell for cell in stored_cells(Store(out)) if cell.defense == "none" and cell.attack == "tra"]
    for cell in cells:
        assert cell.training.validation_nll == course.validation_nll[: cell.training.epochs]
    assert found.points[-1].tra_pii > found.points[0].tra_pii
    assert found.sentences[0] in done.output
    assert "That memorization keeps growing past the validation minimum is" in found.sentences[0]


def test_the_figures_are_those_of_the_leaderboard(out):
    _, found = study(out, "dynamics")
    rows = {
        row.spec: row
        for row in leaderboard(stored_cells(Store(out))).rows
        if row.memorization and row.extraction
    }
    for point in found.points:
        row = rows[point.spec]
        assert point.tra_pii == row.memorization.tra_pii
        assert point.nll == row.utility.nll
        assert point.extracted == row.extraction.not_in_prefix.rate


def test_a_frontier_is_drawn_from_one_parameter(out):
    _, found = study(out, "frontier", "--defense", "trap", "--vary", "strength=0.5,4")
    assert [point.value for point in found.points] == [0.5, 4]
    assert found.points[0].tra_pii > found.points[1].tra_pii
    page = (out / "frontier.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
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


def test_no_text_and_no_path_stands_in_a_study(out):
    study(out, "dynamics")
    for path in (out / "dynamics.html", out / "dynamics.json"):
        assert str(out) not in path.read_text(encoding="utf-8")
        assert path.stat().st_mode & 0o777 == 0o600


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

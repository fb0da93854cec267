import subprocess
import sys
from pathlib import Path

import pytest
from runs import scored_run, stored

PUBLISHED = Path(__file__).parents[2] / "leaderboard"


def test_the_report_lies_beside_the_cells_or_where_it_is_asked_for(tmp_path, typed):
    stored(tmp_path / "run", scored_run())
    code, out, err = typed("report", str(tmp_path / "run"))
    assert (code, err) == (0, "")
    assert out == f"written to {tmp_path / 'run' / 'report.html'}\n"
    code, _, _ = typed("report", str(tmp_path / "run"), "-o", str(tmp_path / "mine.html"))
    assert code == 0
    written = (tmp_path / "mine.html").read_text()
    assert written == (tmp_path / "run/report.html").read_text()
    assert str(tmp_path) not in written


def test_a_report_that_cannot_be_written_leaves_the_one_before(tmp_path, typed, monkeypatch):
    stored(tmp_path, scored_run())
    (tmp_path / "report.html").write_text("before")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    code, _, err = typed("report", str(tmp_path))
    assert code != 0
    assert "cannot be written: disk full" in err
    assert (tmp_path / "report.html").read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cells", "report.html"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "nowhere is no folder of results"),
        (["{}"], "holds no results"),
        (["{}", "--frontier", "everything"], "--frontier everything: known are target, base"),
        (["{}", "-o", "{}"], "is a folder; give a file"),
        (["{}", "-o", "{}/no/x.html"], "there is no folder"),
    ],
)
def test_a_mistake_is_told_in_one_line(arguments, told, tmp_path, typed):
    code, out, err = typed("report", *(argument.format(tmp_path) for argument in arguments))
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


def test_help_loads_neither_matplotlib_nor_jinja2():
    told = (
        "import sys; from bench import cli; sys.argv = ['bench', '--help']\n"
        "try: cli.main()\nexcept SystemExit: pass\n"
        "print('loaded', sorted({'matplotlib', 'jinja2', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert "loaded []" in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not (PUBLISHED / "cells").is_dir(), reason="the published results are not here")
def test_the_published_results_have_a_report(tmp_path, typed):
    path = tmp_path / "report.html"
    code, _, _ = typed("report", str(PUBLISHED), "-o", str(path))
    assert code == 0
    page = path.read_text()
    assert len(page) < 5_000_000
    assert page == (PUBLISHED / "report.html").read_text(encoding="utf-8"), ()
    published = list((PUBLISHED / "passports").glob("*.json"))
    assert page.count("<caption>Labels: spans in each split") >= len(published)

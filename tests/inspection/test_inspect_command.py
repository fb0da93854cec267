"""`bench inspect` shows one record, or says in one line why it cannot."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys

import pytest
from hostile import HOSTILE

from bench.errors import InputError
from bench.experiment import settings_from
from bench.inspection.choosing import narrowed, panel_of, rows_called
from bench.inspection.panels import Panel, panels
from bench.plan import make_labs
from bench.store import Store
from bench.tasks import Source


@pytest.fixture
def spoilt(run, tmp_path):
    """A copy of the run to spoil."""
    return shutil.copytree(run, tmp_path / "spoilt")


@pytest.fixture(scope="module")
def record(found):
    return next(iter(found[0].places))


def told(typed, *argv):
    """The one line of a command that ends badly."""
    code, shown, said = typed("inspect", *map(str, argv))
    assert (code, shown) == (2, "")
    assert said.startswith("bench: ")
    assert said.count("\n") == 1
    return said


def test_without_a_record_those_that_can_be_looked_at_are_listed(run, found, typed):
    code, shown, said = typed("inspect", str(run))
    assert (code, said) == (0, "")
    assert "letters · tiny · full fine-tuning · seed 0 · TRA of none" in shown
    ids = re.findall(r"^case-\d+", shown, re.M)
    assert ids[:20] == ids
    everything = typed("inspect", str(run), "--all")[1]
    listed = re.findall(r"^(case-\d+) +(member|non-member) ", everything, re.M)
    assert {name for name, _ in listed} == set(found[0].places)
    assert [name for name, _ in listed][: len(ids)] == ids
    assert all((kind == "member") == (found[0].places[name][0] == "target") for name, kind in listed)
    assert HOSTILE[:8] not in everything


def test_a_record_is_shown_by_its_lengths_unless_its_text_is_asked_for(run, record, typed):
    code, shown, said = typed("inspect", str(run), "--record", record)
    assert (code, said) == (0, "")
    assert "▓" in shown
    assert "script" not in shown
    for row in ("base", "reference", "none", "trap"):
        assert re.search(rf"^{row} ", shown, re.M)
    shown = typed("inspect", str(run), "--record", record, "--show-text")[1]
    assert "<script>alert(1)" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("format", ["terminal", "html"])
@pytest.mark.parametrize("show", [[], ["--show-text"]])
def test_what_is_written_is_for_its_owner_alone(run, record, typed, tmp_path, format, show):
    path = tmp_path / "page"
    path.touch(mode=0o644)
    ended = typed("inspect", str(run), "--record", record, "--format", format, "-o", str(path), *show)
    assert ended == (0, "", f"written to {path}\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert ("alert(1)" in path.read_text(encoding="utf-8")) == bool(show)
    assert "\x1b" not in path.read_text(encoding="utf-8")


def test_rows_are_chosen_as_they_are_typed_elsewhere(run, record, typed):
    one = typed(
        "inspect", str(run), "--record", record, "--defense", "trap:strength=2.0", "--defense", "base"
    )
    assert one[0] == 0
    assert re.search(r"^trap ", one[1], re.M)
    assert re.search(r"^base ", one[1], re.M)
    assert not re.search(r"^none ", one[1], re.M)


def test_mistakes_are_told_with_the_way_out(run, found, record, typed, tmp_path):
    hint = f"`bench inspect {run}` lists them"
    assert f"no record is called '{record}x', did you mean '{record}'?" in told(
        typed, run, "--record", f"{record}x"
    )
    assert hint in told(typed, run, "--record", "unheard-of")
    (unjudged, *_) = found[0].lab.splits["validation"]
    assert "is in the validation split of letters" in told(typed, run, "--record", unjudged.id)
    assert "did you mean 'trap'?" in told(typed, run, "--record", record, "--defense", "trapp")
    assert "there is: base, reference, none, trap" in told(
        typed, run, "--record", record, "--defense", "dp-sgd"
    )
    assert "no parameter 'strenght'" in told(typed, run, "--record", record, "--defense", "trap:strenght=2")
    assert "--seed 3: there is none (there is: 0)" in told(typed, run, "--seed", 3)
    assert "--dataset letter: there is none, did you mean 'letters'?" in told(
        typed, run, "--dataset", "letter"
    )
    assert "known are terminal, html" in told(typed, run, "--record", record, "--format", "pdf")
    assert hint in told(typed, run, "--format", "html")
    assert "there is no folder" in told(typed, run, "--record", record, "-o", tmp_path / "absent" / "x")
    assert "is a folder" in told(typed, run, "--record", record, "-o", tmp_path)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for name in ("pipe", "link"):
        assert "which would be replaced" in told(typed, run, "--record", record, "-o", tmp_path / name)
    assert "is no folder of results" in told(typed, tmp_path / "absent")


def test_what_a_folder_lacks_is_named_with_what_to_run(spoilt, letters, typed, tmp_path):
    again = "run it again with the options that it had and `--attack tra`"
    published = tmp_path / "published"
    shutil.copytree(spoilt / "cells", published / "cells")
    said = told(typed, published)
    assert "as no published folder does" in said
    assert again in said
    (settings,) = (spoilt / "settings").iterdir()
    kept = json.loads(settings.read_text(encoding="utf-8"))
    settings.write_text(json.dumps(kept | {"attack": ["loss"]}), encoding="utf-8")
    said = told(typed, spoilt)
    assert "was set against the auditor's reference" in said
    assert again in said
    settings.write_text(json.dumps(kept | {"data_dir": str(tmp_path / "gone")}), encoding="utf-8")
    said = told(typed, spoilt)
    assert "gone is not a folder" in said
    assert again in said
    settings.write_text(json.dumps(kept), encoding="utf-8")
    shutil.rmtree(spoilt / "signals")
    said = told(typed, spoilt)
    assert "no signals are here" in said
    assert again in said


def test_models_without_signals_are_left_out_and_named(spoilt, found, record, typed):
    (trap,) = found[0].rows["trap"].scorings
    (spoilt / "signals" / f"{trap.key}.safetensors").unlink()
    code, shown, _ = typed("inspect", str(spoilt), "--record", record)
    assert code == 0
    assert not re.search(r"^trap ", shown, re.M)
    assert "planned, and not computed yet: trap; run again" in " ".join(shown.split())
    said = told(typed, spoilt, "--record", record, "--defense", "trap")
    assert "its signals are not here" in said
    (auditor,) = found[0].reference.scorings
    (spoilt / "signals" / f"{auditor.key}.safetensors").unlink()
    assert "no signals are here" in told(typed, spoilt, "--record", record)


def test_runs_that_cannot_be_looked_at_do_not_hide_those_that_can(spoilt, letters, record, typed):
    gone = settings_from({"dataset": "clinical", "data_dir": spoilt / "gone"})
    Store(spoilt).save_settings(gone.kept())
    never_run = settings_from({**letters, "attack": "tra", "epochs": 9})
    Store(spoilt).save_settings(never_run.kept())
    code, shown, said = typed("inspect", str(spoilt), "--record", record)
    assert code == 0
    assert "none" in shown
    assert said.count("\n") == 2
    assert all(line.startswith("not looked at: ") for line in said.splitlines())


def test_a_defense_that_was_added_later_stands_with_the_others(spoilt, found, letters):
    Store(spoilt).save_settings(
        settings_from(
            {**letters, "max_length": 128, "epochs": 2, "defense": "dropout", "attack": "tra"}
        ).kept()
    )
    (panel,) = panels(Store(spoilt), [])
    assert set(panel.rows) == {"base", "reference", "none", "trap"}
    assert panel.missing == ("dropout",)


@pytest.fixture(scope="module")
def several(letters):
    """Panels of two seeds and of two schedules, that nobody has run."""
    schedules = [
        settings_from({**letters, "seed": seeds, "epochs": epochs})
        for seeds, epochs in (([0, 1], 2), ([0], 3))
    ]
    return [
        Panel(lab, Source(()), {"none": Source(())}, "none")
        for given in schedules
        for lab in make_labs(given)
    ]


def test_a_record_in_several_places_is_told_with_the_options_that_tell_them_apart(several, record):
    with pytest.raises(InputError, match=r"give --seed \(0 or 1\)$"):
        panel_of(several[:2], record, "runs")
    settings = [panel.told_apart_by["setting"] for panel in several]
    with pytest.raises(InputError, match=rf"give --setting \({settings[0]} or {settings[2]}\)$"):
        panel_of(narrowed(several, {"seed": "0"}), record, "runs")
    chosen = narrowed(several, {"seed": "0", "setting": settings[2]})
    assert panel_of(chosen, record, "runs") is several[2]
    assert rows_called(several[0], ()) == ["none"]


def test_a_setting_is_called_what_the_leaderboard_calls_it(run, found):
    rows = json.loads((run / "leaderboard.json").read_text(encoding="utf-8"))["rows"]
    assert {row["setting"] for row in rows} == {found[0].told_apart_by["setting"]}


def test_an_environment_that_names_no_encoding_ends_nothing(run, record):
    command = [sys.executable, "-m", "bench", "inspect", str(run), "--record", record, "--show-text"]
    ended = subprocess.run(command, env=os.environ | {"PYTHONIOENCODING": "ascii"}, capture_output=True)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert "患" in ended.stdout.decode("utf-8")

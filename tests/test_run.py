"""End to end on a small run. Two runs are the same if their leaderboards are, but for what they cost."""

import json
import math
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import bench
from bench.errors import RunError
from bench.experiment import settings_from
from bench.graph import Judge
from bench.plan import make_plan
from bench.records.cards import load_card, load_records
from bench.registry import attacks, defenses
from bench.store import Store

DATA = {"dataset": "synthetic-clinical", "limit": 40, "max_length": 64, "epochs": 2}
# Two references, one of them the auditor's, and two targets.
PAIR = DATA | {"defense": ["none", "trap"], "attack": ["loss", "tra"]}
# The cheaper of its accountants; all else at its defaults.
ALL = ["dp-sgd:accountant=rdp" if name == "dp-sgd" else name for name in defenses().names()]


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """Every defense under every attack: the folder, and what `bench.run` gave."""
    out = tmp_path_factory.mktemp("everything")
    return out, bench.run(**DATA, defense=ALL, out=out)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed")
    bench.run(**PAIR, out=out)
    return comparable(out)


def comparable(out: Path) -> str:
    """The leaderboard file without what a run cost."""
    board = json.loads((out / "leaderboard.json").read_text(encoding="utf-8"))
    for row in board["rows"]:
        del row["cost"]
    return json.dumps(board)


def arguments(out: Path, settings: dict) -> list[str]:
    several = {name: value if isinstance(value, list) else [value] for name, value in settings.items()}
    pairs = [("out", out), *((name, value) for name in several for value in several[name])]
    return [part for name, value in pairs for part in (f"--{name.replace('_', '-')}", str(value))]


def started(out: Path, settings: dict = PAIR) -> subprocess.Popen:
    command = [sys.executable, "-m", "bench", "run", *arguments(out, settings)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def killed_once_there_are(out: Path, folder: str, count: int) -> None:
    """Start a run and kill it the moment it has stored so many files."""
    run = started(out)
    while run.poll() is None and len(list((out / folder).glob("[!.]*"))) < count:
        time.sleep(0.005)
    run.send_signal(signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL, "the run ended before it could be killed"


def numbers(value: object) -> list[float]:
    if isinstance(value, dict | list):
        return [n for one in (value.values() if isinstance(value, dict) else value) for n in numbers(one)]
    return [value] if isinstance(value, int | float) else []


def test_every_defense_meets_every_attack_in_finite_rows(everything):
    out, results = everything
    file = json.loads((out / "leaderboard.json").read_text(encoding="utf-8"))
    assert all(math.isfinite(number) for number in numbers(file))
    specs, names = {row["spec"] for row in file["rows"]}, {row["attack"] for row in file["rows"]}
    assert specs == {"base", "reference", *ALL}
    assert names == set(attacks().names())
    assert len(results.cells) == len(list((out / "cells").iterdir())) == len(specs) * len(names)
    # A membership attack is judged on records and on spans, extraction on spans.
    assert len(file["rows"]) == len(specs) * (2 * len(names) - 1)
    assert len(results.to_frame()) == len(file["rows"])


def test_the_base_model_is_the_zero_of_utility_and_the_undefended_run_the_whole_of_memorization(everything):
    _, results = everything
    for row in results.leaderboard.rows:
        if row.spec == "base":
            assert row.utility.gain_kept == 0.0
            assert row.cost.trainings == 0
        if row.spec == "none":
            assert row.memorization.remaining_pii == 1.0
    (private,) = {row.privacy for row in results.leaderboard.rows if row.defense == "dp-sgd"}
    assert 0 < private.epsilon <= 8


def test_running_again_trains_nothing_and_changes_no_byte(everything):
    out, results = everything

    def state() -> dict[str, tuple[int, bytes]]:
        stored = [path for folder in ("models", "signals", "cells") for path in (out / folder).iterdir()]
        times = {path.name: (path.stat().st_mtime_ns, b"") for path in stored}
        return times | {path.name: (0, path.read_bytes()) for path in out.glob("leaderboard.*")}

    before = state()
    again = bench.run(**DATA, defense=ALL, out=out)
    assert state() == before
    assert again == results


def test_a_part_of_the_matrix_gives_the_same_cells_as_the_whole(everything, undisturbed, tmp_path):
    _, results = everything
    alone = bench.run(**PAIR, out=tmp_path / "run")
    whole = {cell.key: cell.model_dump(exclude={"cost"}) for cell in results.cells}
    assert len(alone.cells) == 8
    for cell in alone.cells:
        assert whole[cell.key] == cell.model_dump(exclude={"cost"})
    assert comparable(tmp_path / "run") == undisturbed


def test_a_run_killed_once_gives_what_an_undisturbed_one_does(tmp_path, undisturbed):
    killed_once_there_are(tmp_path, "models", 1)
    bench.run(**PAIR, out=tmp_path)
    assert comparable(tmp_path) == undisturbed
    assert not list(tmp_path.rglob(".*.tmp"))


@pytest.mark.slow
def test_two_runs_at_once_in_one_folder_give_what_one_does(tmp_path, undisturbed):
    both = [started(tmp_path), started(tmp_path)]
    assert [run.wait() for run in both] == [0, 0]
    assert comparable(tmp_path) == undisturbed
    assert not list(tmp_path.rglob(".*.tmp"))


BROKEN = """
from bench import Defense, MembershipAttack

class Broken(Defense):
    '''Fails in its first step.'''
    name = "broken"
    def token_losses(self, logprobs, logits, batch):
        raise ZeroDivisionError("for the test")

class Hopeless(MembershipAttack):
    '''Fails at its first score.'''
    name = "hopeless"
    @property
    def knowledge(self):
        return "target"
    def scores(self, passages):
        return [passages[0].absent]
"""


@pytest.fixture
def broken_plugin(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text(BROKEN, encoding="utf-8")
    yield str(path)
    defenses().forget()
    attacks().forget()


def test_a_plugin_that_raises_takes_down_its_own_cells_only(broken_plugin, tmp_path, typed):
    out = tmp_path / "run"
    chosen = {"defense": ["broken", "none"], "attack": ["hopeless", "loss"], "plugin": broken_plugin}
    code, shown, said = typed("run", *arguments(out, DATA | chosen))
    assert code == 1
    failures = [line for line in said.splitlines() if line.startswith("failed: ")]
    # The attack fails on both floors and on none; the defense under both attacks.
    assert len(failures) == 5
    assert sum("ZeroDivisionError in broken.py, line" in line for line in failures) == 2
    assert "for the test" not in said + shown
    assert "Traceback" not in said + shown
    board = json.loads((out / "leaderboard.json").read_text(encoding="utf-8"))
    there = {(row["spec"], row["attack"]) for row in board["rows"]}
    assert there == {("base", "loss"), ("reference", "loss"), ("none", "loss")}
    defenses().forget()
    attacks().forget()
    with pytest.raises(RunError, match=r"ZeroDivisionError in .* for the test"):
        bench.run(**DATA, **chosen, out=out, show_text=True)


def test_a_plugin_that_ends_the_process_fails_its_own_cells_only(tmp_path, typed):
    path = tmp_path / "leaves.py"
    path.write_text(BROKEN.replace('raise ZeroDivisionError("for the test")', "raise SystemExit(0)"))
    chosen = {"defense": ["broken", "none"], "attack": "loss", "plugin": str(path)}
    code, shown, said = typed("run", *arguments(tmp_path / "run", DATA | chosen))
    defenses().forget()
    attacks().forget()
    assert code == 1
    assert len([line for line in said.splitlines() if line.startswith("failed: ")]) == 1
    assert "none" in shown


def test_nothing_that_is_shown_holds_a_records_text(everything, tmp_path, typed):
    out, _ = everything
    _, *shown = typed("run", *arguments(tmp_path, DATA | {"defense": "none", "attack": "loss"}))
    shown += [typed("leaderboard", str(out), "--format", format)[1] for format in ("md", "csv", "json")]
    files = [*out.glob("*.*"), *out.glob("cells/*")]
    assert {path.suffix for path in files} == {".json", ".md"}
    shown += [path.read_text(encoding="utf-8") for path in files]
    records = load_records(load_card(DATA["dataset"]), None, DATA["limit"], seed=0)
    values = {record.text[span.start : span.end] for record in records for span in record.spans}
    secrets = {value for value in values if len(value) > 5}
    secrets |= {line[:30] for record in records for line in record.text.splitlines() if len(line) >= 30}
    assert len(secrets) > 300
    text = "".join(shown)
    assert len(text) > 100_000
    assert [secret for secret in secrets if secret in text] == []


def test_cells_of_older_code_are_left_out_of_a_runs_leaderboard_and_of_no_other(tmp_path, typed):
    chosen = DATA | {"attack": "loss", "out": tmp_path}
    bench.run(**chosen, defense="dropout")
    for path in (tmp_path / "cells").iterdir():
        stated = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(stated | {"code": "older", "key": "older"}), encoding="utf-8")
    results = bench.run(**chosen, defense="none")
    file = json.loads((tmp_path / "leaderboard.json").read_text(encoding="utf-8"))
    assert {row["spec"] for row in file["rows"]} == {"base", "reference", "none"}
    assert {row.spec for row in results.leaderboard.rows} == {"base", "reference", "none"}
    code, shown, said = typed("leaderboard", str(tmp_path))
    assert (code, shown) == (2, "")
    assert "of other code than the rest are dropout · loss; run again, or delete them" in said


def test_a_cell_of_another_schema_ends_a_run_before_anything_is_trained(tmp_path, typed):
    (tmp_path / "cells").mkdir()
    (tmp_path / "cells" / "old.json").write_text('{"schema": "trap-bench-cell/1"}', encoding="utf-8")
    code, _, said = typed("run", "--defense", "none", "--attack", "loss", "--out", str(tmp_path))
    assert code == 2
    assert "old.json: schema: " in said
    assert [path.name for path in tmp_path.iterdir()] == ["cells"]


def test_an_attack_added_to_a_finished_run_passes_nothing_through_a_model(everything):
    out, _ = everything
    more = ["loss", "reference", "hinge:margin=0.5", "extraction:unit=record,prefix=5,length=5"]
    planned = make_plan(settings_from(DATA | {"defense": ALL, "attack": more, "out": out}))
    tasks = planned.tasks(Store(out))
    assert {task.cell.attack.spec for task in tasks if isinstance(task, Judge)} == set(more[2:])
    assert all(isinstance(task, Judge) for task in tasks)


def test_fail_fast_stops_at_the_first_failure_and_names_no_other(broken_plugin, tmp_path, typed):
    out = tmp_path / "run"
    more = {"defense": ["broken", "dropout"], "attack": "loss", "plugin": broken_plugin}
    chosen = arguments(out, DATA | more)
    code, _, said = typed("run", *chosen, "--fail-fast")
    assert code == 1
    failures = [line for line in said.splitlines() if line.startswith("failed: ")]
    assert len(failures) == 1
    assert "broken" in failures[0]
    assert not list((out / "cells").glob("*dropout*"))
    code, _, said = typed("run", *chosen)
    assert code == 1
    assert len(list((out / "cells").glob("*dropout*"))) == 1
    defenses().forget()
    attacks().forget()


TALKATIVE = """
import logging, warnings
import numpy as np
from typing import ClassVar
from bench import MembershipAttack

class Talks(MembershipAttack):
    "Shows what it is shown."
    name: ClassVar[str] = "talks"

    @property
    def knowledge(self):
        return "target"

    def scores(self, passages):
        for passage in passages:
            print(passage.text)
            warnings.warn(passage.text)
            logging.getLogger("talks").critical(passage.text)
        return np.array([passage.target.mean_logprob for passage in passages])

class Tampers(Talks):
    "Sorts in place."
    name: ClassVar[str] = "tampers"

    def scores(self, passages):
        for passage in passages:
            passage.target.logprobs.sort()
        return np.zeros(len(passages))
"""


def test_what_an_attack_prints_warns_and_logs_is_kept_from_the_terminal(tmp_path, typed):
    (tmp_path / "talks.py").write_text(TALKATIVE, encoding="utf-8")
    chosen = {"defense": "none", "attack": ["loss", "talks"], "plugin": tmp_path / "talks.py"}
    code, shown, said = typed("run", *arguments(tmp_path / "run", DATA | chosen))
    verified = typed("verify", str(tmp_path / "run"))
    attacks().forget()
    assert (code, verified[0]) == (0, 0)
    text = shown + said + "".join(verified[1:])
    records = load_records(load_card("synthetic-clinical"), None, 40, 0)
    assert not [record.id for record in records if record.text[:40] in text]


def test_an_attack_that_changes_what_it_is_shown_fails_and_spoils_no_other(tmp_path):
    (tmp_path / "talks.py").write_text(TALKATIVE, encoding="utf-8")
    chosen = DATA | {"defense": "none", "plugin": tmp_path / "talks.py"}
    with pytest.raises(RunError, match=r"tampers .*read-only"):
        bench.run(**chosen, attack=["tampers", "loss"], out=tmp_path / "both", show_text=True)
    attacks().forget()
    alone = bench.run(**DATA, defense="none", attack="loss", out=tmp_path / "alone").cells
    together = bench.run(**DATA, defense="none", attack="loss", out=tmp_path / "both").cells
    assert [cell.results for cell in together] == [cell.results for cell in alone]


def test_seeds_are_run_apart_and_shown_as_one_row(tmp_path):
    results = bench.run(**DATA, defense="none", attack="loss", seed=[0, 1], out=tmp_path)
    rows = {row.spec: row for row in results.leaderboard.rows if row.unit == "record"}
    assert {row.seeds for row in rows.values()} == {(0, 1)}
    nlls = [cell.utility.nll for cell in results.cells if cell.spec == "none"]
    assert nlls[0] != nlls[1]
    assert rows["none"].utility.nll == pytest.approx(sum(nlls) / 2)
    assert rows["base"].utility.gain_kept == 0.0


def test_a_config_file_says_the_same_as_options_and_options_override_it(everything, tmp_path, typed):
    out, results = everything
    config = tmp_path / "my.yaml"
    stated = {name.replace("_", "-"): value for name, value in DATA.items()}
    config.write_text(yaml.safe_dump(stated | {"defense": ALL, "out": str(out)}), encoding="utf-8")
    cells = len(results.cells)
    for more, done in (
        ([], f"{cells} of {cells} cells done"),
        (["--epochs", "3"], f"0 of {cells} cells done"),
    ):
        code, shown, _ = typed("status", "--config", str(config), *more)
        assert code == 0
        assert done in shown
    assert len(bench.run(config, attack="loss", defense="none").cells) == 3


def test_a_run_is_published_as_cells_and_a_page_that_others_can_read(everything, tmp_path, typed):
    out, _ = everything
    published = tmp_path / "public"
    for _ in range(2):
        code, shown, _ = typed("leaderboard", str(out), "--publish", "--to", str(published))
        assert code == 0
        assert "README.md" in shown
    assert (published / "README.md").read_bytes() == (out / "leaderboard.md").read_bytes()
    assert (published / "leaderboard.json").read_bytes() == (out / "leaderboard.json").read_bytes()
    cells = [{path.name for path in (folder / "cells").iterdir()} for folder in (out, published)]
    assert cells[0] == cells[1]
    assert not (published / "models").exists()
    for path in (published, *published.rglob("*")):
        assert path.stat().st_mode & 0o044 == 0o044, path.name
    assert typed("leaderboard", str(out), "--publish", "--to", str(published), "--frontier", "target")[0] == 0
    assert json.loads((published / "leaderboard.json").read_text(encoding="utf-8"))["level"] == "target"


def test_publishing_into_a_runs_own_folder_leaves_its_models_and_signals_private(everything, tmp_path, typed):
    folder = tmp_path / "run"
    shutil.copytree(everything[0], folder)
    assert typed("leaderboard", str(folder), "--publish", "--to", str(folder))[0] == 0
    private = [*(folder / "models").iterdir(), *(folder / "signals").iterdir()]
    assert len(private) > 4
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in ("models", "signals")} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (folder / "cells").iterdir()} == {0o644}

"""A run's folder is recomputed, and what was changed in it is named."""

import json
import shutil

import pytest

import bench
from bench.experiment import settings_from
from bench.publishing import publish, read_leaderboard
from bench.rendering import as_json
from bench.store import Store
from bench.verification import Verified, verify

SETTINGS = {"dataset": "synthetic-clinical", "limit": 40, "max_length": 64, "epochs": 2, "defense": "none"}
CELLS, ROWS = 6, 9
"""The base model, the reference and the undefended run, under `tra` (records, spans) and `extraction`."""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("verified")
    bench.run(**SETTINGS, attack=["tra", "extraction"], out=out)
    return out


@pytest.fixture
def whole(run, tmp_path):
    """A copy of the run to spoil."""
    return shutil.copytree(run, tmp_path / "whole")


@pytest.fixture
def bare(run, tmp_path):
    """What is published of the run: cells and the leaderboard's rows."""
    shutil.copytree(run / "cells", tmp_path / "bare" / "cells")
    shutil.copy(run / "leaderboard.json", tmp_path / "bare")
    return tmp_path / "bare"


def cell_of(folder, spec, attack):
    (path,) = (folder / "cells").glob(f"*-{spec}-{attack}-seed0-*.json")
    return path


def edit(path, change):
    """Change the JSON value of a file in place."""
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value), encoding="utf-8")


def files(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_a_run_verifies_from_evidence_and_from_signals_and_nothing_is_written(run):
    before = files(run)
    assert verify(Store(run)) == Verified(CELLS, CELLS, ROWS, ())
    assert files(run) == before


def test_several_seeds_verify_though_the_base_model_is_the_same_for_all(tmp_path):
    found = bench.run(**SETTINGS | {"epochs": 1}, attack=["loss", "tra"], seed=[0, 1], out=tmp_path)
    base = [cell.key for cell in found.cells if (cell.defense, cell.attack) == ("base", "loss")]
    assert len(base) == 2
    assert len(set(base)) == 1
    assert verify(Store(tmp_path)) == Verified(12, 12, 12, ())


@pytest.mark.parametrize("kind", ["signals", "settings", "models"])
def test_what_is_not_kept_is_not_needed_to_verify_from_evidence(whole, kind):
    shutil.rmtree(whole / kind)
    found = verify(Store(whole))
    assert (found.cells, found.rows, found.differences) == (CELLS, ROWS, ())
    assert found.from_signals < CELLS
    assert not (whole / kind).exists()


def test_a_published_folder_verifies(run, bare, tmp_path):
    assert verify(Store(bare)) == Verified(CELLS, 0, ROWS, ())
    publish(Store(run), tmp_path / "public")
    assert verify(Store(tmp_path / "public")) == Verified(CELLS, 0, ROWS, ())


def flatter(cell):
    cell["results"][0]["auc"] -= 0.01


def hide_an_interval(cell):
    cell["results"][1]["leakage"]["evaluation_ci"] = [-0.1, 0.1]


def predict_better(cell):
    cell["utility"]["nll"] -= 0.01


def memorize_less(cell):
    cell["memorization"]["tra_pii"] /= 2


def overlook_tokens(cell):
    cell["memorization"]["n_pii_tokens"] = 0


def raise_non_members(cell):
    member, records = cell["audited"]["member"], cell["evidence"]["records"]
    cell["evidence"]["records"] = [score if own else 9.0 for own, score in zip(member, records, strict=True)]


def swap_labels(cell):
    cell["audited"]["member"] = [not member for member in cell["audited"]["member"]]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (flatter, "results[0].auc is"),
        (hide_an_interval, "results[1].leakage.evaluation_ci"),
        (predict_better, "utility.nll is"),
        (memorize_less, "memorization.tra_pii is"),
        (overlook_tokens, "memorization.n_pii_tokens is 0, recomputed"),
        (raise_non_members, "results[0].auc is"),
        (swap_labels, "results[0].auc is"),
    ],
)
def test_a_change_in_a_cell_is_named_with_its_cell(bare, change, named):
    edit(cell_of(bare, "none", "tra"), change)
    lines = verify(Store(bare)).differences
    cell = "synthetic-clinical · tiny · none · tra · seed 0: "
    assert any(line.startswith(cell + named) for line in lines), lines
    assert all(line.startswith((cell, "leaderboard.json: row ")) for line in lines)


def test_an_extraction_that_was_talked_down_is_named(bare):
    def fail(cell):
        cell["evidence"]["rate"] = [0.0 if rate == 1 else rate for rate in cell["evidence"]["rate"]]
        cell["evidence"]["rate"][0] = 0.5

    edit(cell_of(bare, "none", "extraction"), fail)
    lines = verify(Store(bare)).differences
    assert any("none · extraction · seed 0: results[0].extraction.rate is" in line for line in lines)


def test_a_score_that_changes_no_figure_is_named_where_signals_are_kept(whole):
    def nudge(cell):
        scores = cell["evidence"]["records"]
        scores[scores.index(max(scores))] += 0.5

    edit(cell_of(whole, "none", "tra"), nudge)
    found = verify(Store(whole))
    (line,) = found.differences
    assert "none · tra · seed 0: evidence.records[" in line
    assert line.endswith("from signals")
    shutil.rmtree(whole / "signals")
    assert verify(Store(whole)).differences == ()


def test_a_changed_row_and_a_missing_one_are_named(bare):
    def praise(board):
        board["rows"][-1]["utility"]["gain_kept"] = 0.99

    edit(bare / "leaderboard.json", praise)
    (line,) = verify(Store(bare)).differences
    assert line.startswith(f"leaderboard.json: row [{ROWS - 1}].utility.gain_kept is 0.99, recomputed")
    edit(bare / "leaderboard.json", lambda board: board["rows"].pop())
    (line,) = verify(Store(bare)).differences
    assert f"a list of {ROWS - 1}, recomputed a list of {ROWS}" in line


def test_rows_are_recomputed_for_the_level_that_their_frontier_is_for(bare):
    store = Store(bare)
    store.save_text(bare / "leaderboard.json", as_json(read_leaderboard(store, "complement")))
    assert verify(store).differences == ()


def test_a_leaderboard_file_that_cannot_be_read_is_named(bare):
    (bare / "leaderboard.json").write_text("[", encoding="utf-8")
    (line,) = verify(Store(bare)).differences
    assert "leaderboard.json cannot be read" in line


def test_cells_of_older_code_stand_in_no_row_beside_newer_ones_and_differ_in_none(whole):
    chosen = SETTINGS | {"defense": "dropout", "attack": "tra"}
    edit(cell_of(whole, "none", "tra"), lambda cell: cell.update(code="older", key="older"))
    bench.run(**chosen, out=whole)
    assert verify(Store(whole)).differences == ()


def test_data_that_is_gone_is_told_and_the_rest_is_verified(whole, typed):
    gone = settings_from(SETTINGS | {"dataset": "clinical", "data_dir": whole / "gone"})
    Store(whole).save_settings(gone.kept())
    found = verify(Store(whole))
    assert (found.cells, found.from_signals, found.differences) == (CELLS, CELLS, ())
    code, _, said = typed("verify", str(whole))
    assert (code, said.count("\n")) == (0, 1)
    assert said.startswith("signals not read again: ")
    assert "gone is not a folder" in said


def test_a_key_that_the_settings_do_not_give_is_named(whole):
    edit(cell_of(whole, "none", "tra"), lambda cell: cell.update(key="0" * 32))
    (line,) = verify(Store(whole)).differences
    assert "none · tra · seed 0: key is '000" in line


def test_cells_without_whole_signals_are_counted_where_others_have_them(whole):
    signals = sorted((whole / "signals").iterdir())
    signals[0].write_bytes(signals[0].read_bytes()[:100])
    found = verify(Store(whole))
    assert found.differences == ()
    assert found.from_signals < CELLS
    assert (
        f"{CELLS - found.from_signals} cells, whose signals are not here or not whole" in found.passed_over[0]
    )


def test_the_command_says_what_it_recomputed_and_exits_by_what_it_found(bare, typed):
    code, shown, said = typed("verify", str(bare))
    assert (code, said) == (0, "")
    assert f"{CELLS} cells recomputed" in shown
    assert "0 differences" in shown
    edit(cell_of(bare, "none", "tra"), flatter)
    code, shown, said = typed("verify", str(bare))
    assert code == 1
    assert "differs: synthetic-clinical · tiny · none · tra · seed 0: results[0].auc is" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("folder", ["nowhere", "empty"])
def test_where_there_is_nothing_to_verify_one_line_says_so(tmp_path, typed, folder):
    (tmp_path / "empty" / "cells").mkdir(parents=True)
    code, shown, said = typed("verify", str(tmp_path / folder))
    assert (code, shown) == (2, "")
    assert said.count("\n") == 1
    assert str(tmp_path / folder) in said
    assert "results" in said


def test_a_file_that_is_no_cell_is_one_line(bare, typed):
    (bare / "cells" / "x.json").write_text('{"schema": "trap-bench-cell/3"}', encoding="utf-8")
    code, _, said = typed("verify", str(bare))
    assert code == 2
    assert said.count("\n") == 1
    assert "x.json" in said

"""What is shown of a record is what the run measured."""

import json

import numpy as np
import pytest
from hostile import HOSTILE, SETTINGS

from bench.inspection.listing import entries
from bench.inspection.panels import panels
from bench.inspection.reading import advantage_of, view_of
from bench.inspection.visible import visible
from bench.store import Store
from bench.workshop import Workshop


def cells_of(out):
    """By name of the row, the cells that were set against the auditor's reference."""
    read = [json.loads(path.read_text(encoding="utf-8")) for path in (out / "cells").iterdir()]
    return {cell["spec"]: cell for cell in read if cell["memorization"]}


def assert_agrees(out, panel, workshop):
    cells = cells_of(out)
    assert list(panel.rows) == ["base", "reference", *SETTINGS["defense"]]
    assert set(panel.rows) == set(cells)
    for spec, cell in cells.items():
        views = [
            view_of(panel, record, [spec], workshop, False)
            for record, (split, _) in panel.places.items()
            if split in panel.lab.members
        ]
        advantage = np.concatenate([view.lines[0].advantage for view in views])
        personal = np.concatenate([view.personal for view in views])
        stated = cell["memorization"]
        assert advantage[personal].mean() == pytest.approx(stated["tra_pii"], rel=1e-6)
        assert advantage[~personal].mean() == pytest.approx(stated["tra_other"], rel=1e-6)
        assert (advantage[personal] > 1).mean() == pytest.approx(stated["share_above_1_nat"])
        sums = [view.lines[0].figures.personal * view.personal.sum() for view in views]
        assert sum(sums) / personal.sum() == pytest.approx(stated["tra_pii"], rel=1e-6)


def test_the_mean_over_the_members_is_the_leaderboards(run, found):
    assert_agrees(run, *found)


@pytest.mark.slow
def test_under_the_full_protocol_every_record_is_held_against_the_model_that_has_not_seen_it(
    letters, tmp_path
):
    import bench

    bench.run(**letters, **SETTINGS, out=tmp_path, protocol="full")
    (panel,) = panels(Store(tmp_path), [])
    assert panel.lab.members == ("target", "complement")
    assert_agrees(tmp_path, panel, Workshop(Store(tmp_path)))


def test_no_model_is_needed_and_nothing_is_written(run, found, monkeypatch):
    panel, _ = found
    monkeypatch.setattr("bench.workshop.load_model", None)
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*")}
    view_of(panel, next(iter(panel.places)), list(panel.rows), Workshop(Store(run)), False)
    assert {path: path.stat().st_mtime_ns for path in run.rglob("*")} == before


def test_the_text_is_in_a_view_only_if_it_is_asked_for(found, seen):
    panel, workshop = found
    for record, (split, place) in panel.places.items():
        tokens = workshop.corpora.tokens(panel.lab, split)[place]
        text = tokens.text_of(slice(0, len(tokens)))
        shown, hidden = seen(record, show_text=True), seen(record)
        assert "".join(shown.pieces) == visible(text)
        assert hidden.pieces is None
        assert text[:12] not in repr(hidden)
        assert hidden.lengths.sum() == len(text)
        assert hidden.member == (split == "target")


def test_a_character_that_is_spread_over_tokens_is_shown_once(seen, found):
    view = seen(next(iter(found[0].places)), show_text=True)
    spread = [n for n, length in enumerate(view.lengths) if length == 0]
    assert spread, "the tokenizer knows these characters"
    assert all(view.pieces[n] == "" for n in spread)
    assert "".join(view.pieces).startswith(visible(HOSTILE))


def test_stretches_hold_every_token_once_with_the_labels_of_their_spans(found, seen):
    panel, workshop = found
    for record, (split, place) in panel.places.items():
        view, tokens = seen(record), workshop.corpora.tokens(panel.lab, split)[place]
        assert [t for one in view.stretches for t in range(one.start, one.end)] == list(range(len(view)))
        inside = [one.label is not None for one in view.stretches for _ in range(one.start, one.end)]
        assert inside == tokens.personal.tolist()
        for span in tokens.spans:
            (own,) = (one for one in view.stretches if one.start == span.start)
            assert (own.end, own.label) == (span.end, span.label)


def test_the_list_begins_with_what_the_undefended_run_knows_best(found):
    panel, workshop = found
    listed = entries(panel, workshop)
    assert {entry.record for entry in listed} == set(panel.places)
    means = []
    for entry in listed:
        split, place = panel.places[entry.record]
        tokens = workshop.corpora.tokens(panel.lab, split)[place]
        advantage = advantage_of(panel, "none", split, place, workshop)
        means.append(advantage[tokens.personal].mean())
        assert entry.member == (split != "holdout")
        assert (entry.tokens, entry.spans) == (len(tokens), len(tokens.spans))
    assert means == sorted(means, reverse=True)

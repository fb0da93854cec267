import json
import re

import pytest
from reading import Page
from runs import scored_run, stored

from bench.errors import InputError
from bench.experiment import settings_from
from bench.passport.finding import ELSEWHERE, GONE, OTHERS
from bench.plan import make_labs
from bench.publishing import publish
from bench.report import read_report
from bench.store import Store

GIVEN = {"dataset": "synthetic-clinical", "limit": 60, "max_length": 64}


@pytest.fixture(scope="module")
def lab():
    (lab,) = make_labs(settings_from(GIVEN))
    return lab


@pytest.fixture(scope="module")
def store(lab, tmp_path_factory):
    """A run on invented records that can be invented again."""
    setting = scored_run()[0].setting.model_copy(update={"data": lab.data_digest})
    store = stored(tmp_path_factory.mktemp("run"), scored_run(dataset=lab.dataset, setting=setting))
    store.save_settings(settings_from(GIVEN).kept())
    return store


def test_the_passport_is_computed_where_the_data_can_still_be_found(store, lab):
    text = Page(read_report(store)).text
    assert "Splits" in text
    assert f"stated by {sum(len(records) for records in lab.splits.values())} of" in text
    for split in lab.splits:
        assert split in text


def test_no_text_of_any_record_is_in_the_page(store, lab):
    page = read_report(store)
    for records in lab.splits.values():
        for record in records:
            values = {record.text[span.start : span.end] for span in record.spans}
            assert not [value for value in values if len(value) > 5 and value in page]
            assert record.text[:40] not in page


def test_data_that_changed_since_have_no_passport_and_that_is_the_reason(tmp_path):
    store = stored(tmp_path, scored_run(dataset="synthetic-clinical"))
    store.save_settings(settings_from(GIVEN).kept())
    text = Page(read_report(store)).text
    assert "There is no passport: its records, or how they are split, are no longer those" in text
    assert "keeps no settings" not in text
    assert "records, by split" in text


def test_a_passport_of_other_truncation_is_not_shown_for_these_cells(store, lab, tmp_path):
    setting = scored_run()[0].setting.model_copy(update={"data": lab.data_digest})
    other = stored(tmp_path, scored_run(dataset=lab.dataset, setting=setting))
    other.save_settings(settings_from(GIVEN | {"max_length": 32}).kept())
    assert f"There is no passport: {OTHERS}." in Page(read_report(other)).text


@pytest.mark.parametrize("given", [{"dataset": ["nowhere"]}, {"dataset": "{}/secret-ward.yaml"}])
def test_settings_whose_data_are_gone_say_so_and_no_name_of_any_file(given, tmp_path):
    store = stored(tmp_path, scored_run())
    store.save_settings({name: str(value).format(tmp_path) for name, value in given.items()})
    page = read_report(store)
    assert f"There is no passport: {GONE}." in Page(page).text
    assert "secret-ward" not in page
    assert str(tmp_path) not in page


CARD = """
name: letters
title: Letters
family: clinical
language: en
licence: internal
citation: none
obtain: ask
source: {reader: jsonl, files: [letters.jsonl]}
labels: {NAME: person}
"""


def test_records_that_cannot_be_read_are_not_quoted(tmp_path):
    (tmp_path / "letters.yaml").write_text(CARD)
    record = {"id": "patient-4711", "text": "Ann", "spans": [{"start": 0, "end": 3, "label": "SECRET"}]}
    (tmp_path / "letters.jsonl").write_text(json.dumps(record))
    store = stored(tmp_path / "run", scored_run(dataset="letters"))
    given = {"dataset": str(tmp_path / "letters.yaml"), "data_dir": tmp_path, "max_length": 64}
    store.save_settings(settings_from(given).kept())
    page = read_report(store)
    assert f"There is no passport: {GONE}." in Page(page).text
    assert not [told for told in ("patient-4711", "SECRET", str(tmp_path)) if told in page]


@pytest.mark.parametrize(
    "given", [{"model": "somebody/model"}, {"model": "smollm2"}, {"dataset": "letters.yaml"}]
)
def test_nothing_is_fetched_or_converted_for_a_page(given, tmp_path, monkeypatch):
    card = CARD.replace("{reader: jsonl, files: [letters.jsonl]}", "{reader: columns, hub: some/body}")
    (tmp_path / "letters.yaml").write_text(card)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("bench.passport.finding.make_labs", lambda *_, **__: pytest.fail("looked up"))
    model, dataset = given.get("model", "tiny"), "letters" if "dataset" in given else "synthetic-clinical"
    store = stored(tmp_path / "run", scored_run(dataset=dataset, model=model))
    store.save_settings(settings_from(GIVEN | given).kept())
    assert f"There is no passport: {ELSEWHERE}." in Page(read_report(store)).text


def test_a_passport_is_made_once_however_many_runs_were_of_the_same(store, lab, tmp_path, monkeypatch):
    setting = scored_run()[0].setting.model_copy(update={"data": lab.data_digest})
    cells = scored_run(dataset=lab.dataset, setting=setting)
    cells += scored_run(dataset=lab.dataset, setting=setting.model_copy(update={"epochs": 3}))
    many = stored(tmp_path, cells)
    for seed in range(3):
        many.save_settings(settings_from(GIVEN | {"seed": seed}).kept())
    made = []
    monkeypatch.setattr("bench.passport.finding.make_labs", lambda *_, **__: made.append(1) or [lab])
    assert Page(read_report(many)).text.count("Labels: spans in each split") == 2
    assert len(made) == 1


def test_a_published_run_has_its_passport_and_renders_again_to_the_same_bytes(store, tmp_path):
    folder = tmp_path / "public"
    publish(store, folder)
    page = read_report(Store(folder))
    assert "Labels: spans in each split" in page
    (path,) = (folder / "passports").iterdir()
    assert path.stat().st_mode & 0o777 == 0o644
    again = tmp_path / "again"
    publish(Store(folder), again)
    assert read_report(Store(again)) == page
    path.write_text("{}")
    with pytest.raises(InputError, match="is no passport that can be read; delete it"):
        read_report(Store(folder))


def test_what_a_run_was_told_and_how_to_repeat_it_is_in_the_page_but_no_path(store, tmp_path):
    text = Page(read_report(store)).text
    assert "bench verify ." in text
    assert "bench run --config settings/" in text
    assert str(store.root) not in text
    told = {"dataset": [str(tmp_path / "ward/notes.yaml")], "model": [str(tmp_path / "model")]}
    told |= {"data_dir": str(tmp_path), "plugin": [str(tmp_path / "mine.py")], "out": "/srv/run"}
    told |= {"address": "ray://ward:10001", "attack": ["loss", "tra"], "epochs": 3}
    page = read_report(stored_with(tmp_path / "told", told))
    shown = dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    assert not [value for value in shown.values() if "/" in value]
    assert shown["attacks"] == "loss, tra"
    assert shown["epochs"] == "3"


def stored_with(folder, settings):
    store = stored(folder, scored_run())
    store.save_settings(settings)
    return store

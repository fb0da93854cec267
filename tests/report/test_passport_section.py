import pytest
from reading import Page
from runs import scored_run, stored

from bench.experiment import settings_from
from bench.plan import make_labs
from bench.report import read_report

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


def test_data_that_changed_since_have_no_passport(tmp_path):
    store = stored(tmp_path, scored_run(dataset="synthetic-clinical"))
    store.save_settings(settings_from(GIVEN).kept())
    text = Page(read_report(store)).text
    assert "The passport cannot be computed here:" in text
    assert "records, by split" in text


def test_settings_whose_data_are_gone_say_so(tmp_path):
    store = stored(tmp_path, scored_run())
    store.save_settings({"dataset": ["nowhere"]})
    assert "The passport cannot be computed here: unknown dataset 'nowhere'" in Page(read_report(store)).text


def test_what_a_run_was_told_and_how_to_repeat_it_is_in_the_page_but_no_path(store):
    text = Page(read_report(store)).text
    assert "bench verify ." in text
    assert "bench run --config settings/" in text
    assert str(store.root) not in text

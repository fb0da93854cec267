import re
from itertools import pairwise

import matplotlib
import pytest
from boards import SHIFTED, cell, extraction, floors, leakage, membership, memory, undefended_by_loss
from reading import Page
from runs import full_run, report_of, scored_run, stored

from bench.errors import InputError
from bench.report import read_report
from bench.report.prose import listed
from bench.store import Store

HOSTILE = "<script>alert(1)</script>"
SECTIONS = (
    "What is kept, and what leaks",
    "Leaderboard",
    "Who can tell members",
    "What is memorized",
    "What can be extracted",
    "Privacy budget",
    "What it costs",
    "Data passport",
    "Controls",
    "How to recompute",
)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return report_of(tmp_path_factory.mktemp("full"), full_run())


@pytest.fixture(scope="module")
def scored_page(tmp_path_factory):
    return report_of(tmp_path_factory.mktemp("scored"), scored_run())


def test_every_section_is_there_and_every_defense_in_it(page):
    read = Page(page)
    for heading in SECTIONS:
        assert heading in read.text, heading
    for spec in ("base", "reference", "none", "mine", "dp-sgd:epsilon=4"):
        assert spec in read.text


def test_the_page_is_well_formed_its_names_unique_and_its_links_met(page, scored_page):
    for text in (page, scored_page):
        read = Page(text)
        names = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
        assert len(names) == len(set(names))
        anchors = [link["href"] for link in read.of("a")]
        assert {anchor[1:] for anchor in anchors if anchor.startswith("#")} <= set(names)
        for attributes in (attributes for _, attributes in read.elements):
            for name in ("aria-labelledby", "aria-describedby"):
                assert attributes.get(name, names[0]) in names


def test_headings_never_skip_a_level(page):
    levels = [int(tag[1]) for tag, _ in Page(page).elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_nothing_is_loaded_from_anywhere(page):
    read = Page(page)
    assert not any("src" in attributes or "xlink:href" in attributes for _, attributes in read.elements)
    for tag, attributes in read.elements:
        if "href" in attributes:
            assert attributes["href"].startswith("#"), (tag, attributes["href"])
    assert not re.search(r"url\((?!#)", page)


def test_equal_cells_give_equal_bytes(page, tmp_path):
    assert report_of(tmp_path, full_run()) == page


def test_no_name_becomes_markup(tmp_path):
    memorized = memory(1.0) | {"by_label": {HOSTILE: memory(1.0)["by_label"]["person"]}}
    extracted = extraction(0.5, 0.25, 0.0)
    extracted["extraction"]["by_label"] = {HOSTILE: extracted["extraction"]["by_label"]["person"]}
    extracted["refused"] = dict.fromkeys(extracted["refused"], HOSTILE)
    places = {"dataset": HOSTILE, "model": HOSTILE + "2"}
    cells = [one.model_copy(update=places) for one in floors()]
    cells += [cell(HOSTILE, 3.0, membership(0.7), attack="tra", memorization=memorized, **places)]
    cells += [cell(HOSTILE, 3.0, extracted, attack="extraction", **places)]
    page = report_of(tmp_path, cells)
    assert len(Page(page).of("script")) == 1
    assert not re.search(r"<script>alert", page)
    assert page.count("&lt;script&gt;alert(1)") > 20


@pytest.mark.filterwarnings("error")
def test_names_of_any_characters_are_drawn(tmp_path):
    odd = "数据\x01 $x$ {} % \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")
    cells = [cell(odd, 3.0, membership(0.7), attack=attack) for attack in ("loss", "tra")]
    page = report_of(tmp_path, [*floors(), undefended_by_loss(), *cells])
    assert "数据\ufffd $x$ {} % 😀" in page


def test_the_style_of_the_user_changes_no_byte(page, tmp_path):
    with matplotlib.rc_context({"lines.linewidth": 9.0, "font.size": 30.0, "axes.grid": True}):
        assert report_of(tmp_path, full_run()) == page


def test_refused_figures_say_what_they_need(page):
    text = Page(page).text
    for needs in ("needs &gt;= 100 non-members", "needs &gt;= 1000 non-members", "needs &gt;= 20 spans"):
        assert f"n/a ({needs})".replace("&gt;", ">") in text
    assert not re.search(r"\bNone\b|\bnan\b|\binf\b", text)


def test_a_defense_without_a_gain_or_a_leak_is_named_under_the_plot(tmp_path):
    cells = [cell("base", 6.0), cell("reference", 4.0), cell("mine", 3.0, membership(0.75))]
    text = Page(report_of(tmp_path, cells)).text
    assert "Not drawn: base, reference and mine; no gain kept: needs an undefended run" in text
    assert "there is no frontier: n/a" in text


def test_a_leak_without_an_interval_is_said_to_be_perhaps_chance(tmp_path, page):
    unsure = membership(0.75, leakage=leakage(0.5) | {"evaluation_ci": None})
    text = Page(report_of(tmp_path, [*floors(), undefended_by_loss(), cell("mine", 3.0, unsure)])).text
    assert "No interval of the leak, for want of people, so that it may be chance: mine." in text
    assert "No interval of the leak" not in Page(page).text


def test_the_head_says_what_speaks_against_who_is_on_the_frontier(tmp_path):
    unsure = membership(0.55, leakage=leakage(0.1) | {"evaluation_ci": None})
    cells = [*floors(), undefended_by_loss(), cell("mine", 5.0, unsure)]
    head = head_of(tmp_path, cells)
    assert "mine predicts the holdout worse than the reference does" in head
    assert "10\u00a0% (no interval: may be chance) leaked" in head
    assert re.search(r"least leaks from mine, 25\u00a0% \(2\d to 2\d\) kept", head)


def test_the_head_names_who_cannot_be_told_apart_from_the_best(tmp_path):
    same = [one.model_copy(update={"defense": "twin", "spec": "twin"}) for one in scored_run()[4:6]]
    head = head_of(tmp_path, scored_run() + same)
    assert re.search("Not to be told apart from [a-z:=0-9.]+ in the (gain kept|leak): ", head)


def head_of(folder, cells):
    """What stands above the sections, without markup."""
    page = report_of(folder, cells)
    return re.sub("<[^>]*>", "", page[page.index("<body") : page.index("<main")])


def test_nobody_is_not_called_by_the_name_of_undefended_fine_tuning():
    assert listed([]) == "no defense"


def test_a_shift_of_distribution_stands_on_top(tmp_path):
    shifted = scored_run()[0].blind.model_copy(update=SHIFTED | {"auc_ci": tuple(SHIFTED["auc_ci"])})
    cells = scored_run(blind=shifted)
    page = report_of(tmp_path, cells)
    alarm = page.index("text alone tells members from non-members")
    assert alarm < page.index("<main")
    assert 'class="alarm"' in page[:alarm]
    assert "alarm" not in report_of(tmp_path / "sound", scored_run()).partition("<body>")[2]


def test_the_controls_say_that_the_blind_one_is_as_it_should_be(scored_page):
    text = Page(scored_page).text
    assert "The blind control has an AUC of 0.50 (0.40 to 0.60): as it should be." in text
    assert "On the base model, 2 of 2 intervals hold 0.5" in text


def test_a_blind_control_without_an_interval_vouches_for_nothing(tmp_path):
    unsure = scored_run()[0].blind.model_copy(update={"auc_ci": None})
    text = Page(report_of(tmp_path, scored_run(blind=unsure))).text
    assert "no interval for want of people, so that nothing vouches for the split" in text
    assert "as it should be" not in text


def test_an_alarm_is_of_the_group_that_it_is_about(tmp_path):
    shifted = scored_run()[0].blind.model_copy(update=SHIFTED | {"auc_ci": tuple(SHIFTED["auc_ci"])})
    full = scored_run()[0].setting.model_copy(update={"protocol": "full"})
    head = head_of(tmp_path, scored_run() + scored_run(setting=full, blind=shifted))
    assert "protocol full: distribution-shift" in head
    assert head.count("distribution-shift") == 1


def test_one_training_is_compared_with_nothing(tmp_path):
    free = {"train_seconds": 0.0, "peak_memory_mb": 0.0, "trainings": 0}
    cells = [one.model_copy(update={"cost": one.cost.model_copy(update=free)}) for one in floors()[:2]]
    text = Page(report_of(tmp_path, [*cells, undefended_by_loss()])).text
    assert "none was trained alone." in text
    assert "times as long" not in text


def test_memorization_that_was_not_measured_is_not_the_most(tmp_path):
    lacking = memory(-1.0) | {"tra_pii": None, "tra_pii_ci": None}
    cells = [*floors()[:2], cell("none", 3.0, best_nll=2.0, attack="tra", memorization=lacking)]
    cells += [cell("mine", 3.0, attack="tra", memorization=memory(-0.5))]
    text = Page(report_of(tmp_path, cells)).text
    assert re.search("mine holds most, .0.50 nats a token", text)


def test_the_box_of_commands_has_a_name(page):
    (box,) = Page(page).of("pre")
    assert (box["role"], box["aria-label"]) == ("region", "Commands")


def test_groups_stand_apart_each_with_all_of_its_sections(tmp_path):
    full = [one.setting.model_copy(update={"protocol": "full"}) for one in scored_run()[:1]]
    cells = scored_run() + scored_run(setting=full[0]) + scored_run(dataset="other")
    page = report_of(tmp_path, cells)
    headings = re.findall(r"<h2 id=[^>]*>([^<]*)", page)
    assert headings == [
        "notes · tiny · full fine-tuning · protocol half",
        "notes · tiny · full fine-tuning · protocol full",
        "other · tiny · full fine-tuning · protocol half",
        "What the words mean",
        "How to recompute",
    ]
    assert page.count(">Who can tell members</h3>") == 3
    assert 'aria-label="Contents"' in page


def test_the_level_of_the_frontier_is_the_one_asked_for(tmp_path):
    store = stored(tmp_path, scored_run())
    assert (
        "against an adversary who has the complementary half" in Page(read_report(store, "complement")).text
    )
    assert "against an adversary who has records of its own" in Page(read_report(store)).text


def test_an_empty_folder_and_a_broken_cell_are_told_in_one_line(tmp_path):
    with pytest.raises(InputError, match="holds no results"):
        read_report(Store(tmp_path))
    (tmp_path / "cells").mkdir()
    (tmp_path / "cells/x.json").write_text('{"schema": "trap-bench-cell/3"}')
    with pytest.raises(InputError, match=r"cell .*x\.json: .*delete it and run again"):
        read_report(Store(tmp_path))

import re

from bench.pages import as_table

HOSTILE = "<script>alert(1)</script>"
HEADINGS = ["defense", "leak", "kind"]
LINES = [
    ["trap", "12 % (0-32)", "ours"],
    ["none", "100 % (76-100)", "plain"],
    ["dropout", "n/a (needs >= 40 people)", "plain"],
    ["dp-sgd", "-3.5 %", "ours"],
]


def test_a_column_whose_figures_begin_with_numbers_is_sorted_by_them_and_what_has_none_comes_last():
    table = as_table("t", "Leaks", HEADINGS, LINES)
    assert re.findall(r'data-order="([^"]*)"', table) == ["12", "100", "", "-3.5"]


def test_a_column_of_words_has_no_numbers():
    assert "data-order" not in as_table("t", "Names", ["defense", "of"], [["1st", "all"], ["b", "2"]])


def test_every_table_has_a_caption_headings_for_lines_and_columns_and_a_box_that_can_be_focused():
    table = as_table("t", "Leaks", HEADINGS, LINES)
    assert "<caption>Leaks</caption>" in table
    assert table.count('scope="col"') == 3
    assert table.count('scope="row"') == 4
    assert re.search(r'role="region" aria-label="Leaks" tabindex="0"', table)


def test_lines_are_chosen_by_the_values_of_a_column():
    table = as_table("t", "Leaks", HEADINGS, LINES, filters=["kind"], search=True)
    assert re.findall(r"<option[^>]*>([^<]*)", table) == ["all", "ours", "plain"]
    assert 'data-filter="2"' in table
    assert 'type="search"' in table
    assert 'aria-live="polite">4 of 4 lines' in table
    assert "<form" not in as_table("t", "Leaks", HEADINGS, LINES)


def test_all_that_is_put_into_a_table_is_escaped():
    lines = [[HOSTILE, HOSTILE, HOSTILE]]
    table = as_table("t", HOSTILE, [HOSTILE, "b", "c"], lines, filters=[HOSTILE])
    assert HOSTILE not in table

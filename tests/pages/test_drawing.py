import re
from xml.etree import ElementTree

import pytest

from bench.pages import FAINT, INK, MARKERS, PAPER, SERIES, as_svg, new_figure

TIP = 'half <of> "it" & more'


def drawn(title="Title", tips=None, log=False, text="label"):
    figure = new_figure(500, 400)
    axes = figure.subplots()
    for place, (colour, marker) in enumerate(zip(SERIES, MARKERS, strict=True)):
        axes.plot([place], [place + 1], color=colour, marker=marker, linestyle="none", gid=f"m{place}")
    axes.plot([0, 3], [1, 2], color=INK, gid="line")
    axes.axhline(1.5, color=FAINT)
    axes.fill_between([0, 1], [1, 1], [2, 2], color=PAPER)
    axes.text(2, 2, text)
    if log:
        axes.set_yscale("log")
    return as_svg(figure, title, "What it shows", {"m0": TIP, "line": "a line"} if tips is None else tips)


def test_equal_figures_give_equal_bytes():
    assert drawn() == drawn()


def test_no_colour_and_no_style_is_left_so_that_the_page_decides_on_both():
    svg = drawn()
    assert "style" not in svg
    paints = {paint for _, paint in re.findall(r'\b(fill|stroke)="([^"]*)"', svg)}
    assert paints == {"none"}
    for name in ("ink", "faint", "paper", "grid", *(f"series-{place}" for place in range(1, 9))):
        assert re.search(rf"\b(fill|stroke)-{name}\b", svg), name


def test_a_mark_says_what_it_is_when_hovered_focused_or_read_out():
    root = ElementTree.fromstring(drawn())
    marks = {mark.get("data-tip"): mark for mark in root.iter("g") if mark.get("class") == "mark"}
    assert set(marks) == {TIP, "a line"}
    for tip, mark in marks.items():
        assert mark.get("tabindex") == "0"
        assert mark.get("role") == "img"
        assert mark.get("aria-label") == tip
        assert mark.find("title").text == tip
        assert any(part.get("class") == "near" for part in mark)


def test_the_drawing_has_a_name_and_a_description():
    root = ElementTree.fromstring(drawn("Of <names>"))
    assert root.get("aria-label") == "Of <names>"
    assert root.find("desc").get("id") == root.get("aria-describedby")
    assert root.find("desc").text == "What it shows"


def test_names_are_unique_among_drawings_and_all_references_are_met():
    svg = drawn("One") + drawn("Two")
    ids = re.findall(r'\bid="([^"]*)"', svg)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"#([\w.-]+)", svg)) <= set(ids)


def test_a_tip_for_no_mark_is_refused():
    with pytest.raises(ValueError, match="no artist of the figure has the gid 'm9'"):
        drawn(tips={"m9": "nothing"})


@pytest.mark.parametrize("text", ["costs $1 or $2", "<script>alert(1)</script>", "ε ≥ 8"])
def test_text_stays_text(text):
    root = ElementTree.fromstring(drawn(text=text, log=True))
    written = [element.text for element in root.iter("text")]
    assert text in written
    assert not any("mathdefault" in one for one in written)

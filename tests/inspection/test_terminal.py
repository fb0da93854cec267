"""In a terminal one token stands in one column, with colours and without."""

import io
import re

import pytest
from hostile import HOSTILE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from bench.inspection.alignment import AHEAD, BEHIND, bar
from bench.inspection.terminal import show

PIECES = [" Anna", " lives", " in", " 患者", "↵", " x"]
SPANS = [(0, 1, "person"), (3, 4, "a long label")]
ADVANTAGES = {"none": [3.2, 0.1, -1.2, 2.0, float("nan"), -9], "trap:strength=2": [0.0] * 6}


def printed(view, width=80, **options):
    file = io.StringIO()
    show(view, Console(file=file, width=width, highlight=False, **options))
    return file.getvalue()


@pytest.mark.parametrize("show_text", [True, False])
def test_a_token_stands_in_one_column_whatever_the_model(drawn, show_text):
    lines = printed(drawn(PIECES, ADVANTAGES, SPANS, show_text=show_text)).splitlines()
    head = next(n for n, line in enumerate(lines) if line.startswith(("text ", "tokens ")))
    tokens, none, trap = lines[head : head + 3]
    assert cell_len(tokens.rstrip()) == len(none) == len(trap)
    # Of each token the first column is a gap where there are several.
    assert [n for n, c in enumerate(none[16:]) if c == " "] == [
        n for n, c in enumerate(trap[16:]) if c == " "
    ]
    assert "████" in none
    assert "---" in none or "--" in none
    assert "?" in none
    assert set(trap[16:]) == {" ", "·"}


def test_spans_are_outlined_beneath_their_labels(drawn):
    lines = printed(drawn(PIECES, ADVANTAGES, SPANS)).splitlines()
    outline = next(n for n, line in enumerate(lines) if "┌" in line)
    start, end = lines[outline].index("┌"), lines[outline].index("┐")
    assert lines[outline - 1][start:].startswith("person")
    assert lines[outline + 1][start : end + 1] == " Anna"
    assert "a long label" in lines[outline - 1]


def test_bars_rise_with_what_is_known_and_differ_without_colours():
    heights = [bar(step / 2)[0] for step in range(7)]
    assert heights == list(AHEAD)
    assert len(set(AHEAD)) == 7
    assert not set(AHEAD[1:]) & set(BEHIND)
    assert bar(50.0) == bar(3.0)
    assert bar(-50.0) == bar(-3.0)


def test_what_is_piped_holds_no_escape_and_no_colour(drawn, seen, found):
    for view in (drawn(PIECES, ADVANTAGES, SPANS), seen(next(iter(found[0].places)), show_text=True)):
        assert "\x1b" not in printed(view)


def test_a_record_can_do_nothing_to_a_terminal(seen, found):
    record = next(iter(found[0].places))
    shown = printed(seen(record, show_text=True), 300, force_terminal=True, color_system="truecolor")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert shown != plain
    assert "\x1b" not in plain
    assert "\u202e" not in shown
    assert "<script>alert(1)</script>" in plain
    assert "\\x1b[2J\\u202e" in plain


def test_hidden_text_is_not_printed(seen, found):
    blank = set(re.findall(r"\w+", printed(seen(next(iter(found[0].places))), 40)))
    panel, workshop = found
    for record, (split, place) in panel.places.items():
        text = workshop.corpora.tokens(panel.lab, split)[place].text
        shown = printed(seen(record))
        labels = {one.label for one in seen(record).stretches}
        words = set(re.findall(r"\w{4,}", text)) - labels - blank
        assert not [word for word in words if re.search(rf"\b{word}\b", shown)]
        assert HOSTILE[:8] not in shown


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(
    pieces=st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=30),
    width=st.integers(30, 120),
    show_text=st.booleans(),
)
def test_no_line_is_wider_than_the_terminal(drawn, pieces, width, show_text):
    advantages = {"none": [1.0] * len(pieces), "a-defense:with=many,parameters=set": [0.0] * len(pieces)}
    spans = [(0, len(pieces) // 2, "label of a span")] if len(pieces) > 1 else []
    shown = printed(drawn(pieces, advantages, spans, show_text=show_text), width)
    assert all(cell_len(line) <= width for line in shown.splitlines())

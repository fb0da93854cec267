"""Text of records can do nothing to a terminal."""

import doctest
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from bench.inspection import layout, scale
from bench.inspection import visible as visible_text
from bench.inspection.layout import chunks, within
from bench.inspection.view import Stretch
from bench.inspection.visible import visible


@given(st.text())
def test_nothing_that_acts_or_hides_is_left_in_a_text(text):
    shown = visible(text)
    acting = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
    assert not [c for c in shown if unicodedata.category(c) in acting]
    assert {c for c in shown if unicodedata.category(c) == "Zs"} <= {" "}
    assert len(shown.splitlines()) <= 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb\u2066", "a\\u202eb\\u2066"),
        ("\ud800", "\\ud800"),
        ("one\r\ntwo\t", "one␍↵two⇥"),
        ("\u0301a", "◌\u0301a"),
        ("a\u0301", "a\u0301"),
        ("[bold]患者[/]", "[bold]患者[/]"),
    ],
)
def test_what_has_no_glyph_is_written_out(text, shown):
    assert visible(text) == shown


def test_a_mark_that_stands_alone_takes_a_column():
    assert cell_len(visible("\u0301")) == 1


WIDTHS = st.lists(st.integers(1, 9), min_size=1, max_size=60)


@given(WIDTHS, st.integers(4, 40), st.data())
def test_lines_hold_every_token_once_and_cut_no_span_that_fits(widths, room, data):
    ends = sorted({0, len(widths), *data.draw(st.lists(st.integers(0, len(widths)), max_size=6))})
    named = [None if data.draw(st.booleans()) else "person" for _ in ends[1:]]
    stretches = [Stretch(a, b, label) for a, b, label in zip(ends, ends[1:], named, strict=False)]
    found = chunks(widths, stretches, room)
    assert [token for chunk in found for token in chunk] == list(range(len(widths)))
    for chunk in found:
        assert len(chunk) == 1 or sum(widths[token] for token in chunk) <= room
        parts = within(stretches, chunk)
        assert [t for part in parts for t in range(part.start, part.end)] == list(chunk)
    for one in stretches:
        if one.label is not None and sum(widths[one.start : one.end]) <= room:
            assert any(one.start in chunk and one.end - 1 in chunk for chunk in found)


@pytest.mark.parametrize("module", [layout, scale, visible_text])
def test_the_examples_hold(module):
    results = doctest.testmod(module)
    assert results.attempted
    assert not results.failed

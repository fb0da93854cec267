import pytest
from boards import cell
from hypothesis import given
from hypothesis import strategies as st

from bench.pages import SERIES
from bench.report.marks import marks_of, shortened


def test_each_defense_has_a_look_of_its_own_whatever_its_parameters():
    cells = [cell(name, 3.0) for name in ("base", "reference", "none", *(f"d{place}" for place in range(20)))]
    cells.append(cell("d0", 3.0, params={"strength": 2.0}, spec="d0:strength=2"))
    marks = marks_of(cells)
    assert len(marks) == 23
    assert len(set(marks.values())) == 23
    assert marks["none"].colour == SERIES[-1]
    assert all(mark.colour != SERIES[-1] for name, mark in marks.items() if name != "none")


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("trap:strength=2", 15, "trap:strength=2"),
        ("a-long-name:strength=2", 18, "a-long…:strength=2"),
        ("a-long-name:strength=2,margin=0.5", 20, "a-lon…:strength=2,m…"),
        ("a-name-without-parameters", 10, "a-name-wi…"),
    ],
)
def test_a_long_name_gives_way_before_its_parameters(text, most, shown):
    assert shortened(text, most) == shown


@given(st.text(max_size=60), st.integers(10, 40))
def test_no_label_is_longer_than_it_may_be(text, most):
    assert len(shortened(text, most)) <= most

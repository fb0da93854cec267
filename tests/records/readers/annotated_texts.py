"""What the tests of the readers share: hard texts with spans, the real corpora, what a refusal must be."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from bench.errors import InputError
from bench.records.record import Record, Span

CORPORA = Path(__file__).parents[3].parent / "shared" / "data"
needs_corpora = pytest.mark.skipif(
    not CORPORA.is_dir(), reason="the real corpora (../shared/data) are missing"
)

# In every faulty file of these tests this is the text, or a piece of it, that no message may show.
SECRET = "Zebediah"

# Not timed: the very first draw builds a table of all of Unicode, and each example writes a file.
round_trip = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])

labels = st.from_regex(r"[A-Z][A-Z_]{0,8}", fullmatch=True)
hard_pieces = st.sampled_from(
    [
        "\ufeff",
        "\r\n",
        "\n",
        "\r",
        "\t",
        " ",
        "\u2028",
        "\x85",
        "\x00",
        "e\u0301",
        "👩\u200d👩\u200d👧",
        "🇪🇸",
        '"',
        ",",
    ]
)
hard_texts = st.lists(st.one_of(hard_pieces, st.text(max_size=8)), min_size=1).map("".join)


@st.composite
def annotated_texts(draw: st.DrawFn) -> tuple[str, tuple[Span, ...]]:
    """Any text that UTF-8 can hold, with any spans that do not overlap (they may touch)."""
    text = draw(hard_texts.filter(bool))
    borders = sorted(draw(st.sets(st.integers(0, len(text)), max_size=12)))
    pieces = pairwise(borders)
    return text, tuple(Span(a, b, draw(labels)) for a, b in pieces if draw(st.booleans()))


def refusal(read: Callable[[Path], list[Record]], path: Path) -> str:
    """The message with which `read` refuses `path`: one line that names the file, without its text."""
    with pytest.raises(InputError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert len(message.splitlines()) == 1
    assert SECRET not in message
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return message

"""Where a line of tokens ends: before a span that would be cut, wherever a line can hold it whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.inspection.view import Stretch


def chunks(widths: Sequence[int], stretches: Sequence[Stretch], room: int) -> list[range]:
    """Successive ranges of tokens, each as wide as there is room for, or one token that is wider.

    widths: (T,) columns of each token; room: columns of a line.

    >>> chunks([3, 3, 3, 3], [Stretch(0, 2, None), Stretch(2, 4, "person")], 9)
    [range(0, 2), range(2, 4)]
    """
    found: list[range] = []
    taken = 0
    for start, end in _unbroken(widths, stretches, room):
        width = sum(widths[start:end])
        if found and taken + width <= room:
            found[-1], taken = range(found[-1].start, end), taken + width
        else:
            found.append(range(start, end))
            taken = width
    return found


def _unbroken(widths: Sequence[int], stretches: Sequence[Stretch], room: int) -> Iterator[tuple[int, int]]:
    """Spans that fit on a line, and all other tokens one by one."""
    for stretch in stretches:
        if stretch.label is not None and sum(widths[stretch.start : stretch.end]) <= room:
            yield stretch.start, stretch.end
        else:
            yield from ((token, token + 1) for token in range(stretch.start, stretch.end))


def within(stretches: Sequence[Stretch], chunk: range) -> list[Stretch]:
    """The parts of stretches that lie in a chunk."""
    return [
        Stretch(max(one.start, chunk.start), min(one.end, chunk.stop), one.label)
        for one in stretches
        if one.start < chunk.stop and one.end > chunk.start
    ]

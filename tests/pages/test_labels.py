import itertools

from hypothesis import example, given, settings
from hypothesis import strategies as st
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from bench.pages import new_figure
from bench.pages.labels import Label, place_labels

SHARE = st.floats(0, 1)


@settings(max_examples=25, deadline=None)
@example([(1.0, 1.0)] * 8)
@given(st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=8))
def test_no_label_stands_over_another_or_outside(points):
    figure = new_figure(700, 500)
    axes = figure.subplots()
    axes.set_xlim(-0.1, 1.1)
    axes.set_ylim(-0.1, 1.1)
    place_labels(axes, [Label(x, y, f"defense:strength={k}") for k, (x, y) in enumerate(points)])
    written = [text for text in axes.texts if isinstance(text, Annotation)]
    assert len(written) == len(points)
    figure.draw_without_rendering()
    # The text's own box: an annotation's extent holds its line as well.
    boxes = [Text.get_window_extent(text) for text in written]
    for one, other in itertools.combinations(boxes, 2):
        shared = Bbox.intersection(one, other)
        assert shared is None or shared.width * shared.height < 1
    inside = axes.get_window_extent()
    assert all(inside.x0 - 1 <= box.x0 and box.x1 <= inside.x1 + 1 for box in boxes)

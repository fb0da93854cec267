"""A small run on records that would do harm in a page or a terminal, and views made by hand."""

import itertools

import numpy as np
import pytest
from hostile import SETTINGS, write


@pytest.fixture(scope="session")
def letters(tmp_path_factory):
    """What settings name a dataset of forty records by."""
    return write(tmp_path_factory.mktemp("letters"))


@pytest.fixture(scope="session")
def run(letters, tmp_path_factory):
    """The folder of a run on them; leave it as it is."""
    import bench

    out = tmp_path_factory.mktemp("inspected")
    bench.run(**letters, **SETTINGS, out=out)
    return out


@pytest.fixture(scope="session")
def found(run):
    """The one panel of the run, and a workshop that reads it."""
    from bench.inspection.panels import panels
    from bench.store import Store
    from bench.workshop import Workshop

    (panel,) = panels(Store(run), [])
    return panel, Workshop(Store(run))


@pytest.fixture(scope="session")
def seen(found):
    """`seen(record, show_text=False)`: a view of a record under all models."""
    from bench.inspection.reading import view_of

    panel, workshop = found

    def view(record, show_text=False):
        return view_of(panel, record, list(panel.rows), workshop, show_text)

    return view


@pytest.fixture(scope="session")
def drawn():
    """`drawn(pieces, advantages, spans=[(0, 2, "person")])`: a view made by hand, its text shown."""
    from bench.inspection.reading import figures_of
    from bench.inspection.view import Line, Stretch, View
    from bench.inspection.visible import visible

    def view(pieces, advantages, spans=(), *, show_text=True):
        ends = sorted({0, len(pieces), *(end for span in spans for end in span[:2])})
        labels = {start: label for start, _, label in spans}
        stretches = [Stretch(a, b, labels.get(a)) for a, b in itertools.pairwise(ends)]
        personal = np.array([any(a <= t < b for a, b, _ in spans) for t in range(len(pieces))], bool)
        lines = [
            Line(name, np.array(row, float), figures_of(np.array(row, float), personal, None))
            for name, row in advantages.items()
        ]
        return View(
            record="r1",
            title="letters",
            member=True,
            lengths=np.array([len(piece) for piece in pieces], np.int64),
            pieces=tuple(map(visible, pieces)) if show_text else None,
            personal=personal,
            stretches=tuple(stretches),
            spans=len(spans),
            lost_spans=0,
            lines=tuple(lines),
            missing=(),
        )

    return view

"""Pages for people: one self-contained HTML file, with drawings and tables that need no network."""

from bench.pages.drawing import FAINT, INK, MARKERS, PAPER, SERIES, as_svg, new_figure
from bench.pages.page import Section, as_page
from bench.pages.tables import as_table

__all__ = [
    "FAINT",
    "INK",
    "MARKERS",
    "PAPER",
    "SERIES",
    "Section",
    "as_page",
    "as_svg",
    "as_table",
    "new_figure",
]

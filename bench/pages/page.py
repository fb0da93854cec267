"""One page: a title, a lead, sections, and a table of contents, in one file that loads nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from bench.pages.templates import render

FOLDER = Path(__file__).parent
LEAST_LISTED = 3
"""Fewer sections than this need no table of contents."""


@dataclass(frozen=True)
class Section:
    """A part of a page.

    Attributes:
        name: its anchor, unique on the page: letters, digits and hyphens.
        heading: plain text.
        body: its content.
        parts: sections within it, one level deeper, after its body.
    """

    name: str
    heading: str
    body: Markup
    parts: tuple[Section, ...] = ()


def as_page(title: str, lead: Markup, sections: Sequence[Section]) -> str:
    """The whole HTML file, style and script included; its policy forbids to load anything.

    Raises:
        ValueError: two sections have the same name.
    """
    names = [section.name for outer in sections for section in (outer, *outer.parts)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"sections of one name: {', '.join(twice)}")
    style, script = ((FOLDER / name).read_text(encoding="utf-8") for name in ("style.css", "script.js"))
    return str(
        render(
            FOLDER / "page.html",
            title=title,
            lead=lead,
            sections=sections,
            listed=len(names) >= LEAST_LISTED,
            style=Markup(style),
            script=Markup(script),
            policy=policy(style, script),
        )
    )


def policy(style: str, script: str = "") -> str:
    """What a page may load: nothing but the style and the script, if any, that stand in it, named by hash."""
    run = f"script-src {_source(script)}; " if script else ""
    return f"default-src 'none'; style-src {_source(style)}; {run}base-uri 'none'; form-action 'none'"


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

"""The templates of pages, rendered with everything escaped that is not markup already."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup


@cache
def _environment(folder: Path) -> Environment:
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )


def render(template: Path, **values: Any) -> Markup:
    """A template's file with its values put in; what is not `Markup` is escaped."""
    return Markup(_environment(template.parent).get_template(template.name).render(values))

"""The pieces that sections are written in; every value that is put into them is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from bench.attack import Knowledge
from bench.tables import percent

HAS: dict[Knowledge, str] = {
    "target": "has the fine-tuned model's token probabilities and a record's text",
    "base": "has the base model as well",
    "population": "has records of its own from the same distribution as well",
    "complement": "has the complementary half of the records as well",
}
"""What an adversary of each level knows."""

Ends = tuple[float, float]


def paragraph(text: str, *values: object, kind: str = "") -> Markup:
    """A paragraph; `{}` in its text is replaced by the values, which are escaped unless they are markup."""
    opened = Markup('<p class="{}">').format(kind) if kind else Markup("<p>")
    return opened + Markup(text).format(*values) + Markup("</p>\n")


def reading(text: str, page: str, part: str) -> Markup:
    """How a picture is read, in one line, and the page that says more."""
    # No link: where the file lies says nothing about where the documentation does.
    return paragraph("{} More in docs/{}, “{}”.", text, page, part, kind="note")


def listed(names: Iterable[str], none: str = "no defense") -> str:
    """`a, b and c`; without any not the word `none`, which is undefended fine-tuning's name."""
    *rest, last = list(names) or [none]
    return f"{', '.join(rest)} and {last}" if rest else last


def bullets(lines: Iterable[str | Markup]) -> Markup:
    """A list, nothing where there is nothing to list."""
    items = Markup("").join(Markup("<li>{}</li>\n").format(line) for line in lines)
    return Markup("<ul>\n{}</ul>\n").format(items) if items else Markup("")


def facts(named: Iterable[tuple[str, object]]) -> Markup:
    """Names and what they are."""
    items = Markup("").join(Markup("<dt>{}</dt><dd>{}</dd>\n").format(*one) for one in named)
    return Markup('<dl class="facts">\n{}</dl>\n').format(items)


def figure(panels: Sequence[tuple[str, Markup]], caption: str | Markup, kind: str = "") -> Markup:
    """Drawings side by side where there is room, each under its title, and what they show."""
    drawn = Markup("").join(
        Markup('<div class="panel">{}{}</div>\n').format(
            Markup('<p class="title">{}</p>').format(title) if title else "", svg
        )
        for title, svg in panels
    )
    shown = Markup('<div class="panels {}">\n{}</div>\n').format(kind, drawn)
    return Markup("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n").format(shown, caption)


def span(value: float, ends: Ends | None, digits: int = 0) -> str:
    """A share as a percentage, with its interval where there is one."""
    shown = percent(value, digits).replace(" %", "\u00a0%")
    return shown if ends is None else f"{shown} ({between(ends, 100, digits)})"


def between(ends: Ends, scale: float = 1, digits: int = 2) -> str:
    """Both ends of an interval."""
    low, high = (round(scale * end, digits) + 0.0 for end in ends)
    return f"{low:.{digits}f} to {high:.{digits}f}"

"""Text of records and names from outside, made safe to print: nothing in it can act on a terminal."""

from __future__ import annotations

import unicodedata

SHOWN = {"\n": "↵", "\t": "⇥", "\r": "␍"}

UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"}
"""Unicode categories of what has no glyph of its own: controls, formats such as bidi overrides, unassigned
and private characters, surrogates, separators."""


def visible(text: str) -> str:
    """The text on one line, every character without a glyph written out; plain spaces stay.

    A combining mark at the beginning stands on a dotted circle, or it would stand on what is before.

    >>> visible("one\\ttwo\\x1b[2J\\u202eeno")
    'one⇥two\\\\x1b[2J\\\\u202eeno'
    """
    shown = "".join(map(_visible, text))
    return f"◌{shown}" if text and unicodedata.category(text[0]) in {"Mn", "Me"} else shown


def _visible(character: str) -> str:
    if character == " ":
        return character
    if unicodedata.category(character) not in UNSEEN:
        return character
    return SHOWN.get(character) or character.encode("unicode_escape").decode("ascii")

"""Writes a record from sentence templates, noting where each identifier lands as it is written."""

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random

from bench.records.record import Record, Span

SLOT = re.compile(r"\{([^{}]+)\}")
IDENTIFIER = re.compile(r"([A-Z_]+)(\.first|\.last)?")
RANGE = re.compile(r"(\d+)-(\d+)")
SHORTEST, LONGEST = 350, 650


class Composer:
    """One text in the making, and the spans of the identifiers in it.

    A template holds slots in braces:

    * `{TOWN}`: the identifier of that label, written as a span;
    * `{STUDENT.last}`: a part of a person's name, or all of it where the person was not named before;
    * `{3-9}`: a whole number; `{tired|cold}`: one of these; `{relative}`: a word from the pool of
      that name, the same one throughout the text.
    """

    def __init__(
        self, rng: Random, identifiers: Mapping[str, str], pools: Mapping[str, Sequence[str]]
    ) -> None:
        self.rng = rng
        self.identifiers = identifiers
        self.pools = pools
        self.text = ""
        self.spans: list[Span] = []
        self._named: set[str] = set()
        self._words: dict[str, str] = {}

    def write(self, text: str) -> None:
        """Append plain text."""
        self.text += text

    def identify(self, value: str, label: str) -> None:
        """Append an identifier, and a span that covers exactly it."""
        start = len(self.text)
        self.write(value)
        self.spans.append(Span(start, len(self.text), label))
        self._named.add(label)

    def fill(self, template: str) -> None:
        """Append a template, each slot filled.

        Raises:
            KeyError: a slot names no identifier and no pool.
        """
        for i, piece in enumerate(SLOT.split(template)):
            if i % 2 == 0:
                self.write(piece)
            elif match := IDENTIFIER.fullmatch(piece):
                label = match[1]
                self.identify(self.identifiers[piece if label in self._named else label], label)
            else:
                self.write(self._word(piece))

    def arrange(self, layout: Sequence[Sequence[str]], parts: Mapping[str, Sequence[str]]) -> None:
        """Append the layout's paragraphs; each is a list of parts, and one template of each part is drawn."""
        for i, paragraph in enumerate(layout):
            self.write("\n\n" if i else "")
            for j, part in enumerate(paragraph):
                self.write(" " if j else "")
                self.fill(self.rng.choice(parts[part]))

    def _word(self, slot: str) -> str:
        if "|" in slot:
            return self.rng.choice(slot.split("|"))
        if bounds := RANGE.fullmatch(slot):
            return str(self.rng.randint(int(bounds[1]), int(bounds[2])))
        if slot not in self._words:
            self._words[slot] = self.rng.choice(self.pools[slot])
        return self._words[slot]


def draw_new(draw: Callable[[], Composer], seen: set[str]) -> Composer:
    """Draw texts until one has the families' length and no paragraph in `seen`; then add its own."""
    while True:
        draft = draw()
        paragraphs = draft.text.split("\n\n")
        if SHORTEST <= len(draft.text) <= LONGEST and seen.isdisjoint(paragraphs):
            seen.update(paragraphs)
            return draft


def number(drafts: Sequence[tuple[str, Composer]], prefix: str, rng: Random) -> list[Record]:
    """Records of `(group, draft)` pairs, shuffled first so that no id tells the group."""
    shuffled = rng.sample(drafts, len(drafts))
    return [
        Record(f"{prefix}-{i:04d}", draft.text, tuple(draft.spans), group)
        for i, (group, draft) in enumerate(shuffled, start=1)
    ]

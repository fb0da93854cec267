"""A record, its spans of personal information, and the group that it belongs to."""

from dataclasses import dataclass

from bench.errors import InputError


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """One annotated piece of personal information.

    `start` and `end` count code points of the record's text, `end` exclusive.
    """

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Record:
    """One document: an essay, a clinical case.

    Spans are sorted on construction. The group (an author, a patient) is the unit of privacy;
    a record without one is its own group.

    Raises:
        InputError: the text is empty, or a span is empty, out of range or overlaps another.
    """

    id: str
    text: str
    spans: tuple[Span, ...] = ()
    group: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "spans", tuple(sorted(self.spans)))
        if not self.text:
            raise InputError(f"record {self.id}: the text is empty")
        end = 0
        for span in self.spans:
            where = f"record {self.id}: span {span.label} {span.start}-{span.end}"
            if not 0 <= span.start < span.end <= len(self.text):
                raise InputError(
                    f"{where} does not lie within the text of {len(self.text)} characters, or is empty"
                )
            if span.start < end:
                raise InputError(f"{where} overlaps the span that ends at {end}")
            end = span.end

    @property
    def unit(self) -> str:
        """The privacy unit: the group where there is one, else the record itself."""
        return self.id if self.group is None else self.group

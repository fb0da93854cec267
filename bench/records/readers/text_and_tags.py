"""XML whose root holds one `<TEXT>` and one `<TAGS>`, parsed safely: a document type is refused unread."""

from dataclasses import dataclass, field
from typing import Final, Never
from xml.parsers import expat

from bench.errors import InputError

ENCODINGS: Final = ("utf-8", "us-ascii")


@dataclass(frozen=True, slots=True)
class Document:
    """What a file holds: its text, whole, and the attributes of each of its tags, in their order."""

    text: str
    tags: list[dict[str, str]]


def parse_document(source: str) -> Document:
    """The text and tags of an XML document.

    Raises:
        InputError: it is not XML, declares a document type, or has another shape.
    """
    reading = _Reading()
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.XmlDeclHandler = reading.declared
    parser.StartDoctypeDeclHandler = reading.refuse_document_type
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.characters
    try:
        parser.Parse(source.encode("utf-8"), True)
    except expat.ExpatError as error:
        # expat's own messages name a kind of fault, never what the file holds.
        fault = expat.ErrorString(error.code)
        raise InputError(f"line {error.lineno}: not XML that can be read: {fault}") from None
    for part in ("TEXT", "TAGS"):
        if part not in reading.seen:
            raise InputError(f"the element <{part}> is missing")
    return Document("".join(reading.pieces), reading.tags)


@dataclass(slots=True)
class _Reading:
    """What has been read so far, and the elements that are open."""

    open: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    pieces: list[str] = field(default_factory=list)
    tags: list[dict[str, str]] = field(default_factory=list)

    def declared(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.lower() not in ENCODINGS:
            raise InputError(f"the encoding must be UTF-8, not {encoding!r}")

    def refuse_document_type(self, *_: object) -> Never:
        raise InputError("a document type (<!DOCTYPE ...>) is not allowed: it may define entities")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        match self.open[1:]:
            case []:
                if self.open and name in ("TEXT", "TAGS"):
                    if name in self.seen:
                        raise InputError(f"the element <{name}> occurs twice")
                    self.seen.add(name)
            case ["TAGS"]:
                self.tags.append(attributes)
            case ["TEXT", *_] | ["TAGS", *_]:
                raise InputError(f"an element within {'<TEXT>' if self.open[1] == 'TEXT' else 'a tag'}")
        self.open.append(name)

    def end(self, _name: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        if self.open[1:] == ["TEXT"]:
            self.pieces.append(text)

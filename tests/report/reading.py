"""Reads a page as a program does: its elements, and whether they are well nested."""

from html.parser import HTMLParser

VOID = {"meta", "input", "br", "link"}


class Page(HTMLParser):
    """The elements of a page in order, each with its attributes; and the text of all."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.text, self._open = [], "", []
        self.feed(page)
        assert not self._open, f"never closed: {self._open}"

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data):
        self.text += "" if self._open[-1:] in (["style"], ["script"]) else data

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

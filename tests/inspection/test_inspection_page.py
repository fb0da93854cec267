"""The page shows what it must, loads nothing, and does nothing that a record says."""

import re
import shutil
from html.parser import HTMLParser
from importlib.util import find_spec

import pytest
from hostile import HOSTILE

from bench.inspection.digest import counted, notes
from bench.inspection.page import as_html
from bench.inspection.visible import visible

SCRIPTS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onload='alert(1)",
    "&lt;b&gt;{{ 7 * 7 }}",
]
CHROMIUM = shutil.which("chromium")


class Read(HTMLParser):
    """The elements of a page, its attributes, and its text but for the style."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text, self.heads = [], [], [], []
        self._in = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "col"):
            self._in.append((tag, dict(attrs).get("class") or ""))

    def handle_endtag(self, tag):
        self._in.pop()

    def handle_data(self, data):
        if self._in and self._in[-1][0] != "style":
            self.text.append(data)
            if any(tag == "th" and "token" in kind.split() for tag, kind in self._in):
                self.heads.append(data)

    @property
    def words(self):
        values = [value or "" for name, value in self.attributes if name != "content"]
        return set(re.findall(r"\w+", " ".join([*self.text, *values])))


def view_of(drawn, pieces, label="note", **more):
    return drawn(pieces, {"none": [1.2] * len(pieces), "trap": [-0.2] * len(pieces)}, [(0, 1, label)], **more)


@pytest.mark.parametrize("text", SCRIPTS)
@pytest.mark.parametrize("where", ["piece", "label"])
def test_what_a_record_says_is_text_and_no_element(drawn, text, where):
    plain = Read(as_html(view_of(drawn, ["x"])))
    page = Read(as_html(view_of(drawn, [text]) if where == "piece" else view_of(drawn, ["x"], text)))
    assert page.tags == plain.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in plain.attributes]
    assert text in "".join(page.text)


def test_a_whole_record_can_be_read_from_its_columns(seen, found):
    view = seen(next(iter(found[0].places)), show_text=True)
    page = Read(as_html(view))
    assert "".join(page.heads).replace("⋯", "") == "".join(view.pieces)
    assert visible(HOSTILE).strip() in "".join(page.heads).replace("⋯", "")
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert "\x1b" not in as_html(view)
    assert "\u202e" not in as_html(view)


def test_hidden_text_is_neither_in_the_page_nor_in_its_attributes(drawn, seen, found):
    panel, workshop = found
    known = Read(as_html(view_of(drawn, ["x"], show_text=False))).words
    for record, (split, place) in panel.places.items():
        text = workshop.corpora.tokens(panel.lab, split)[place].text
        view = seen(record)
        page = Read(as_html(view))
        labels = {one.label for one in view.stretches}
        said = set(re.findall(r"\w+", f"{notes(view)} {view.title} {counted(view)}"))
        words = {word for word in re.findall(r"\w{4,}", text) if not word.isdigit()}
        assert words & page.words <= known | labels | said | set(panel.rows)
        assert not set(re.findall(r"\d{5,}", text)) & page.words
        assert set("".join(page.heads)) <= set("░ 0123456789characters")


def test_records_that_differ_in_their_letters_alone_have_one_page(drawn):
    pages = {as_html(view_of(drawn, pieces, show_text=False)) for pieces in (["Anna", " x"], ["Otto", " y"])}
    assert len(pages) == 1
    assert "It holds no text of the record" in pages.pop()
    assert "It holds the text of a record" in as_html(view_of(drawn, ["Anna", " x"]))


def test_every_cell_says_in_words_what_its_colour_says(drawn):
    view = drawn(
        ["a", "b", "c", "d"], {"trap:strength=2": [-7.0, 0.1, 1.04, float("nan")]}, [(2, 3, "person")]
    )
    page = as_html(view)
    told = re.findall(r'<td class="(s?-?\d?)[ a-z]*" title="trap:strength=2, (token .*?)">(.*?)</td>', page)
    assert told == [
        ("s-6", "token 1: -7.00 nats", "-7.0"),
        ("s0", "token 2: 0.10 nats", "0.1"),
        ("s2", "token 3, person: 1.04 nats", "1.0"),
        ("", "token 4: nan nats", "nan"),
    ]


def test_the_page_may_load_nothing_and_run_nothing(seen, found):
    page = as_html(seen(next(iter(found[0].places)), show_text=True))
    policy = re.search(r'Policy" content="(.*?)"', page)[1]
    assert policy.startswith("default-src &#39;none&#39;; style-src &#39;sha256-")
    assert "script-src" not in policy
    assert "unsafe" not in policy
    assert not re.findall(r"(?:src|href)=\"(?!#)", page)
    assert " style=" not in page


@pytest.mark.slow
@pytest.mark.skipif(find_spec("playwright") is None or not CHROMIUM, reason="no Chromium to look with")
@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_it_without_a_dialog_or_a_complaint(seen, found, tmp_path, width, scheme):
    from playwright.sync_api import sync_playwright

    path = tmp_path / "page.html"
    path.write_text(as_html(seen(next(iter(found[0].places)), show_text=True)), encoding="utf-8")
    flags = (
        "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync"
    )
    complaints = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=flags.split())
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda asked: complaints.append(asked.url) if asked.url != path.as_uri() else None)
        page.goto(path.as_uri())
        fits = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        # Stylesheet and colours are in force, or the policy would have kept them out.
        hot = page.evaluate("getComputedStyle(document.querySelector('.scale .s6')).backgroundColor")
        cold = page.evaluate("getComputedStyle(document.querySelector('.scale .s-6')).backgroundColor")
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        browser.close()
    assert complaints == []
    assert fits
    assert len({hot, cold, ground}) == 3

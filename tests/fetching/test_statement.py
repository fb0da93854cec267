import doctest
import re
from pathlib import Path

import pytest
import yaml

from bench.errors import InputError
from bench.fetching import statement
from bench.fetching.content import content_sha256
from bench.fetching.statement import may_ask
from bench.records.cards import FileSource, card_names, load_card

URL = "https://example.org/letters.tar.gz"


def test_the_examples_run():
    ended = doctest.testmod(statement)
    assert ended.attempted > 0
    assert ended.failed == 0


@pytest.mark.parametrize(
    ("stated", "field"),
    [
        ({"url": "http://example.org/letters.tar.gz"}, "url"),
        ({"url": "http://127.0.0.1.example.org/letters.tar.gz"}, "url"),
        ({"url": "ftp://example.org/letters.tar.gz"}, "url"),
        ({"url": "https://"}, "url"),
        ({"url": "https://example.org:port/"}, "url"),
        ({"url": "https://[::1"}, "url"),
        ({"url": "https://me:secret@example.org/letters.tar.gz"}, "url"),
        ({"url": "/etc/letters.tar.gz"}, "url"),
        ({"parts": {}}, "parts"),
        ({"parts": {"../corpus": "train"}}, "parts"),
        ({"parts": {"corpus": "/train"}}, "parts"),
        ({"parts": {"corpus": "."}}, "parts"),
        ({"parts": {"corpus": r"a\b"}}, "parts"),
        ({"parts": {"corpus/": "train"}}, "parts"),
        ({"parts": {"corpus": "a", "corpus/train": "b"}}, "parts"),
        ({"sha256": "abc"}, "sha256"),
        ({"sha256": "A" * 64}, "sha256"),
        ({"strip": 1}, "strip"),
    ],
)
def test_a_wrong_statement_is_refused_in_one_line_that_names_card_and_field(card_for, stated, field):
    arguments = {"url": URL} | stated
    with pytest.raises(InputError) as told:
        load_card(card_for(**arguments))
    message = str(told.value)
    assert "letters.yaml" in message
    assert field in message
    assert len(message.splitlines()) == 1


def test_a_card_states_what_it_pins_and_a_part_may_be_one_file(card_for):
    parts = {"corpus/train": "train", "LICENSE": "LICENSE"}
    fetch = load_card(card_for(URL, parts=parts)).source.fetch
    assert (fetch.url, fetch.parts) == (URL, parts)


def test_an_address_can_be_read_along_by_nobody():
    here, there = "http://127.0.0.1:80/x", "https://example.org/x"
    assert may_ask(there, there)
    assert may_ask(there, here)
    assert may_ask(here, "http://localhost/x")
    assert not may_ask(here, there)
    assert not may_ask("http://example.org/x", there)
    assert not may_ask("http://example.org/x", here)


def test_what_a_built_in_card_fetches_is_pinned_to_a_commit():
    fetched = [load_card(name).source for name in card_names()]
    fetched = [source.fetch for source in fetched if getattr(source, "fetch", None)]
    assert fetched
    for fetch in fetched:
        revision = fetch.url.rpartition("/")[2].removesuffix(".tar.gz")
        assert len(revision) == 40
        assert set(revision) <= set("0123456789abcdef")


def test_the_example_of_the_docs_is_one():
    page = (Path(__file__).parents[2] / "docs" / "data-get.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    fetch = FileSource.model_validate(yaml.safe_load(example)["source"]).fetch
    assert set(fetch.parts) == {"corpus/train/brat", "LICENSE"}
    assert content_sha256.__doc__.split("`")[1] in page

import base64
import hashlib
import re

import pytest
from markupsafe import Markup

from bench.pages import Section, as_page

HOSTILE = "<script>alert(1)</script>"


def section(name, heading="Heading", parts=()):
    return Section(name, heading, Markup("<p>Body</p>"), parts)


def test_a_page_loads_nothing_and_its_policy_allows_what_stands_in_it_alone():
    page = as_page("Title", Markup("<p>Lead</p>"), [section("one")])
    assert not re.search(r"\bsrc=|<link\b|@import|url\(|https?:", page)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#39;", "'")
    assert policy.startswith("default-src 'none';")
    for tag in ("style", "script"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        hashed = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{hashed}'" in policy


def test_titles_and_headings_are_escaped_and_markup_is_not():
    page = as_page(HOSTILE, Markup("<p>Lead</p>"), [section("one", HOSTILE)])
    assert HOSTILE not in page
    assert page.count("&lt;script&gt;alert(1)") == 3  # the page's title, its first heading, and the section's
    assert "<p>Lead</p>" in page
    assert "<p>Body</p>" in page


@pytest.mark.parametrize("count", [2, 3])
def test_more_than_two_sections_have_a_table_of_contents(count):
    page = as_page("Title", Markup(""), [section(f"s{place}") for place in range(count)])
    assert ('aria-label="Contents"' in page) == (count > 2)
    assert ('href="#s1"' in page) == (count > 2)


def test_parts_are_listed_and_stand_one_heading_deeper():
    page = as_page("Title", Markup(""), [section("one", parts=(section("a", "Inner"), section("b")))])
    assert 'href="#a"' in page
    assert re.findall(r"<h(\d)", page.partition("<main")[2]) == ["2", "3", "3"]


def test_two_sections_of_one_name_are_refused():
    with pytest.raises(ValueError, match="sections of one name: one"):
        as_page("Title", Markup(""), [section("one"), section("two", parts=(section("one"),))])

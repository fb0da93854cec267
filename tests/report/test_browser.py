"""The report in a real browser: what a reader sees, presses and hears."""

import shutil

import pytest
from runs import full_run, report_of, scored_run

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

SHOWN = "[...document.querySelectorAll('svg.drawing')].filter(svg => svg.clientWidth).length"

# Texts of drawings that reach out of them, by more than rounding.
CUT = """() => [...document.querySelectorAll('svg.drawing')].filter(svg => svg.clientWidth).flatMap(svg => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(text => {
    const own = text.getBoundingClientRect();
    return own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1
      || own.bottom > box.bottom + 1;
  }).map(text => text.textContent);
})"""

# Labels that stand on each other: pairs of texts of one drawing whose boxes share more than their edges.
OVER = """() => [...document.querySelectorAll('svg.drawing')].filter(svg => svg.clientWidth).flatMap(svg => {
  const texts = [...svg.querySelectorAll('text')]
    .map(text => [text.textContent, text.getBoundingClientRect()]);
  const over = [];
  texts.forEach(([name, a], place) => texts.slice(place + 1).forEach(([other, b]) => {
    const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (width > 1 && height > 3) over.push(`${name} | ${other}`);
  }));
  return over;
})"""

# The least contrast of any text with what is painted behind it (WCAG 2, relative luminance).
CONTRAST = """() => {
  const channels = colour => colour.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  let least = [21, ''];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.getClientRects().length) continue;
    if (/^(SCRIPT|STYLE|desc|title)$/i.test(element.tagName)) continue;
    const style = getComputedStyle(element);
    const ink = element.ownerSVGElement ? style.fill : style.color;
    const [a, b] = [luminance(channels(ink)), luminance(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < least[0]) least = [ratio, node.data.trim().slice(0, 40)];
  }
  return least;
}"""


def broad_run():
    """Names as long as plugins may give them, and many defenses close to each other."""
    cells = scored_run()
    for strength in (3, 4, 5):
        spec = f"a-defense-with-a-long-name:strength={strength},margin=0.125,power=2"
        params = {"strength": strength, "margin": 0.125, "power": 2}
        cells += [
            one.model_copy(update={"spec": spec, "defense": "a-defense-with-a-long-name", "params": params})
            for one in cells
            if one.spec == "trap:strength=2"
        ]
    return cells


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """The paths of some reports, by what they are of."""
    paths = {}
    for name, cells in (("full", full_run()), ("scored", scored_run()), ("broad", broad_run())):
        folder = tmp_path_factory.mktemp(name)
        paths[name] = folder / "report.html"
        paths[name].write_text(report_of(folder, cells))
    return paths


@pytest.fixture
def opened(browser, reports):
    """`opened("scored", width=400)`: the page, what it complained of, and what it asked for."""
    contexts = []

    def open_page(name, width=1600, **more):
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **more))
        page = contexts[-1].new_page()
        page.complaints, page.requests = [], []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("request", lambda request: page.requests.append(request.url))
        page.goto(reports[name].as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", ["full", "scored", "broad"])
def test_it_opens_without_complaint_and_asks_for_nothing_else(name, opened, reports):
    page = opened(name)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert page.complaints == []
    assert page.requests == [reports[name].as_uri()]


@pytest.mark.parametrize("name", ["full", "scored", "broad"])
@pytest.mark.parametrize("width", [400, 1600])
def test_nothing_is_cut_and_no_label_stands_on_another(name, width, opened):
    page = opened(name, width)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(SHOWN) > 10
    assert page.evaluate(CUT) == []
    assert page.evaluate(OVER) == []


def test_what_is_wider_than_the_page_scrolls_in_a_box_that_the_keyboard_reaches(opened):
    page = opened("scored", 400)
    boxes = page.evaluate(
        "[...document.querySelectorAll('.scroll')]"
        ".map(box => [box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight,"
        " box.tabIndex])"
    )
    assert any(wide for wide, _ in boxes)
    assert all((tab == 0) == wide for wide, tab in boxes)


def column(page, table, place):
    return page.evaluate(
        f"[...document.querySelectorAll('#{table} tbody tr')].filter(row => !row.hidden)"
        f".map(row => row.cells[{place}].textContent.trim())"
    )


def test_pressing_a_heading_sorts_by_it_and_again_the_other_way(opened):
    page = opened("full")
    table = "group-1-defenses"
    before = column(page, table, 2)
    heading = page.locator(f"#{table} th", has_text="NLL")
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert column(page, table, 2) == sorted(before, key=float, reverse=True)
    heading.locator("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert column(page, table, 2) == sorted(before, key=float)
    page.locator(f"#{table} th button", has_text="defense").click()
    assert heading.get_attribute("aria-sort") is None
    assert column(page, table, 0) == sorted(column(page, table, 0), key=str.lower)


def test_figures_that_there_are_none_of_come_last_either_way(opened):
    page = opened("full")
    button = page.locator("#group-1-attacks th button", has_text="AUC")
    for _ in range(2):
        button.click()
        shown = column(page, "group-1-attacks", 5)
        assert "" in shown
        assert shown == [one for one in shown if one] + [one for one in shown if not one]


def test_filters_choose_lines_and_say_how_many(opened):
    page = opened("full")
    table = page.locator("#group-1-attacks")
    whole = len(column(page, "group-1-attacks", 0))
    table.get_by_label("defense", exact=True).select_option("mine")
    assert set(column(page, "group-1-attacks", 0)) == {"mine"}
    table.get_by_label("on", exact=True).select_option("spans")
    assert set(column(page, "group-1-attacks", 3)) == {"spans"}
    left = len(column(page, "group-1-attacks", 0))
    assert table.locator("output").text_content() == f"{left} of {whole} lines"
    table.get_by_label("Find").fill("no such thing")
    assert column(page, "group-1-attacks", 0) == []


def test_hovering_and_focus_show_what_a_mark_is(opened):
    page = opened("scored")
    tip = page.locator("#tip")
    assert not tip.is_visible()
    mark = page.locator(".wide .mark[data-tip^='trap:strength=1']").first
    mark.hover()
    assert tip.is_visible()
    assert tip.text_content() == mark.get_attribute("data-tip")
    box = tip.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 1600
    tip.hover()
    page.wait_for_timeout(400)
    assert tip.is_visible()
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    mark.hover()
    page.mouse.move(0, 0)
    tip.wait_for(state="hidden", timeout=2000)
    page.locator(".wide .mark[tabindex='0']").first.focus()
    first = tip.text_content()
    assert tip.is_visible()
    page.keyboard.press("ArrowRight")
    assert tip.is_visible()
    assert tip.text_content() != first
    page.keyboard.press("Escape")
    assert not tip.is_visible()


def test_the_keyboard_comes_first_to_the_content_and_once_to_each_drawing(opened):
    page = opened("scored")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    stops = page.evaluate(
        "[...document.querySelectorAll('svg.drawing')]"
        ".map(svg => svg.querySelectorAll('[tabindex=\"0\"]').length)"
    )
    assert set(stops) <= {0, 1}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read_in_light_and_in_dark(scheme, opened):
    page = opened("full", color_scheme=scheme)
    ratio, text = page.evaluate(CONTRAST)
    assert ratio >= 4.5, text
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 254, 251)"
    assert dark == (scheme == "dark")


def test_without_a_script_all_is_there_but_the_filters(opened):
    page = opened("scored", java_script_enabled=False)
    assert page.locator("#group-1-defenses tbody tr").count() == 6
    assert page.locator("form.filters").first.is_hidden()
    assert page.locator(".wide .mark title").count() > 0


def test_it_prints_on_paper_without_what_only_a_screen_can_do(opened):
    page = opened("scored", 720)
    page.emulate_media(media="print", color_scheme="dark")
    assert (
        page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--ink')").strip()
        == "#000"
    )
    assert page.locator("form.filters").first.is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 720

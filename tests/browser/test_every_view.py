"""Every view once: its picture comes first, and nobody is kept out of it, in every language, size and colour scheme.

All of it is drawn under the server's Content-Security-Policy. What changes of a look changes on the open page, and so
does the view: to load the app anew for each would be a fifth of the work.
"""

import time
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from app.texts.catalogue import LANGUAGES
from tests.browser.actions import wait_for_projector
from tests.browser.conftest import checked_page
from tests.browser.drawn import drawn, expect_no_sideways_scroll
from tests.browser.policy import drawn_under_policy, note_refusals
from tests.browser.walk import open_next, settle
from tests.menu import PAGES, VIEWS

pytestmark = pytest.mark.slow

_DESKTOP, _PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
# Where the picture begins at most, in px.
_BARS = ((_DESKTOP, 300), (_PHONE, 360))
_MOST_CONTROLS = 4
# Train begins with its form; the glossary is a list.
_WITHOUT_PICTURE = {"train", "glossary"}
# Headings seen before anything is opened, at most: not of a list of terms, nor of lessons whose steps are numbered.
_MOST_HEADINGS, _LISTS_TERMS = 5, "glossary"
# Views that show more of their parts with these parameters.
_MORE = {
    "compare-ablation": "&ablation=4000",
    "explore-": "&with=bytes&pretokens=true&bytes=true&token=2&text=~쀍 커피 2잔",
    "rounds-": "&find=에서",
    "token-token": "&find=에서",
    "search-concordance": "&place=2&cuts=true",
    "boundaries-sentence": "&gold=ko_nospace",
}

# Where the picture begins, and what can be operated above it: a group of options is one control, links in a sentence
# and what lies in the corner are none.
_ABOVE = """() => {
  const picture = document.querySelector(".st-key-picture");
  const top = picture.getBoundingClientRect().top + document.querySelector("[data-testid=stMain]").scrollTop;
  const above = new Set();
  const all = "button, input, textarea, select, summary, [role=slider], [role=combobox], [data-testid=stPageLink] a";
  for (const one of document.querySelectorAll(`[data-testid=stMainBlockContainer] :is(${all})`)) {
    const box = one.getBoundingClientRect();
    if (!box.width || box.top >= top || picture.contains(one) || one.closest(".st-key-corner")) continue;
    above.add(one.closest("[data-testid=stElementContainer], [data-testid=stExpander]") ?? one);
  }
  return [top, [...above].map((one) => `${one.className.match(/st-key-\\S+/)} ${one.innerText.slice(0, 30)}`)];
}"""


_PROJECTED = {"width": 1280, "height": 720}
# Of every text of a figure, by its size on the screen; ␣ is a sign, which is smaller than the letters.
_LETTERS = "[data-testid=stMain] svg text:not(.space)"
_SMALL = """all => all.filter((text) => text.textContent.trim() && text.getBoundingClientRect().width)
  .map((text) => [parseFloat(getComputedStyle(text).fontSize), text.textContent]).filter(([size]) => size < 20)"""

# Titles of charts that leave their chart, by text and by px at the left, right and top: of a line of text the topmost
# part, where no letter is, may.
_CUT_OFF = """() => [...document.querySelectorAll(".stPlotlyChart .gtitle")].map((title) => {
  const box = title.getBoundingClientRect(), chart = title.closest(".stPlotlyChart").getBoundingClientRect();
  return [title.textContent, chart.left - box.left, box.right - chart.right,
          chart.top - box.top - 0.3 * parseFloat(getComputedStyle(title).fontSize)];
}).filter(([, ...beyond]) => Math.max(...beyond) > 1)"""


def _views() -> list[Any]:
    """Every page and view, each in another look first: languages and themes in all pairs."""
    looks = cycle([("ko", "light"), ("en", "dark"), ("en", "light"), ("ko", "dark")])
    named = [
        (page, view) for page in PAGES for view in (VIEWS[page][1] if VIEWS.get(page, ("",))[0] == "view" else ("",))
    ]
    return [
        pytest.param(page, view, *look, id=f"{page}-{view}"[:40])
        for (page, view), look in zip(named, looks, strict=False)
    ]


@pytest.fixture(scope="module")
def page(browser: Browser, app_url: str) -> Iterator[Page]:
    """Goes from view to view; what its console says is checked at the end."""
    with checked_page(browser) as page:
        note_refusals(page)
        page.goto(f"{app_url}/library?lang=en")
        settle(page)
        yield page


@pytest.mark.parametrize(("name", "view", "language", "theme"), _views())
def test_the_picture_comes_first_and_keeps_nobody_out(
    page: Page, serious: Callable[[Page], list[str]], name: str, view: str, language: str, theme: str
) -> None:
    page.set_viewport_size(_DESKTOP)
    page.emulate_media(color_scheme=theme)
    open_next(page, name, _MORE.get(f"{name}-{view}", ""), view, language)
    drawn_under_policy(page)
    is_projected = page.locator(".st-key-projector input").is_checked()  # as the view before left it
    if is_projected:
        _assert_it_is_legible(page)
        _switch_projector(page, is_on=False)
        page.set_viewport_size(_DESKTOP)
        drawn(page)
    assert serious(page) == []
    _assert_one_headline(page, name)
    _assert_it_fits(page, name)
    page.set_viewport_size(_DESKTOP)
    other = next(code for code in LANGUAGES if code != language)
    page.locator(".st-key-language_switch").get_by_text(LANGUAGES[other], exact=True).click()
    expect(page.locator(f"html[lang={other}]")).to_have_count(1)
    page.emulate_media(color_scheme="light" if theme == "dark" else "dark")
    settle(page)
    _assert_one_headline(page, name)
    _assert_it_fits(page, name)
    assert serious(page) == []  # on the phone
    if not is_projected:
        _switch_projector(page, is_on=True)
        _assert_it_is_legible(page)
    assert page.get_by_test_id("stException").count() == 0
    assert "\ufffd" not in page.content()


def _assert_one_headline(page: Page, name: str) -> None:
    headings = page.locator("[data-testid=stMain] :is(h1, h2, h3, h4, h5, h6)").filter(visible=True)
    assert headings.and_(page.locator("h1")).count() == 1
    if name != _LISTS_TERMS:
        assert headings.count() <= _MOST_HEADINGS, headings.all_inner_texts()


def _assert_it_fits(page: Page, name: str) -> None:
    """The picture is in the first screen, of a desktop and of a phone, and no title is cut off."""
    for size, highest in _BARS:
        page.set_viewport_size(size)
        drawn(page)
        if name not in _WITHOUT_PICTURE:
            expect(page.locator(".st-key-picture")).to_have_count(1)
            top, above = page.evaluate(_ABOVE)
            assert top <= highest, (size, top, above)
            assert len(above) <= _MOST_CONTROLS, (size, top, above)
        assert page.evaluate(_CUT_OFF) == []
    expect_no_sideways_scroll(page)


def _switch_projector(page: Page, is_on: bool) -> None:
    page.set_viewport_size(_PROJECTED)
    page.locator(".st-key-projector label").click()
    wait_for_projector(page, is_on)
    settle(page)


def _assert_it_is_legible(page: Page) -> None:
    """On a projector no text of a figure is smaller than 20 px, and no link has the mode."""
    page.set_viewport_size(_PROJECTED)
    drawn(page)
    assert "projector" not in page.url
    # A figure is drawn anew after the run that sent it has ended.
    small, last = _small(page), time.monotonic() + 15
    while small and time.monotonic() < last:
        page.wait_for_timeout(250)  # it is drawn between two looks
        small = _small(page)
    assert small == []
    assert page.evaluate(_CUT_OFF) == []
    expect_no_sideways_scroll(page)


def _small(page: Page) -> list[list[object]]:
    """Size and text of the letters below 20 px."""
    found: list[list[object]] = page.locator(_LETTERS).evaluate_all(_SMALL)
    return found

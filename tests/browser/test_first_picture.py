"""The picture of the first page's HTML: there at once, without scripts as well, and gone when the page is drawn."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from app.texts.catalogue import translate
from tests.browser.drawn import drawn

_SHIFTS = """window.__shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.__shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });"""
_PHONE = {"viewport": {"width": 390, "height": 844}, "locale": "en-US"}
# What Streamlit draws in its element, where the picture has to give way.
_ENDS = {
    "a page without strips": '<div data-testid="stApp" data-test-script-state="notRunning"><h1>x</h1></div>',
    "an error": '<div data-testid="stException">x</div>',
    "a message": '<div data-testid="stAlert">x</div>',
    "something to wait for": '<div data-testid="stProgress">x</div>',
}
_DRAW = """(markup) => document.getElementById("root").replaceChildren(
  ...new DOMParser().parseFromString(markup, "text/html").body.childNodes)"""


@contextmanager
def _alone(browser: Browser, app_url: str, **options: Any) -> Iterator[Page]:
    """The HTML of the first page, without what draws over it."""
    context = browser.new_context(**options)
    try:
        page = context.new_page()
        page.route(re.compile(r"/static/js/"), lambda route: route.abort())
        page.goto(app_url)
        yield page
    finally:
        context.close()


def test_it_is_there_at_once_and_the_strips_replace_it_without_a_shift(page: Page, app_url: str) -> None:
    # A server's first visitor waits for tokenizers to be loaded, on a page that is drawn in several runs.
    page.goto(app_url)
    drawn(page)
    expect(page.locator("[data-item]").first).to_be_visible()
    page.add_init_script(_SHIFTS)
    for size in (page.viewport_size, _PHONE["viewport"]):
        assert size
        page.set_viewport_size(size)
        answer = page.goto(app_url)
        assert answer is not None and 'id="first-picture"' in answer.text()
        expect(page.locator("[data-item]").first).to_be_visible()
        expect(page.locator("#first-picture")).to_have_count(0)
        drawn(page)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        assert page.evaluate("window.__shift") < 0.05


def test_its_links_work_without_scripts(browser: Browser, app_url: str) -> None:
    context = browser.new_context(java_script_enabled=False, locale="ko-KR")
    try:
        page = context.new_page()
        page.goto(app_url)
        expect(page.get_by_role("img", name=translate("first.heading", "ko"))).to_be_visible()
        page.get_by_role("link", name=translate("first.door.why.title", "ko")).click()
        expect(page).to_have_url(f"{app_url}/lattice")
        page.goto(f"{app_url}/?lang=en")
        page.get_by_role("link", name=translate("first.door.teach.title", "en")).click()
        expect(page).to_have_url(f"{app_url}/lessons?lang=en")
    finally:
        context.close()


@pytest.mark.parametrize("look", [{"color_scheme": "dark"}, _PHONE], ids=["dark", "phone"])
def test_it_has_no_serious_barrier_and_fits(browser: Browser, app_url: str, look: dict[str, Any]) -> None:
    with _alone(browser, app_url, **look) as page:
        expect(page.locator("#first-picture")).to_be_visible()
        assert page.evaluate("document.querySelector('#first-picture').scrollWidth <= innerWidth")
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_it_gives_way_to_whatever_else_comes(browser: Browser, app_url: str) -> None:
    with _alone(browser, app_url) as page:
        picture, root = page.locator("#first-picture"), page.locator("#root > *").first
        for markup in _ENDS.values():
            page.evaluate(_DRAW, "<p>x</p>")
            expect(picture).to_be_visible()
            expect(root).to_be_hidden()
            page.evaluate(_DRAW, markup)
            expect(picture).to_be_hidden()
            expect(root).to_be_visible()
        page.evaluate(_DRAW, "<p>x</p>")
        expect(picture).to_be_visible()
        page.evaluate("document.getAnimations().forEach((one) => one.finish())")  # some time later
        expect(picture).to_be_hidden()
        expect(root).to_be_visible()


def test_nothing_pulses_in_the_place_of_what_is_still_loading(page: Page, app_url: str) -> None:
    waiting: list[Route] = []
    page.route(re.compile("/PlotlyChart"), lambda route: waiting.append(route))
    page.goto(f"{app_url}/growth?lang=en")
    expect(page.get_by_test_id("stSkeleton").first).to_have_css("animation-name", "none")
    for route in waiting:
        route.continue_()
    expect(page.locator(".stPlotlyChart .main-svg").first).to_be_visible()

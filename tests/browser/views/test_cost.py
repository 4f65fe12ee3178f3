"""Who pays more in a browser: the remedy is trained when its line is opened, and fits on a phone."""

import re

from playwright.sync_api import Page, expect

from app.texts.catalogue import translate
from app.texts.corpora import LANGUAGES
from tests.browser.actions import FIRST_FIGURE, PHONE
from tests.browser.drawn import drawn, expect_no_sideways_scroll

_FIGURE = ".st-key-cost-parity"


def test_the_remedy_is_a_click_away(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/cost?lang=en")
    line = page.get_by_test_id("stExpander").filter(has_text=translate("cost.more.parity", "en"))
    expect(line).to_be_visible(timeout=FIRST_FIGURE)
    expect(page.locator(_FIGURE)).to_have_count(0)
    line.locator("summary").click()
    figure = page.locator(_FIGURE)
    expect(figure.locator(".scatterlayer .points path")).to_have_count(2 * len(LANGUAGES), timeout=FIRST_FIGURE)
    for size in (page.viewport_size, PHONE["viewport"]):
        assert size
        page.set_viewport_size(size)
        drawn(page)
        for name in ("before", "after"):
            expect(figure.locator(".annotation", has_text=translate(f"cost.parity.{name}", "en"))).to_be_visible()
        expect_no_sideways_scroll(page)
    expect(page).to_have_url(re.compile("more=parity"))

"""A phone: the language without the menu, names of lists in the visitor's language, places as large as a finger."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.texts.catalogue import LANGUAGES, translate
from tests.browser.actions import PHONE, at_rest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("page", [PHONE | {"has_touch": True, "is_mobile": True}], indirect=True)
def test_a_class_on_a_phone(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/lessons?lang=ko")
    arrow = page.locator("button[aria-haspopup=listbox]")
    expect(arrow).to_have_accessible_name(translate("frame.opens", "ko"))
    at_rest(page)
    sizes = page.locator("button.place").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect()).map((box) => Math.min(box.width, box.height))"
    )
    assert sizes and min(sizes) >= 44
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")
    page.get_by_role("radio", name=LANGUAGES["en"]).tap()
    expect(page).to_have_url(re.compile("lang=en"))
    expect(arrow).to_have_accessible_name(translate("frame.opens", "en"))
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")

"""What a control says goes along when the visitor goes straight to another page that has it too."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from app.texts.catalogue import translate
from tests.browser.walk import menu_link, settle

_WAYS = [
    ("scores?lang=en&units=nat&round=2&find=에서", "token", ["units=nat", "find=에서"]),
    ("rounds?lang=en&units=nat&round=2&find=에서", "scores", ["units=nat", "round=2", "find=에서"]),
    ("?lang=en&with=bytes.words&size=3000", "compare", ["with=words.bytes", "size=3000"]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("start", "to", "wanted"), _WAYS, ids=[to for _, to, _ in _WAYS])
def test_controls_go_along(start: str, to: str, wanted: list[str], page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/{start}")
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=90_000)
    # The first view writes its fingerprints into the address when all is drawn.
    expect(page).to_have_url(re.compile("check="), timeout=90_000)
    settle(page)
    menu_link(page, to).click()
    for part in wanted:
        expect(page).to_have_url(re.compile(re.escape(quote(part, safe="=~"))), timeout=90_000)


@pytest.mark.slow
def test_the_language_is_in_sight_on_a_small_screen(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{app_url}/rounds?lang=ko")
    expect(page.get_by_role("radio", name="English")).to_be_in_viewport(ratio=1)
    page.get_by_role("radio", name="English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pruning rounds")


@pytest.mark.slow
def test_the_menu_leads_from_view_to_view_of_a_page(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/morphology?lang=en&shipped=thunder-tok-8k&public=none")
    settle(page)
    for view in ("grid", "jamo", "scores"):
        name = translate(f"frame.view.morphology_{view}", "en")
        page.locator(".st-key-menu").get_by_role("link", name=name, exact=True).click()
        title = translate("morphology.title" if view == "scores" else f"frame.view.morphology_{view}", "en")
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(page.locator(".st-key-menu .views [aria-current]")).to_have_text([name])
        expect(page).not_to_have_url(re.compile("from="))

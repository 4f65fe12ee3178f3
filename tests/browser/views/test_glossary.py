"""The glossary from a page that uses its terms, and figures alone, in a browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.texts.catalogue import translate
from app.texts.plain import unmarked
from tests.browser.walk import settle


@pytest.mark.slow
def test_a_term_opens_the_glossary_beside_its_page(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/learn_bpe?lang=en&model=shipped:thunder-tok-8k")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Byte-pair encoding").click()
    glossary = opened.value
    glossary.set_default_timeout(20_000)
    expect(glossary.get_by_role("heading", level=1)).to_have_text(translate("glossary.title", "en"), timeout=20_000)
    first = glossary.get_by_role("heading", level=2).first
    expect(first).to_have_text("BPE")
    assert "model=shipped" in glossary.url and "lang=en" in glossary.url and "term=bpe" in glossary.url
    # Every formula is one that KaTeX can read.
    expect(glossary.locator(".katex").nth(20)).to_be_attached()
    assert glossary.locator(".katex-error").count() == 0
    with glossary.expect_popup() as shown:
        glossary.get_by_role("link", name=translate("glossary.example", "en", page="BPE")).first.click()
    expect(shown.value.get_by_role("heading", level=1)).to_have_text(translate("learn_bpe.title", "en"))


@pytest.mark.slow
def test_a_figure_alone_has_no_serious_barrier(page: Page, app_url: str, serious: Callable[[Page], list[str]]) -> None:
    page.goto(f"{app_url}/lattice?figure=lattice&embed=true&lang=ko&model=shipped:thunder-tok-8k")
    settle(page)
    expect(page.get_by_test_id("stSidebar")).to_have_count(0)
    expect(page.locator(".st-key-picture .root")).to_be_visible()
    assert serious(page) == []


_TOUCH = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "locale": "en-US"}


def _definition(term: str, lang: str) -> str:
    return unmarked(translate(f"glossary.{term}.text", lang))


@pytest.mark.slow
def test_a_term_explains_itself_to_mouse_and_keyboard(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/learn_bpe?lang=ko")
    settle(page)
    expect(page.locator("#term-tip")).to_be_attached()
    term = page.locator("a[href*='term=bpe']").first
    tip = page.get_by_role("tooltip")
    term.hover()
    expect(tip).to_have_text(_definition("bpe", "ko"))
    page.mouse.move(700, 850)
    expect(tip).to_be_hidden()
    page.locator("h1").click()
    page.keyboard.press("Tab")
    term.focus()
    expect(tip).to_have_text(_definition("bpe", "ko"))
    assert term.get_attribute("aria-describedby") == tip.get_attribute("id")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    expect(term).to_be_focused()


@pytest.mark.slow
@pytest.mark.parametrize("page", [_TOUCH], indirect=True)
def test_a_term_explains_itself_to_a_finger(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/learn_bpe?lang=en")
    settle(page)
    expect(page.locator("#term-tip")).to_be_attached()
    page.locator("a[href*='term=bpe']").first.tap()
    tip = page.get_by_role("tooltip")
    expect(tip).to_contain_text(_definition("bpe", "en"))
    box = tip.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
    with page.expect_popup() as opened:
        tip.get_by_role("link", name=translate("glossary.more", "en")).tap()
    assert "term=bpe" in opened.value.url
    page.touchscreen.tap(200, 800)
    expect(tip).to_be_hidden()

"""The Explore page in a browser: type, click and walk through tokens, reload."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.drawn import drawn, open_line, spoken

_PHONE = {"viewport": {"width": 360, "height": 800}}


def _open(page: Page, app_url: str, query: str = "lang=ko&with=none") -> None:
    page.goto(f"{app_url}/?{query}")
    expect(_tokens(page).first).to_be_visible(timeout=120_000)
    drawn(page)


def _tokens(page: Page) -> Locator:
    """The tokens of the first row that can be picked."""
    return page.locator('[data-item^="0."]')


def _type(page: Page, text: str) -> None:
    area = page.get_by_role("textbox", name=re.compile("^(글|Text)$"))
    area.fill(text)
    area.blur()


def test_a_typed_text_is_cut_clicked_and_restored_from_its_link(page: Page, app_url: str) -> None:
    _open(page, app_url)
    _type(page, "점심시간에 쀍 커피 2잔!")
    expect(page.locator('[data-item][aria-label^="<0x80>"]')).to_have_count(1)
    drawn(page)
    page.locator('[data-item][aria-label^="<0xEC>"]').click()
    expect(page.get_by_role("heading", name="선택한 토큰: <0xEC>")).to_be_visible()
    expect(page.get_by_text("코드 포인트 U+C00D (1/3)")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]token=\d+"))
    page.get_by_text("사전 토큰", exact=True).first.click()
    expect(page).to_have_url(re.compile(r"[?&]pretokens=true"))
    expect(page.locator('[data-item^="1."]').first).to_be_visible()
    drawn(page)
    labels = spoken(_tokens(page))
    page.reload()
    expect(page.get_by_role("heading", name="선택한 토큰: <0xEC>")).to_be_visible()
    expect(page.locator('[data-item][aria-pressed="true"]')).to_have_count(1)
    drawn(page)
    assert spoken(_tokens(page)) == labels


@pytest.mark.parametrize(
    ("page", "text"),
    [({}, "가나다"), (_PHONE, "점심시간에 커피 2잔 주세요! " * 4)],
    ids=["wide", "phone"],
    indirect=["page"],
)
def test_the_count_is_the_largest_text_of_the_picture(page: Page, app_url: str, text: str) -> None:
    _open(page, app_url, f"lang=ko&with=none&text=~{text}")
    sizes = page.locator(".st-key-picture svg text").evaluate_all(
        "all => all.map((text) => [Number(text.getAttribute('font-size')), text.textContent])"
    )
    assert max(sizes)[1].isdigit()


@pytest.mark.slow
def test_tokenizers_are_added_and_their_tokens_picked(page: Page, app_url: str) -> None:
    _open(page, app_url)
    open_line(page.locator(".st-key-tokenizer_set"))
    page.get_by_role("button", name="UTF-8 바이트").click()
    expect(page.locator('[data-item^="1."]')).to_have_count(80, timeout=60_000)
    expect(page).to_have_url(re.compile(r"[?&]with=bytes"))
    drawn(page)
    page.locator('[data-item^="1."]').first.click()
    expect(page.get_by_role("heading", name="선택한 토큰: <0xEA>")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]token=2\.1"))


def test_a_folded_line_opens_and_closes_at_once(page: Page, app_url: str) -> None:
    _open(page, app_url)
    heights = page.locator(".st-key-tokenizer_set summary").evaluate(
        """async (summary) => {
          const line = summary.parentElement, twoFrames = async () => {
            for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
          };
          const states = [];
          for (let n = 0; n < 2; n++) {
            summary.click();
            await twoFrames();
            states.push([line.clientHeight, line.scrollHeight, summary.offsetHeight]);
          }
          return states;
        }"""
    )
    (opened, whole, _), (closed, _, head) = heights
    assert opened == whole > 2 * head and closed <= head + 2


@pytest.mark.slow
def test_the_strip_is_used_by_keyboard(page: Page, app_url: str) -> None:
    _open(page, app_url)
    first, second = _tokens(page).nth(0), _tokens(page).nth(1)
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(second).to_be_focused()
    page.keyboard.press("Enter")
    expect(second).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("heading", name=re.compile("^선택한 토큰"))).to_be_visible()

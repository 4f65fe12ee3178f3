"""The Explore page in a browser: type, click and walk through tokens, reload, phone, accessibility."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.drawn import drawn, expect_no_sideways_scroll, spoken

_PHONE = {"viewport": {"width": 360, "height": 800}}
_DARK_ENGLISH = {"locale": "en-US", "color_scheme": "dark"}


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


@pytest.mark.parametrize("page", [{}, _PHONE], ids=["wide", "phone"], indirect=True)
@pytest.mark.parametrize("text", ["가나다", "점심시간에 커피 2잔 주세요! " * 4])
def test_the_count_is_the_largest_text_of_the_picture(page: Page, app_url: str, text: str) -> None:
    _open(page, app_url, f"lang=ko&with=none&text=~{text}")
    sizes = page.locator(".st-key-picture svg text").evaluate_all(
        "all => all.map((text) => [Number(text.getAttribute('font-size')), text.textContent])"
    )
    assert max(sizes)[1].isdigit()


@pytest.mark.slow
def test_tokenizers_are_added_and_their_tokens_picked(page: Page, app_url: str) -> None:
    _open(page, app_url)
    page.locator(".st-key-tokenizer_set summary").click()
    page.get_by_role("button", name="UTF-8 바이트").click()
    expect(page.locator('[data-item^="1."]')).to_have_count(80, timeout=60_000)
    expect(page).to_have_url(re.compile(r"[?&]with=bytes"))
    drawn(page)
    page.locator('[data-item^="1."]').first.click()
    expect(page.get_by_role("heading", name="선택한 토큰: <0xEA>")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]token=2\.1"))


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


@pytest.mark.slow
def test_the_lattice_shows_the_line_of_the_token(page: Page, app_url: str) -> None:
    _open(page, app_url)
    _type(page, "첫째 줄이다.\n나무에 꽃이 피었다.")
    expect(page.locator('[data-item][aria-label*="첫"]').first).to_be_visible()
    drawn(page)
    _tokens(page).last.click()
    page.get_by_role("link", name="이 문장의 격자 보기").click()
    expect(page).to_have_url(re.compile(r"/lattice\?"))
    expect(page.locator("textarea").first).to_have_value("나무에 꽃이 피었다.")


@pytest.mark.slow
def test_a_long_text_has_pages(page: Page, app_url: str) -> None:
    _open(page, app_url)
    _type(page, "고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다.\n" * 400)
    expect(page.get_by_test_id("stMetricValue").filter(has_text="13,200")).to_be_visible()
    pages = page.get_by_test_id("stPagination")
    pages.get_by_role("button", name="Page 2", exact=True).click()
    expect(page.get_by_text(re.compile(r"^전체 13,200자 가운데 1,[45]\d\d번째부터"))).to_be_visible()
    expect(_tokens(page).first).to_be_visible()


@pytest.mark.slow
def test_an_empty_text_and_markup(page: Page, app_url: str) -> None:
    _open(page, app_url)
    _type(page, "")
    expect(page.get_by_text("문장을 입력하거나 예문을 고르세요.")).to_be_visible()
    _type(page, "<img src=x onerror=alert(1)>")
    expect(page.locator('[data-item][aria-label^="<"]').first).to_be_visible()
    drawn(page)
    expect(page.locator("img[src=x]")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("page", [_PHONE], indirect=True)
def test_nothing_is_wider_than_a_phone(page: Page, app_url: str) -> None:
    _open(page, app_url, "lang=ko&with=words&pretokens=true&bytes=true&token=2")
    # The second tokenizer is trained first, after a click; the layers below are the rows 2 to 4.
    last, train = page.locator('[data-item^="4."]').first, page.get_by_role("button", name="학습하기", exact=True)
    expect(last.or_(train)).to_be_visible(timeout=60_000)
    if train.is_visible():
        train.click()
    expect(last).to_be_visible(timeout=60_000)
    expect_no_sideways_scroll(page)
    ends = _tokens(page).evaluate_all(
        "all => all.map((token) => token.getBoundingClientRect()).map(({ left, right }) => [left, right])"
    )
    assert ends and all(left >= 0 and right <= 360 for left, right in ends)


@pytest.mark.slow
@pytest.mark.parametrize("page", [{}, _DARK_ENGLISH], indirect=True)
def test_no_serious_barrier(page: Page, app_url: str, serious: Callable[[Page], list[str]]) -> None:
    language = page.evaluate("navigator.language")[:2]
    _open(page, app_url, f"lang={language}&with=bytes&pretokens=true&token=2&text=~쀍 커피 2잔")
    assert serious(page) == []

"""The Scores page in a browser: select by box and slider, concordance, links that come back."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.actions import FIRST_FIGURE, PHONE, at_rest, mark_row, slider


def _scores(page: Page, app_url: str, query: str = "lang=ko") -> Locator:
    page.goto(f"{app_url}/scores?{query}")
    plot = page.locator(".st-key-scores-chart .nsewdrag")
    expect(plot).to_be_visible(timeout=FIRST_FIGURE)
    at_rest(page)
    return plot


def _drag(page: Page, plot: Locator, x0: float, y0: float, x1: float, y1: float) -> None:
    """Draw a box over shares of the plot's area."""
    plot.scroll_into_view_if_needed()
    area = plot.bounding_box()
    assert area is not None
    corners = [(area["x"] + x * area["width"], area["y"] + y * area["height"]) for x, y in ((x0, y0), (x1, y1))]
    page.mouse.move(*corners[0])
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(*(a + (b - a) * step / 8 for a, b in zip(*corners, strict=True)))
    page.mouse.up()


@pytest.mark.slow
def test_a_box_or_the_keyboard_selects_tokens_and_a_link_brings_them_back(page: Page, app_url: str) -> None:
    plot = _scores(page, app_url)
    _drag(page, plot, 0.6, 0.1, 0.95, 0.7)
    expect(page.get_by_role("heading", name="선택한 토큰")).to_be_visible()
    expect(page).to_have_url(re.compile(r"box=-?[\d.]+_-?[\d.]+_"))
    at_rest(page)
    count = page.get_by_text(re.compile(r"^토큰 [\d,]+개 가운데 점수가"))
    selected = count.inner_text()
    page.reload()
    expect(page.get_by_role("heading", name="선택한 토큰")).to_be_visible()
    expect(count).to_have_text(selected)
    page.get_by_role("button", name="선택 해제").click()
    expect(page.get_by_role("heading", name="모든 토큰")).to_be_visible()
    expect(page).not_to_have_url(re.compile("box="))
    at_rest(page)
    handle = slider(page, "BE의 범위").first
    handle.focus()
    for _ in range(4):
        handle.press("ArrowRight")
    expect(page).to_have_url(re.compile("box="))
    expect(page.get_by_role("heading", name="선택한 토큰")).to_be_visible()


@pytest.mark.slow
def test_a_row_leads_to_its_concordance_and_a_line_to_its_lattice(page: Page, app_url: str) -> None:
    _scores(page, app_url, "lang=ko&levels=word")
    mark_row(page, "scores-tokens-", 0)
    expect(page).to_have_url(re.compile("find="))
    page.get_by_role("link", name="말뭉치의 용례 보기").click()
    page.get_by_role("grid", name="용례").locator("[data-item]").first.click()
    page.get_by_role("link", name="이 문장의 격자 보기").click()
    expect(page).to_have_url(re.compile(r"/lattice\?"))
    expect(page.get_by_role("textbox", name="문장")).to_have_value(re.compile("."))
    expect(page.locator("[role=button][aria-pressed]").first).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("page", [PHONE | {"has_touch": True}], indirect=True)
def test_on_a_touch_screen_no_tools_cover_what_is_written(page: Page, app_url: str) -> None:
    """Without a mouse the tools of figures and tables always show; Korean breaks between words on a narrow screen."""
    _scores(page, app_url)
    expect(page.locator(".modebar-container").first).to_be_hidden()
    tools = page.get_by_test_id("stElementToolbar").filter(visible=True).first  # others are folded away
    expect(tools).to_be_visible()
    above = page.get_by_text(re.compile(r"^토큰 [\d,]+개 가운데 점수가"))
    tool_box, text_box = tools.bounding_box(), above.bounding_box()
    assert tool_box is not None and text_box is not None
    assert text_box["y"] + text_box["height"] <= tool_box["y"]
    assert above.evaluate("element => getComputedStyle(element).wordBreak") == "keep-all"

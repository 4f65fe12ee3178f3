"""The Lattice page in a browser: type Korean, click an arc, move the round, reload, keyboard."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.drawn import drawn, open_line, spoken


def _open(page: Page, app_url: str, query: str = "lang=ko") -> None:
    page.goto(f"{app_url}/lattice?{query}")
    expect(_arcs(page).first).to_be_visible(timeout=120_000)
    drawn(page)


def _arcs(page: Page) -> Locator:
    """Bars of the lattice; the other components have no pressed state."""
    return page.locator("[role=button][aria-pressed]")


def _field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="문장")


def _type(page: Page, text: str) -> None:
    field = _field(page)
    field.fill(text)
    field.blur()


def test_korean_that_is_typed_is_segmented_and_its_arcs_are_chosen_by_keyboard_and_click(
    page: Page, app_url: str
) -> None:
    _open(page, app_url)
    _type(page, "그 말은 틀렸어.")
    expect(page).to_have_url(re.compile("text="))
    expect(_arcs(page).filter(has_text="말은").first).to_be_visible()
    drawn(page)
    pressed = page.locator("[role=button][aria-pressed=true]")
    expect(pressed).to_have_count(0)
    expect(page.get_by_text("막대를 누르면")).to_be_visible()
    page.locator("[role=button][aria-pressed][tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(pressed).to_have_count(1)
    expect(
        page.get_by_text("최적 경로에 없는 토큰입니다").or_(page.get_by_text("최적 경로에 있는 토큰입니다"))
    ).to_be_visible()
    drawn(page)
    _arcs(page).last.click()
    expect(_arcs(page).last).to_have_attribute("aria-pressed", "true")
    expect(pressed).to_have_count(1)


@pytest.mark.slow
def test_a_reload_shows_the_same_view(page: Page, app_url: str) -> None:
    _open(page, app_url)
    _type(page, "점심시간이 지나면 점심 시간이 아니다.")
    expect(page).to_have_url(re.compile("text="))
    expect(_arcs(page).filter(has_text="점심").first).to_be_visible()
    open_line(page.locator(".st-key-settings"))
    page.get_by_role("radio", name="내트").click()
    expect(page).to_have_url(re.compile("units=nat"))
    in_nats = re.compile("내트")
    expect(_arcs(page).first).to_have_attribute("aria-label", in_nats)
    drawn(page)
    before = spoken(_arcs(page))
    page.reload()
    expect(_arcs(page).first).to_have_attribute("aria-label", in_nats)
    expect(_field(page)).to_have_value("점심시간이 지나면 점심 시간이 아니다.")
    drawn(page)
    assert spoken(_arcs(page)) == before


@pytest.mark.slow
def test_the_round_slider_changes_the_lattice(page: Page, app_url: str) -> None:
    _open(page, app_url)
    count = _arcs(page).count()
    slider = page.get_by_role("slider", name="가지치기 라운드")
    slider.focus()
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile("in_round=0"))
    # The seed vocabulary has more candidates than the finished one.
    expect(_arcs(page).nth(count)).to_be_attached()


@pytest.mark.slow
def test_viterbi_runs_step_by_step(page: Page, app_url: str) -> None:
    _open(page, app_url)
    page.get_by_role("radio", name="비터비 한 단계씩").click()
    page.get_by_role("button", name="다음").click()
    said = page.get_by_text(re.compile("에서 끝나는 후보는"))
    expect(said).to_be_visible()
    # Where the steps stand is part of the link.
    page.get_by_role("button", name="다음").click()
    expect(page).to_have_url(re.compile(r"[?&]viterbi=2"))
    sentence = said.inner_text()
    page.reload()
    expect(page.get_by_text(sentence, exact=True)).to_be_visible()


def test_a_model_that_merges_is_chosen_in_the_settings(page: Page, app_url: str) -> None:
    _open(page, app_url, "lang=ko&under=shipped:byte-bpe-32k&text=~고구마는 맛있다.")
    rows = page.locator(".st-key-picture .row")
    expect(rows).not_to_have_count(1)
    first = rows.count()
    page.get_by_role("radio", name="맛있다").click()
    expect(page).to_have_url(re.compile("word=2"))
    drawn(page)
    assert first > 3 and rows.count() > 1
    expect(page.locator(".st-key-picture .token.new")).to_have_count(rows.count() - 1)

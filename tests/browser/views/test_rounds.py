"""The Rounds page in a browser: rounds by slider and player, the life of a token, two scores side by side."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import FIRST_FIGURE, at_rest, mark_row, slider
from tests.browser.drawn import drawn, open_line


def _rounds(page: Page, app_url: str, query: str = "lang=ko") -> None:
    page.goto(f"{app_url}/rounds?{query}")
    picture = page.get_by_role("heading", name=re.compile("토큰의 일생|The life of a token"))
    if "model=" in query:
        at_rest(page)
        # A test that is run again finds the model trained.
        page.get_by_role("button", name=re.compile("이 모델 학습하기|Train this model")).or_(picture).first.click()
    expect(picture).to_be_visible()
    expect(page.locator(".st-key-rounds-scores .main-svg").first).to_be_visible(timeout=FIRST_FIGURE)
    at_rest(page)


@pytest.mark.slow
def test_the_round_slider_changes_everything_and_a_reload_keeps_it(page: Page, app_url: str) -> None:
    _rounds(page, app_url)
    metric = page.get_by_test_id("stMetricValue").first
    seed_size = metric.inner_text()
    expect(page.get_by_role("heading", name="라운드 0에서 제거된 토큰")).to_be_visible()
    open_line(page.locator(".st-key-rounds-more-all"))
    curve = page.locator(".st-key-rounds-curve-vocab_size .points").element_handle()
    handle = slider(page, "가지치기 라운드")
    handle.focus()
    handle.press("ArrowRight")
    expect(page.get_by_role("heading", name="라운드 1에서 제거된 토큰")).to_be_visible()
    expect(metric).not_to_have_text(seed_size)
    expect(page.locator(".st-key-rounds-strips").get_by_text(re.compile("▶ 라운드 (0–)?1")).last).to_be_visible()
    expect(page).to_have_url(re.compile("round=1"))
    at_rest(page)
    # The curves stay, and mark the round.
    widths = "points => [...points.children].map(point => getComputedStyle(point).strokeWidth)"
    assert curve.evaluate("points => points.isConnected") and curve.evaluate(widths)[:3] == ["0px", "9px", "0px"]
    upright = page.locator(".st-key-rounds-life_chart .barlayer .trace:last-child path")
    assert upright.evaluate_all("paths => paths.map(path => getComputedStyle(path).opacity)")[:3] == ["0", "1", "0"]
    size = metric.inner_text()
    page.reload()
    expect(page.get_by_role("heading", name="라운드 1에서 제거된 토큰")).to_be_visible()
    expect(metric).to_have_text(size)


@pytest.mark.slow
def test_play_runs_to_the_last_round(page: Page, app_url: str) -> None:
    _rounds(page, app_url, "lang=ko&round=5")
    page.get_by_role("button", name="재생").click()
    expect(page.get_by_role("button", name="멈춤")).to_be_visible()
    expect(page.get_by_text("마지막 라운드에서는 아무것도 제거하지 않습니다.")).to_be_visible()
    expect(page.get_by_role("button", name="재생")).to_be_visible()


@pytest.mark.slow
def test_a_removed_token_shows_its_life(page: Page, app_url: str) -> None:
    _rounds(page, app_url)
    mark_row(page, "rounds-removed-", 0)
    expect(page).to_have_url(re.compile("find="))
    expect(page.get_by_text(re.compile("라운드 0에서 제거되었습니다"))).to_be_visible()
    expect(page.locator(".st-key-rounds-life_chart .main-svg").first).to_be_visible(timeout=FIRST_FIGURE)


@pytest.mark.slow
def test_a_token_of_the_pinned_sentence_can_be_picked(page: Page, app_url: str) -> None:
    _rounds(page, app_url)
    field = page.get_by_label("문장", exact=True)
    field.fill("<b>영어 사전</b> & 🍊")
    field.press("Enter")
    expect(page).to_have_url(re.compile("sentence="))
    at_rest(page)
    told = page.locator(".st-key-rounds-life_told strong")
    shown = told.first.inner_text()
    page.locator(".st-key-rounds-strips [data-item]").filter(has_not_text=shown).first.click()
    expect(page).to_have_url(re.compile("/rounds.*find="))
    expect(told.first).not_to_have_text(shown)
    expect(page.locator(".st-key-rounds-life_told").get_by_role("link", name="토큰 상세 보기")).to_be_visible()
    page.reload()
    expect(field).to_have_value("<b>영어 사전</b> & 🍊")


@pytest.mark.slow
def test_the_twin_is_trained_and_compared(page: Page, app_url: str) -> None:
    _rounds(page, app_url, "lang=ko&model=ko~vocab_size-3000")
    open_line(page.locator(".st-key-rounds-more-all"))
    expect(page).to_have_url(re.compile("more=all"))
    drawn(page)
    page.get_by_role("radio", name="다른 점수").click()
    expect(page).to_have_url(re.compile("versus=true"))
    expect(page.get_by_text(re.compile("두 어휘가 함께 남긴 토큰은"))).to_be_visible(timeout=120_000)
    page.get_by_role("radio", name="우도 손실(ML)만 남김").click()
    expect(page).to_have_url(re.compile("kept=second"))

"""A lecturer's own plan and slips in Chromium: revealed early, cleared, ended, resumed; what phones take home."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from app.texts.catalogue import translate
from tests.browser.actions import PHONE, at_rest, open_door

pytestmark = pytest.mark.slow

_PROJECTOR = {"viewport": {"width": 1280, "height": 720}}
# KakaoTalk's browser on Android: a lower window under its own bar, and its name at the end of the agent's.
_KAKAOTALK = {
    "viewport": {"width": 360, "height": 616},
    "user_agent": (
        "Mozilla/5.0 (Linux; Android 14; SM-S921N; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 "
        "Chrome/130.0.0.0 Mobile Safari/537.36 KAKAOTALK/11.2.0"
    ),
}
_LANGUAGES = ("ko", "en")


@pytest.fixture
def phones(browser: Browser) -> Iterator[list[Page]]:
    """A Korean phone in KakaoTalk's browser, and an English one in the dark."""
    korean = browser.new_context(**PHONE | _KAKAOTALK | {"has_touch": True, "locale": "ko-KR"})
    english = browser.new_context(**PHONE | {"has_touch": True, "locale": "en-US", "color_scheme": "dark"})
    yield [korean.new_page(), english.new_page()]
    korean.close()
    english.close()


def _ko(key: str, **values: object) -> str:
    return translate(f"room.{key}", "ko", **values)


def _press(page: Page, key: str) -> None:
    page.locator(f".st-key-{key.replace('.', '-')} button").first.click()


def _steer(page: Page) -> None:
    at_rest(page)
    page.get_by_role("button", name=_ko("steer"), exact=True).click()
    expect(page.locator(".st-key-lessons-room-ask_again")).to_be_visible()


def _close_steering(page: Page) -> None:
    at_rest(page)
    page.keyboard.press("Escape")
    _is_closed(page)


def _is_closed(page: Page) -> None:
    expect(page.locator(".st-key-lessons-room-ask_again")).to_have_count(0)


def _switch(page: Page, name: str) -> None:
    _steer(page)
    page.get_by_text(_ko(name), exact=True).click()
    _close_steering(page)


def _send(phone: Page) -> None:
    phone.locator("button.main").tap()
    expect(phone.locator(".sent")).to_be_visible()


def _reveal(page: Page) -> None:
    _press(page, "lessons.reveal")
    expect(page).to_have_url(re.compile("stage=reveal"))
    at_rest(page)


def _edited(page: Page, app_url: str) -> str:
    """The plan of 75 minutes with another title, a longer first step, and a question of one's own; its name."""
    page.goto(f"{app_url}/lessons?lang=ko&plan=75")
    page.get_by_text(translate("lessons.edit.title", "ko"), exact=True).click()

    def fill(label: str, text: str) -> None:
        at_rest(page)
        page.get_by_label(translate(label, "ko"), exact=True).fill(text)
        page.keyboard.press("Tab")

    fill("lessons.edit.name", "우리 반 <b>계획</b>")
    fill("lessons.edit.minutes", "9")
    fill("lessons.edit.notes", "두 사람씩 비교하게 하세요.")
    at_rest(page)
    _press(page, "lessons.edit.add_own")
    expect(page.get_by_text("합계 81분")).to_be_visible()
    fill("room.own.prompt_label", "내일 무엇을 더 알아볼까요?")
    at_rest(page)
    _press(page, "lessons.edit.save")
    expect(page).to_have_url(re.compile("plan=[0-9a-f]{24}"))
    return page.url.split("plan=")[1].split("&")[0]


@pytest.mark.slow(seconds=75)
@pytest.mark.parametrize("page", [_PROJECTOR], indirect=True)
def test_slips_are_taken_back_and_the_class_takes_its_answers_home(
    page: Page, phones: list[Page], app_url: str
) -> None:
    plan = _edited(page, app_url)
    page.goto(f"{app_url}/lessons?projector=true&lang=ko&plan={plan}")
    open_door(page)
    page.get_by_role("button", name=_ko("open"), exact=True).click()
    expect(page.get_by_text(_ko("code"))).to_be_visible()
    page.keyboard.press("Escape")
    room = page.url.split("room=")[1].split("&")[0]
    for phone in phones:
        phone.goto(f"{app_url}/join?room={room}")
        expect(phone.locator("h1")).to_be_visible()
    _switch(page, "attendance")
    _switch(page, "paused")
    for phone, language in zip(phones, _LANGUAGES, strict=True):
        expect(phone.get_by_text(translate("room.phone.paused", language))).to_be_visible()
        expect(phone.locator("h1")).to_have_count(0)
    _switch(page, "paused")
    for place, phone in enumerate(phones, start=1):
        phone.locator("button.place").nth(place).tap()
        _send(phone)
    expect(page.get_by_text("답 2 /")).to_be_visible()
    # Revealed too early: undone, for which there are ten seconds, and the answers are there.
    _press(page, "lessons.reveal")
    _press(page, "lessons.room.undo")
    expect(page.locator(".st-key-lessons-reveal")).to_be_visible()
    expect(phones[0].get_by_role("button", name=_ko("phone.change"))).to_be_visible()
    expect(page.get_by_text("답 2 /")).to_be_visible()
    # Asked again after a discussion; nobody's first answer is left.
    _reveal(page)
    _steer(page)
    _press(page, "lessons.room.ask_again")
    _close_steering(page)
    expect(page.locator(".st-key-lessons-reveal")).to_be_visible()
    expect(page.get_by_text("답 0 /")).to_be_visible()
    for phone in phones:
        expect(phone.locator(".sent")).to_have_count(0)  # of the answer before
        _send(phone)
    expect(page.get_by_text("답 2 /")).to_be_visible()
    _reveal(page)
    expect(phones[0].locator(".bar").first).to_be_attached()
    _steer(page)
    address = page.get_by_role("link", name=_ko("report")).get_attribute("href")
    report = page.context.new_page()
    report.goto(f"{app_url}/{address}")
    expect(report.locator("article h2").first).to_be_visible()
    codes = report.locator("ul.given li").all_inner_texts()
    assert len(codes) == 2 and "학교|에서도" in report.inner_text("main")
    report.close()
    # Ended by mistake: the phones say so, and come back.
    _press(page, "lessons.room.end")
    _is_closed(page)
    _press(page, "lessons.room.end_sure")
    for phone, language in zip(phones, _LANGUAGES, strict=True):
        expect(phone.get_by_text(translate("room.phone.ended", language))).to_be_visible()
    _press(page, "lessons.room.resume")
    expect(page.get_by_text(_ko("code"))).to_be_visible()
    for phone in phones:
        expect(phone.locator(".head")).to_be_visible(timeout=30_000)
    # Ended for good: each phone keeps what it answered and what the class said, also after a reload.
    _steer(page)
    _press(page, "lessons.room.end")
    _is_closed(page)
    _press(page, "lessons.room.end_sure")
    for phone, language in zip(phones, _LANGUAGES, strict=True):
        home = phone.get_by_role("link", name=translate("room.phone.alone", language))
        expect(home).to_have_attribute("href", f"lessons?lang={language}&plan={plan}")
        phone.reload()
        expect(home).to_be_visible()
        expect(phone.locator("section .place.cut")).to_have_count(1)
        assert any(code in phone.inner_text("main") for code in codes)
        assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")

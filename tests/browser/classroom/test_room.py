"""A class in the room in Chromium: a projector, phones in two languages, a reload, a lost connection."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from app.texts.catalogue import translate
from tests.browser.actions import PHONE, at_rest, open_door, wait_for_projector
from tests.browser.conftest import checked_page
from tests.browser.walk import menu_link

pytestmark = pytest.mark.slow

_PROJECTOR = {"viewport": {"width": 1280, "height": 720}}


def _ko(key: str, **values: object) -> str:
    return translate(f"room.{key}", "ko", **values)


def _open_room(page: Page, app_url: str) -> str:
    """A projected room, in three clicks from the start page."""
    page.goto(f"{app_url}/?lang=ko")
    at_rest(page)
    menu_link(page, "lessons", "ko").click()
    expect(page.locator(".st-key-lessons-head")).to_be_visible()
    at_rest(page)
    page.locator(".st-key-projector label").click()
    wait_for_projector(page)
    at_rest(page)
    open_door(page)
    page.get_by_role("button", name=_ko("open"), exact=True).click()
    expect(page.get_by_text(_ko("code"))).to_be_visible()
    at_rest(page)
    return page.url.split("room=")[1].split("&")[0]


def _join(page: Page, app_url: str, room: str) -> Page:
    page.goto(f"{app_url}/join?room={room}")
    expect(page.locator("h1")).to_be_visible()
    return page


@pytest.fixture
def phones(browser: Browser) -> Iterator[list[Page]]:
    """Two phones: one Korean, one English in the dark, whose console may say that it had no connection."""
    options = PHONE | {"has_touch": True}
    english = browser.new_context(**options | {"locale": "en-US", "color_scheme": "dark"})
    with checked_page(browser, **options | {"locale": "ko-KR"}) as first:
        yield [first, english.new_page()]
    english.close()


def _send(phone: Page) -> None:
    phone.locator("button.main").tap()
    expect(phone.locator(".sent")).to_be_visible()


@pytest.mark.parametrize("page", [_PROJECTOR], indirect=True)
def test_a_lesson_is_answered_by_phones(page: Page, phones: list[Page], app_url: str) -> None:
    room = _open_room(page, app_url)
    first, second = (_join(phone, app_url, room) for phone in phones)
    # Half an answer, a reload: it is still there; and nobody is told of others.
    first.locator("button.place").nth(1).tap()
    first.reload()
    expect(first.locator("button.place.cut")).to_have_count(1)
    _send(first)
    expect(second.locator("button.main")).to_have_text(translate("room.phone.send", "en"))
    second.context.set_offline(True)
    second.locator("button.place").nth(0).tap()
    second.locator("button.main").tap()
    expect(second.locator(".trouble")).to_have_text(translate("room.phone.offline", "en"))
    second.context.set_offline(False)
    expect(second.locator(".sent")).to_have_text(translate("room.phone.sent", "en"))
    expect(page.get_by_text("답 2 /")).to_be_visible()
    assert first.locator(".bar").count() == 0
    first.reload()
    expect(first.locator(".sent")).to_be_visible()
    page.get_by_role("button", name=translate("lessons.reveal", "ko")).click()
    expect(page.get_by_text(_ko("class", n=2), exact=True)).to_be_visible()
    expect(first.locator(".bar").first).to_be_attached()
    expect(second.locator(".place.cut")).to_have_count(1)
    # Taken back: what was sent is there, and is changed; one phone leaves with its answer.
    page.get_by_role("button", name=_ko("reopen")).click()
    first.get_by_role("button", name=_ko("phone.change")).tap()
    first.locator("button.place").nth(2).tap()
    _send(first)
    expect(first.locator(".place.cut")).to_have_count(2)
    second.get_by_role("button", name=translate("room.phone.withdraw", "en")).tap()
    second.get_by_role("button", name=translate("room.phone.withdraw_now", "en")).tap()
    expect(page.get_by_text("답 1 /")).to_be_visible()
    second.get_by_role("button", name=translate("room.phone.again", "en")).tap()
    expect(second.locator(".place.cut")).to_have_count(0)
    page.get_by_role("button", name=translate("lessons.reveal", "ko")).click()
    expect(page.get_by_text(_ko("class", n=1), exact=True)).to_be_visible()
    expect(first.locator(".bar").first).to_be_attached()
    page.get_by_role("button", name=translate("lessons.understand", "ko")).click()
    first.locator("button.option").first.tap()
    _send(first)

"""A whole class in Chromium: the plan of 50 minutes on a projector, three phones in two languages, and what goes wrong.

One phone reloads, one loses its connection, the server is killed once. With CLASS_PICTURES=FOLDER every step is kept
as a picture, to be looked at.
"""

import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from app.classroom.lessons import LESSONS, PLANS
from app.server.store.sqlite.database import FILE
from app.texts.catalogue import translate
from tests.app_server import AppServer
from tests.browser.actions import PHONE, at_rest, open_door

pytestmark = pytest.mark.slow

_LOOKS = [("ko-KR", "light"), ("ko-KR", "dark"), ("en-US", "dark")]
_RELOADS, _LOSES_CONNECTION, _LOSES_SERVER = "bpe", "unigram", "pays"
_OWN = {
    "cuts": "아버지가방에들어가신다",
    "choice": "조사\n어미\n접사",
    "numbers": "",
    "order": "글자\n형태소\n어절",
    "word": "",
    "merge": "low:5 lower:2 newest:6",
}
_HOSTILE = '<img src=x onerror="document.title=1"> [link](javascript:alert(1)) :material/home:'


class _Pictures:
    """Numbered pictures in a folder, if anybody wants them."""

    def __init__(self) -> None:
        folder = os.environ.get("CLASS_PICTURES")
        self._folder = Path(folder) if folder else None
        self._number = 0

    def take(self, page: Page, name: str) -> None:
        self._number += 1
        if self._folder is not None:
            page.wait_for_timeout(700)  # what fades in is there
            page.screenshot(path=self._folder / f"{self._number:03d}_{name}.png")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[AppServer]:
    """A server of its own, which may be killed."""
    app = AppServer(str(tmp_path), THUNDER_TOK_PUBLIC_URL="http://192.0.2.7:8501")
    yield app
    app.stop()


@pytest.fixture
def problems() -> list[str]:
    """Errors of the pages' scripts."""
    return []


@pytest.fixture
def lecturer(browser: Browser, problems: list[str]) -> Iterator[Page]:
    """The page on the projector."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, locale="ko-KR")
    context.set_default_timeout(90_000)
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(f"lecturer: {error}"))
    yield page
    context.close()


@pytest.fixture
def phones(browser: Browser, problems: list[str]) -> Iterator[list[Page]]:
    """Three phones."""
    contexts = [
        browser.new_context(**PHONE, has_touch=True, locale=locale, color_scheme=scheme) for locale, scheme in _LOOKS
    ]
    pages = [context.new_page() for context in contexts]
    for page in pages:
        page.on("pageerror", lambda error: problems.append(f"phone: {error}"))
    yield pages
    for context in contexts:
        context.close()


def _press(page: Page, key: str) -> None:
    page.locator(f".st-key-{key.replace('.', '-')} button").click()


def _begin(phone: Page, place: int) -> None:
    """Answer what is asked, without sending it; every phone says something else."""
    expect(phone.locator("button.main")).to_be_visible()
    cuts, options, fields = phone.locator("button.place"), phone.locator("button.option"), phone.locator("input")
    if cuts.count():
        for k in {place % cuts.count(), (2 * place + 1) % cuts.count()}:
            cuts.nth(k).tap()
    elif options.count():
        for k in range(options.count()):
            options.nth((k + place) % options.count()).tap()
            if phone.locator("button.main").is_enabled():
                break
    elif fields.count():
        for field in fields.all():
            field.fill(str(min(1 + place, int(field.get_attribute("max") or 9))))
    else:
        phone.locator("textarea").fill(f"{place} {_HOSTILE}")


def _send(phone: Page) -> None:
    phone.locator("button.main").tap()
    expect(phone.locator(".sent")).to_be_visible()


class _Class:
    """Lecturer and phones in their room."""

    def __init__(self, lecturer: Page, phones: list[Page], server: AppServer) -> None:
        self.lecturer, self.phones, self.server = lecturer, phones, server
        self.pictures = _Pictures()
        self.steps = 0

    def say(self, key: str, **values: object) -> str:
        return translate(f"room.{key}", "ko", **values)

    def picture(self, name: str) -> None:
        at_rest(self.lecturer)
        self.pictures.take(self.lecturer, name)

    def open(self) -> None:
        self.lecturer.goto(f"{self.server.url}/lessons?projector=true&lang=ko")
        self.picture("class")
        open_door(self.lecturer)
        self.picture("door")
        self.lecturer.get_by_role("button", name=self.say("open"), exact=True).click()
        expect(self.lecturer.get_by_text(self.say("code"))).to_be_visible()
        self.lecturer.keyboard.press("Escape")
        self.lecturer.get_by_role("button", name=self.say("join"), exact=True).click()
        self.picture("join")
        self.lecturer.keyboard.press("Escape")
        room = self.lecturer.url.split("room=")[1].split("&")[0]
        for phone in self.phones:
            phone.goto(f"{self.server.url}/join?room={room}")
            expect(phone.locator("h1")).to_be_visible()

    def answer(self, name: str, trouble: str = "") -> None:
        """All phones answer what is asked, and the lecturer sees that they have."""
        self.steps += 1
        self.picture(f"{name}_asked")
        for place, phone in enumerate(self.phones):
            _begin(phone, place)
            if place < 2:
                self.pictures.take(phone, f"{name}_phone{place}_thinks")
        if trouble == _RELOADS:
            draft = self.phones[2].locator("[aria-pressed=true]").all_inner_texts()
            self.phones[2].reload()
            expect(self.phones[2].locator("[aria-pressed=true]").first).to_be_visible()
            assert self.phones[2].locator("[aria-pressed=true]").all_inner_texts() == draft
        if trouble == _LOSES_CONNECTION:
            self.phones[2].context.set_offline(True)
            self.phones[2].locator("button.main").tap()
            expect(self.phones[2].locator(".trouble")).to_have_text(translate("room.phone.offline", "en"))
            self.pictures.take(self.phones[2], f"{name}_phone2_offline")
            self.phones[2].context.set_offline(False)
            expect(self.phones[2].locator(".sent")).to_have_text(translate("room.phone.sent", "en"))
        for phone in self.phones[:2]:
            _send(phone)
        if trouble == _LOSES_SERVER:
            self.server.restart()
        for phone in self.phones[2:]:
            if phone.locator("button.main").count():
                _send(phone)
        for phone in self.phones:  # a phone says that it was sent when the server has said so
            expect(phone.locator(".sent")).to_have_text(
                translate("room.phone.sent", phone.evaluate("document.documentElement.lang"))
            )
            assert phone.locator(".bar, .options li b").count() == 0
        self.pictures.take(self.phones[1], f"{name}_phone1_sent")
        expect(self.lecturer.locator(".st-key-lessons-room-bar")).to_contain_text("답 3 / 접속 3")

    def shown(self, name: str) -> None:
        """What the class said is on the projector and on every phone."""
        for phone in self.phones:
            expect(phone.locator("button.main")).to_have_count(0)
            expect(phone.locator(".sent")).to_contain_text("3")
        self.picture(f"{name}_shown")
        for place in (0, 1):
            self.pictures.take(self.phones[place], f"{name}_phone{place}_shown")
        assert self.lecturer.get_by_test_id("stException").count() == 0

    def play(self, lesson: str) -> None:
        self.answer(lesson, trouble=lesson)
        if not LESSONS[lesson].checks:
            _press(self.lecturer, "lessons.room.reveal")
            self.shown(lesson)
            return
        _press(self.lecturer, "lessons.reveal")
        self.shown(lesson)
        _press(self.lecturer, "lessons.understand")
        self.answer(f"{lesson}_check")
        _press(self.lecturer, "lessons.room.reveal")
        self.shown(f"{lesson}_check")
        _press(self.lecturer, "lessons.go_on")

    def ask(self, kind: str, content: str) -> None:
        """A question of the lecturer's own."""
        self.lecturer.get_by_role("button", name=self.say("own.title"), exact=True).click()
        self.lecturer.get_by_role("combobox", name=self.say("own.kind_label")).click()
        self.lecturer.get_by_role("option", name=self.say(f"own.kind.{kind}")).click()
        at_rest(self.lecturer)
        prompt = f"{kind}? {_HOSTILE}"
        self.lecturer.get_by_label(self.say("own.prompt_label"), exact=True).fill(prompt)
        self.lecturer.keyboard.press("Tab")
        at_rest(self.lecturer)
        if content:
            self.lecturer.get_by_label(self.say(f"own.content.{kind}"), exact=True).fill(content)
            self.lecturer.keyboard.press("Tab")
        self.picture(f"own_{kind}_form")
        self.lecturer.get_by_role("button", name=self.say("own.ask"), exact=True).click()
        self.lecturer.keyboard.press("Escape")
        for phone in self.phones:
            expect(phone.locator("h1")).to_have_text(prompt)
        if kind == "word":
            self.steer(self.lecturer.get_by_role("radio", name=self.say("timer_option", seconds=180)))
            for phone in self.phones:
                expect(phone.locator(".clock")).to_have_text(re.compile("[12]:[0-5][0-9]"))
        self.answer(f"own_{kind}")
        _press(self.lecturer, "lessons.room.reveal")
        self.shown(f"own_{kind}")
        if kind == "word":
            expect(self.lecturer.get_by_text("onerror").last).to_be_visible()
            self.lecturer.get_by_role("button", name=self.say("hide"), exact=True).first.click()
            expect(self.lecturer.get_by_role("button", name=self.say("show_again"))).to_be_visible()
        for page in (self.lecturer, *self.phones):
            assert page.locator("img[src='x'], a[href^='javascript']").count() == 0
            assert page.title() != "1"

    def steer(self, control: Locator) -> None:
        at_rest(self.lecturer)
        self.lecturer.get_by_role("button", name=self.say("steer"), exact=True).click()
        expect(control).to_have_count(1)
        control.click()
        self.picture("steer")
        self.lecturer.keyboard.press("Escape")

    def roam(self) -> None:
        """Everybody into the app, and back."""
        _press(self.lecturer, "lessons.room.back")
        expect(self.lecturer.locator(".st-key-lessons-room-back")).to_have_count(0)
        at_rest(self.lecturer)
        self.lecturer.locator(".st-key-lessons-previous button").first.click()
        expect(self.lecturer).to_have_url(re.compile("lesson=thunder"))
        for phone in self.phones:
            expect(phone.locator("button.main")).to_have_count(0)  # its check was answered, and shown
        self.steer(self.lecturer.get_by_text(self.say("roam"), exact=True))
        for phone in self.phones:
            expect(phone.locator("a.main")).to_have_attribute("href", re.compile("lessons\\?.*lesson=thunder"))
        self.pictures.take(self.phones[0], "roam_phone0")
        self.steer(self.lecturer.get_by_text(self.say("roam"), exact=True))
        for phone in self.phones:
            expect(phone.locator("a.main")).to_have_count(0)


@pytest.mark.slow(seconds=110)
def test_the_plan_of_fifty_minutes(
    lecturer: Page, phones: list[Page], server: AppServer, problems: list[str], tmp_path: Path
) -> None:
    room = _Class(lecturer, phones, server)
    room.open()
    for lesson in PLANS["50"].by_name:
        room.play(lesson)
    for kind, content in _OWN.items():
        room.ask(kind, content)
    room.roam()
    with sqlite3.connect(tmp_path / FILE) as db:
        kept = Counter(db.execute("SELECT step, student FROM answer").fetchall())
    assert set(kept.values()) == {1}
    assert len(kept) == 3 * room.steps == 3 * (2 * len(PLANS["50"].steps) - 1 + len(_OWN))
    assert problems == []

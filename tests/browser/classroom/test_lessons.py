"""The page Class in Chromium: cuts by mouse, touch and keyboard, no reveal before its time, every lesson looked at."""

import json
import random
import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from app.classroom.lessons import LESSONS, PAYS_MODEL, asked_in
from app.classroom.room.posed_question import step_of
from app.texts.catalogue import translate
from engine.public.load import is_available
from tests.browser.actions import PHONE, at_rest, go_back, open_door, wait_for_projector
from tests.browser.drawn import drawn

pytestmark = pytest.mark.slow

_PROJECTOR = {"viewport": {"width": 1280, "height": 720}}
# An answer to each question, in Korean and in English.
_GUESSES = {
    "tokens": ("2", "6"),
    "words": ("20", "20"),
    "bpe": ("마-시", "l-o"),
    "wordpiece": ("하-다", "t-h"),
    "unigram": ("2", "2"),
    "em": ("달리", "ug"),
    "bytes": ("7_4_18", "7_4_18"),
    "pays": ("2", "2"),
    "thunder": ("short", "short"),
    "boundaries": ("2.6", "3.6"),
}


def _open(page: Page, app_url: str, **params: str) -> None:
    page.goto(f"{app_url}/lessons?{urlencode(params)}")
    expect(page.get_by_test_id("stMain").locator("h2, h3").first).to_be_visible()
    at_rest(page)


@pytest.mark.parametrize("page", [_PROJECTOR], indirect=True)
def test_a_text_is_cut_by_mouse_and_keyboard_before_anything_is_shown(page: Page, app_url: str) -> None:
    _open(page, app_url, lang="ko")
    places = page.locator("button.place")
    reveal = page.get_by_role("button", name=translate("lessons.reveal", "ko"))
    expect(reveal).to_be_disabled()
    assert page.locator("[data-token]").count() == 0
    places.nth(1).click()
    expect(page).to_have_url(re.compile(r"guess=2(&|$)"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile(r"guess=2\.3(&|$)"))
    page.keyboard.press("Space")  # taken back
    expect(page).to_have_url(re.compile(r"guess=2(&|$)"))
    expect(places.nth(1)).to_have_attribute("aria-pressed", "true")
    assert page.locator("[data-token]").count() == 0
    reveal.click()
    expect(page.locator("[data-token]").first).to_be_visible()
    for row in ("you", "morphemes"):
        expect(page.get_by_text(translate(f"lessons.row.{row}", "ko")).first).to_be_attached()
    expect(page).to_have_url(re.compile("stage=reveal"))


def test_whoever_works_alone_goes_on_where_they_stopped(page: Page, app_url: str) -> None:
    _open(page, app_url, lang="en", plan="90", lesson="bpe", guess="l-o")
    _press(page, "lessons.reveal")
    expect(page).to_have_url(re.compile("stage=reveal"))
    _press(page, "lessons.understand")
    expect(page).to_have_url(re.compile("stage=understand"))
    at_rest(page)
    _open(page, app_url, lang="en", plan="90", lesson="bpe")  # the next day, by the plan's link
    expect(page).to_have_url(re.compile("guess=l-o.*stage=understand"))
    expect(page.locator(".st-key-lessons-check")).to_be_visible()
    expect(page.get_by_role("combobox").first).to_have_value(re.compile("✓$"))
    # A link says something else. What the browser remembers it has told before any click.
    _open(page, app_url, lang="en", plan="90", lesson="bpe", guess="e-s")
    _press(page, "lessons.reveal")
    expect(page).to_have_url(re.compile("guess=e-s.*stage=reveal"))
    _open(page, app_url, lang="ko", plan="90", lesson="bpe")  # other words, other answers
    page.get_by_text(translate("frame.projector", "ko"), exact=True).click()
    wait_for_projector(page)
    assert "guess" not in page.url
    page.evaluate("localStorage.setItem('thunder-tok.lessons', '[{\"en.bpe\": 3}, null]')")
    _open(page, app_url, lang="en", plan="90", lesson="bpe")
    assert "guess" not in page.url


@pytest.mark.parametrize("page", [PHONE | {"has_touch": True}], indirect=True)
def test_a_text_is_cut_by_touch(page: Page, app_url: str) -> None:
    _open(page, app_url, lang="ko", plan="90", lesson="boundaries")
    page.locator("button.place").nth(5).tap()
    expect(page).to_have_url(re.compile(r"guess=6(&|$)"))
    page.locator("button.place").nth(1).tap()
    expect(page).to_have_url(re.compile(r"guess=2\.6(&|$)"))


def _press(page: Page, key: str) -> None:
    page.locator(f".st-key-{key.replace('.', '-')} button").click()


# Without a room the English question takes two lines and its buttons a third; with one it fits (the test below).
_HIGHEST = {("unigram", "reveal"): 800}
_EDITOR = 56


@pytest.mark.slow(seconds=60)
@pytest.mark.parametrize(("lang", "axe_on"), [("ko", "phone"), ("en", "projector")])
def test_every_lesson_is_accessible_and_on_one_screen(
    page: Page, app_url: str, lang: str, axe_on: str, serious: Callable[[Page], list[str]]
) -> None:
    assert [*_GUESSES, "exit"] == list(LESSONS)
    problems = []
    _open(page, app_url, lang=lang, plan="90")
    for lesson, guesses in _GUESSES.items():
        page.set_viewport_size(_PROJECTOR["viewport"])
        link = {"lang": lang, "plan": "90", "lesson": lesson, "guess": guesses[lang == "en"]}
        go_back(page, f"/lessons?{urlencode(link)}")
        name = translate(f"lesson.{lesson}.name", lang)
        expect(page.get_by_role("combobox").first).to_have_value(re.compile(re.escape(name)))
        at_rest(page)
        for stage in ("predict", "reveal", "understand"):
            if stage != "predict":
                page.set_viewport_size(_PROJECTOR["viewport"])
                _press(page, f"lessons.{stage}")
                expect(page).to_have_url(re.compile(f"stage={stage}"))
            for name, look in (("projector", _PROJECTOR), ("phone", PHONE)):
                page.set_viewport_size(look["viewport"])
                drawn(page)
                width, height = look["viewport"].values()
                if name == axe_on:
                    problems += [f"{lesson} {stage}: {one}" for one in serious(page)]
                tall = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
                if page.evaluate("document.documentElement.scrollWidth") > width:
                    problems.append(f"{lesson} {stage}: wider than the {name}")
                # On a phone the first screen may scroll to the folded editor of plans below it.
                fits = height + _EDITOR * (lesson == "tokens" and name == "phone")
                if (stage == "predict" or name == "projector") and tall > _HIGHEST.get((lesson, stage), fits):
                    problems.append(f"{lesson} {stage}: {tall} high on the {name}")
    assert problems == [], "\n".join(problems)


def _answer(page: Page, app_url: str, room: str, lesson: str, lang: str, is_check: bool) -> None:
    """Twelve phones answer what the room asks."""
    question = asked_in(LESSONS[lesson], lang, is_available(PAYS_MODEL))[is_check]
    step, dice = step_of(lesson, lang, is_check), random.Random(1)
    for number in range(12):
        answer = question.write(question.simulated(lang, dice))
        said = {"room": room, "student": f"{number:024d}", "step": step, "answer": answer}
        page.request.post(f"{app_url}/join/answer?lang={lang}", data=json.dumps(said))
    expect(page.locator(".st-key-lessons-room-bar")).to_contain_text("12")


@pytest.mark.slow(seconds=60)
@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize("page", [_PROJECTOR], indirect=True)
def test_every_stage_of_a_class_is_on_one_screen(page: Page, app_url: str, lang: str) -> None:
    """Question, what the class said, and one figure, on a projector; free words scroll in a box of their own."""
    too_high = []

    def look(name: str) -> None:
        at_rest(page)
        # Figures are drawn, and so as high as they will be, after the script has ended.
        page.wait_for_function("document.querySelectorAll('.stPlotlyChart:not(:has(.main-svg))').length === 0")
        height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
        too_high.extend([f"{name}: {height}"] if height > _PROJECTOR["viewport"]["height"] else [])

    _open(page, app_url, lang=lang, plan="90", projector="true")
    open_door(page)
    _press(page, "lessons.room.open")
    expect(page).to_have_url(re.compile("room="))
    page.keyboard.press("Escape")
    room = parse_qs(urlsplit(page.url).query)["room"][0]
    for lesson in LESSONS:
        expect(page).to_have_url(re.compile(f"lesson={lesson}" if lesson != "tokens" else "room="))
        look(f"{lesson} asked")
        _answer(page, app_url, room, lesson, lang, False)
        if lesson == "exit":
            break
        _press(page, "lessons.reveal")
        expect(page).to_have_url(re.compile("stage=reveal"))
        look(f"{lesson} revealed")
        _press(page, "lessons.understand")
        expect(page).to_have_url(re.compile("stage=understand"))
        look(f"{lesson} check")
        _answer(page, app_url, room, lesson, lang, True)
        _press(page, "lessons.room.reveal")
        expect(page.locator(".st-key-lessons-room-reveal")).to_have_count(0)
        look(f"{lesson} check shown")
        _press(page, "lessons.go_on")
    _press(page, "lessons.room.reveal")
    expect(page.locator(".st-key-lessons-room-words")).to_be_visible()
    look("exit shown")
    assert too_high == [], "\n".join(too_high)


@pytest.mark.parametrize("page", [_PROJECTOR], indirect=True)
def test_letters_are_large_on_a_projector_and_the_menu_is_a_strip(page: Page, app_url: str) -> None:
    _open(page, app_url, lang="ko", guess="2", stage="reveal")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    wait_for_projector(page, is_on=False)
    page.get_by_text(translate("frame.projector", "ko"), exact=True).click()
    wait_for_projector(page)
    page.wait_for_function("document.querySelector('[data-testid=stSidebar]').clientWidth < 80")
    expect(page.locator(".st-key-language_switch")).to_be_visible()
    letters = page.locator("svg .characters text:not(.space)")
    large = re.compile(r"^(2[89]|[3-9]\d)")
    # A text that just fits its line is not drawn smaller for it.
    for width in range(1280, 1000, -8):
        page.set_viewport_size({"width": width, "height": 720})
        expect(letters.first).to_have_attribute("font-size", large)
    page.set_viewport_size(_PROJECTOR["viewport"])
    # The browser remembers it.
    page.goto(f"{app_url}/?lang=ko")
    wait_for_projector(page)
    expect(page.locator("svg .characters text").first).to_be_visible()
    sizes = page.locator("svg .characters text:not(.space)").evaluate_all(
        "(all) => all.map((one) => parseFloat(one.getAttribute('font-size')))"
    )
    assert sizes and min(sizes) >= 28
    page.get_by_text(translate("frame.projector", "ko"), exact=True).click()
    wait_for_projector(page, is_on=False)
    at_rest(page)
    _open(page, app_url, lang="ko")
    wait_for_projector(page, is_on=False)
    # An address of old switches it on, and is without it from then on.
    _open(page, app_url, lang="ko", projector="true")
    wait_for_projector(page)
    assert "projector" not in page.url

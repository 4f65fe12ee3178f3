"""Texts that the picture follows while one types: nothing is lost, the cursor stays, composition is not disturbed."""

import re
from urllib.parse import quote, unquote

import pytest
from playwright.sync_api import CDPSession, Locator, Page, WebSocketRoute, expect

from tests.browser.drawn import drawn
from tests.browser.walk import a_run

# The parameter of each page's first field.
_PAGES = {"": "text", "lattice": "text", "rounds": "sentence"}
_TOYS = {"learn_bpe": "words", "learn_unigram": "word", "learn_bytes": "text"}


def _open(page: Page, app_url: str, name: str = "", text: str = "나무") -> Locator:
    page.goto(f"{app_url}/{name}?lang=ko&{(_PAGES | _TOYS)[name]}=~{quote(text)}")
    field = page.locator(".st-key-topic textarea.live")
    expect(field).to_have_value(text)
    drawn(page)
    field.focus()
    page.keyboard.press("End")
    return field


def _picture(page: Page) -> Locator:
    """What stands in the bars of the picture."""
    return page.locator(".st-key-picture")


def _compose(keyboard: CDPSession, text: str) -> None:
    """As an input method does that has not finished its syllable."""
    keyboard.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})


@pytest.mark.parametrize("name", ["", "rounds"])  # of the lattice: test_lattice.py
def test_the_picture_follows_the_keys_and_the_address_a_pause(page: Page, app_url: str, name: str) -> None:
    field = _open(page, app_url, name)
    page.keyboard.type("가 자란다", delay=30)
    expect(_picture(page)).to_contain_text("란")
    assert "%20" not in page.url
    expect(page).to_have_url(re.compile(r"%EC%9E%90|=z"))
    expect(field).to_have_value("나무가 자란다")
    expect(field).to_be_focused()


@pytest.mark.slow
@pytest.mark.parametrize("name", _TOYS)
def test_a_toy_follows_the_keys_and_what_is_below_a_pause(page: Page, app_url: str, name: str) -> None:
    field = _open(page, app_url, name, "마시")
    page.keyboard.type("다", delay=30)
    expect(_picture(page)).to_contain_text("다")
    expect(page).to_have_url(re.compile(quote("마시다")))
    expect(field).to_have_value("마시다")
    expect(field).to_be_focused()


def test_no_letter_is_lost_and_the_cursor_stays(page: Page, app_url: str) -> None:
    field = _open(page, app_url)
    text = "the quick brown fox jumps over the lazy dog "
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    page.keyboard.type(text, delay=15)
    expect(field).to_have_value(f"{text}나무")
    expect(page.locator('[data-item^="0."]').last).to_have_attribute("aria-label", re.compile("^무|나무"))
    assert field.evaluate("(field) => field.selectionStart") == len(text)
    page.keyboard.press("Control+z")
    expect(field).not_to_have_value(f"{text}나무")


def test_lines_that_stay_the_same_are_not_drawn_again(page: Page, app_url: str) -> None:
    """Only the first line, which has the counts, and the last; what is said of the tokens between is up to date."""
    _open(page, app_url, text="나무가 자란다. 사람이 걷는다. " * 6)
    lines = page.locator(".lines .line")
    assert lines.count() > 2
    lines.evaluate_all("(lines) => lines.forEach((line) => (line.dataset.before = ''))")
    tokens = lines.nth(1).locator("[data-item]")
    before = tokens.first.get_attribute("aria-label") or ""
    page.keyboard.type("끝말")
    expect(lines.last).to_contain_text("말")
    assert lines.evaluate_all("(lines) => lines.map((line) => 'before' in line.dataset)")[1:] == [True] * (
        lines.count() - 2
    ) + [False]
    expect(tokens.first).not_to_have_attribute("aria-label", before)
    tokens.first.click()
    expect(tokens.first).to_have_attribute("aria-pressed", "true")
    expect(page.locator('.lines [tabindex="0"]')).to_have_count(1)


def test_a_syllable_is_cut_while_it_is_composed(page: Page, app_url: str) -> None:
    field = _open(page, app_url)
    keyboard = page.context.new_cdp_session(page)
    for stage in ("ㄷ", "다", "닭"):
        _compose(keyboard, stage)
        expect(_picture(page)).to_contain_text(stage)
    page.wait_for_timeout(1000)  # longer than a pause
    assert "닭" not in unquote(page.url)
    keyboard.send("Input.insertText", {"text": "닭"})
    expect(field).to_have_value("나무닭")
    expect(page).to_have_url(re.compile("=~.*%EB%8B%AD"))


def test_an_example_replaces_the_text_and_typing_goes_on(page: Page, app_url: str) -> None:
    field = _open(page, app_url)
    with a_run(page):
        page.locator("[class*='st-key-explore-example-']").get_by_role("radio").nth(1).click()
    expect(field).to_have_value(re.compile("챗GPT"))
    field.focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("?")
    expect(field).to_have_value(re.compile(r"챗GPT.*\?$"))
    expect(_picture(page)).to_contain_text("?")


def test_a_typed_text_survives_a_click_before_its_answer_has_come(page: Page, app_url: str) -> None:
    """The browser then still sends the example that was marked before."""
    held: list[str | bytes] = []
    is_holding = False

    def route(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda message: held.append(message) if is_holding else socket.send(message))
        sockets.append(socket)

    sockets: list[WebSocketRoute] = []
    page.route_web_socket(re.compile("stream"), route)
    page.goto(f"{app_url}/?lang=ko")
    field = page.locator(".st-key-topic textarea.live")
    drawn(page)
    field.fill("나무가 자란다")
    expect(page.locator('[data-item="0.0"]')).to_have_attribute("aria-label", re.compile("^나"))
    is_holding = True
    page.wait_for_timeout(1500)  # longer than a pause
    page.locator('[data-item="0.0"]').click()
    page.wait_for_timeout(500)
    is_holding = False
    for message in held:
        sockets[-1].send(message)
    expect(page.locator(".st-key-explore-token")).to_be_visible()
    expect(field).to_have_value("나무가 자란다")


@pytest.mark.slow
def test_screen_readers_hear_the_counts_at_a_pause_and_a_phone_shows_them(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    _open(page, app_url)
    expect(page.locator(".counts")).to_be_hidden()
    page.evaluate(
        """() => {
          Object.defineProperty(visualViewport, "height", { value: 420 });
          visualViewport.dispatchEvent(new Event("resize"));
        }"""
    )
    expect(page.locator(".counts")).to_have_text(re.compile(r"^Thunder-Tok \d+ · Thunder-Tok 32k \d+ · "))
    page.keyboard.type("가 자란다")
    expect(page.locator(".heard")).to_have_text(re.compile(r"^Thunder-Tok \d+, Thunder-Tok 32k \d+, "))
    page.locator('[data-item="0.1"]').first.click()
    expect(page.locator(".st-key-explore-token")).to_be_in_viewport()

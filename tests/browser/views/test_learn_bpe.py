"""The BPE and WordPiece lessons in a browser: decide a tie in the table, come back by the link, segment a word."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from tests.browser.actions import at_rest


def _player(page: Page, app_url: str, path: str, name: str) -> Locator:
    page.goto(f"{app_url}/{path}")
    player = page.get_by_role("group", name=name, exact=True)
    expect(player.get_by_role("slider")).to_be_visible(timeout=120_000)
    at_rest(page)
    return player


@pytest.mark.slow
def test_a_tie_is_decided_in_the_table_and_kept_in_the_link(page: Page, app_url: str) -> None:
    player = _player(page, app_url, "learn_bpe?lang=en", "BPE and WordPiece")
    for _ in range(2):
        player.get_by_role("button", name="Step", exact=True).click()
    expect(player.get_by_text("The corpus shrank from 87 to 78 tokens.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]step=2"))
    at_rest(page)
    player.get_by_role("button", name=re.compile("e.\\+.w")).click()
    expect(player.get_by_role("heading", name="Merge 3: e + w → ew")).to_be_visible()
    expect(player.get_by_text("your choice is merged next: ‘e + w’")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]picks=2\.1"))
    at_rest(page)
    player.get_by_role("button", name="Step", exact=True).click()
    expect(player.get_by_role("heading", name="Merge 4: n + ew → new")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]step=3"))
    page.reload()
    expect(player.get_by_role("heading", name="Merge 4: n + ew → new")).to_be_visible()
    player.get_by_role("button", name="Back", exact=True).click()
    expect(player.get_by_role("heading", name="Merge 3: e + w → ew")).to_be_visible()


@pytest.mark.slow
def test_who_steps_on_while_the_server_works_is_not_thrown_back(
    page: Page, app_url: str, wait_until: Callable[..., None]
) -> None:
    sent: list[str | bytes] = []
    held: list[str | bytes] | None = None
    sockets: list[WebSocketRoute] = []

    def route(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        sockets.append(socket)
        socket.on_message(lambda message: (sent.append(message), server.send(message)))
        server.on_message(lambda message: socket.send(message) if held is None else held.append(message))

    page.route_web_socket(re.compile("/_stcore/stream"), route)
    player = _player(page, app_url, "learn_bpe?lang=en&step=2", "BPE and WordPiece")
    expect(player.get_by_role("heading", name=re.compile("^Merge 3"))).to_be_visible()
    before, held = len(sent), []
    page.get_by_role("slider", name="Merges").press("ArrowRight")
    wait_until(lambda: player.is_visible() and len(sent) == before + 1)
    player.get_by_role("button", name="Step", exact=True).click()
    wait_until(lambda: player.is_visible() and len(sent) == before + 2)
    while held:
        sockets[-1].send(held.pop(0))
    held = None
    expect(player.locator(".counter")).to_have_text("step 3 of 9")
    expect(page).to_have_url(re.compile(r"[?&]step=3"))
    at_rest(page)
    expect(player.locator(".counter")).to_have_text("step 3 of 9")


@pytest.mark.slow
def test_the_segmenter_replays_the_merges(page: Page, app_url: str) -> None:
    player = _player(page, app_url, "learn_bpe?lang=en&word=~slow", "Segment a new word")
    expect(
        player.get_by_text(re.compile("After skipping 4 merges that do not occur here, no. 5 applies"))
    ).to_be_visible()
    player.locator(".stage").focus()
    page.keyboard.press("End")
    expect(player.locator(".chip")).to_have_text([re.compile("s$"), re.compile("low_$")])
    expect(page).to_have_url(re.compile(r"[?&]at=3"))


@pytest.mark.slow
def test_the_longest_match_is_stepped(page: Page, app_url: str) -> None:
    player = _player(page, app_url, "learn_bpe?lang=en&view=wordpiece", "Segment a new word: longest match")
    page.get_by_role("radio", name=re.compile("^unhappiness is unlearnable")).click()
    expect(player.get_by_role("heading", name="‘unhappiness’: looking for token 1")).to_be_visible()
    player.locator(".stage").focus()
    page.keyboard.press("End")
    expect(player.get_by_text("26 characters (spaces included) in 3 words became 6 tokens.")).to_be_visible()

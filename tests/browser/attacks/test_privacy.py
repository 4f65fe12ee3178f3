"""Two visitors of one server: nothing that one writes, uploads, trains or saves reaches the other, or the server's log.

What the other one receives is read off the websocket: whatever a page shows, and what it keeps folded, came that way.
On the same walk what they see is drawn whole under the server's Content-Security-Policy.
"""

import json
import random
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Page, WebSocket, expect

from app.texts.catalogue import template
from tests.browser.conftest import checked_page
from tests.browser.drawn import open_line
from tests.browser.policy import drawn_under_policy, n_fonts, note_refusals
from tests.browser.walk import a_run, add_text, go_to, lists, open_first, settle, type_everywhere, walk
from tests.menu import PAGES

# In whatever the first visitor gives, and nowhere else.
_SECRET = "vqzxkj"

# Ids that open something for whoever has them, as they stand in addresses: their form, and what is said of a wrong one.
_IDS = {
    "model=text.": ("[0-9a-f]{24}", "model.gone"),
    "model=run.": (r"[\w-]{22}", "model.run_gone"),
    "text=%40": ("[0-9a-f]{24}", "frame.text_gone"),
    "job=": ("[0-9a-f]{32}", "job.unknown"),
}

# Where a visitor's texts, files and models are given and kept.
_GIVEN_ON = ("train", "explore")

# Pages and views without a field for text.
_WITHOUT_FIELDS = {
    "cost/premium",
    "cost/languages",
    "scores/distributions",
    "token/stability",
    "boundaries/scores",
    "boundaries/errors",
    "growth/curves",
    "growth/matrix",
    "growth/mixture",
    "growth/languages",
    "morphology/scores",
    "compare/vocabularies",
    "compare/ablation",
    "compare/audit",
    "papers",
    "search/compare",
}


class Received:
    """Everything that the server sent to a page."""

    def __init__(self, page: Page) -> None:
        self._frames: list[bytes] = []
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._take)

    def _take(self, payload: str | bytes) -> None:
        self._frames.append(payload.encode() if isinstance(payload, str) else payload)

    def around(self, word: str) -> list[bytes]:
        """What stands around every place of the word, in capitals or not."""
        pattern = re.compile(b".{0,60}" + re.escape(word.encode()) + b".{0,60}", re.IGNORECASE | re.DOTALL)
        return [match[0] for frame in self._frames for match in pattern.finditer(frame)]

    def last(self, before: str, form: str) -> str:
        """The last text of that form after the word."""
        pattern = re.compile(re.escape(before.encode()) + b"(" + form.encode() + b")")
        return [found.decode() for frame in self._frames for found in pattern.findall(frame)][-1]


def _en(key: str) -> str:
    """The English text, up to what is filled in."""
    return template(key, "en").split("{")[0].strip(" (“")


def _file(name: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def _text() -> bytes:
    words = ["나무에", "꽃이", "피었다.", "새가", "앉았다.", f"{_SECRET}corpus"]
    dice = random.Random(1)
    return "".join(" ".join(dice.sample(words, 4)) + "\n" for _ in range(200)).encode()


@contextmanager
def _visitor(browser: Browser, url: str) -> Iterator[tuple[Page, Received]]:
    with checked_page(browser) as page:
        received = Received(page)
        note_refusals(page)
        open_first(page, url)
        yield page, received


def _train_on_a_file(page: Page) -> None:
    go_to(page, "train")
    with a_run(page):
        page.get_by_role("button", name=_en("corpus.own")).click()
    loader = page.locator(".st-key-corpus-file input[type=file]")
    with a_run(page):
        loader.set_input_files(_file(f"{_SECRET}name.txt", _text()))
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
    size = page.get_by_label(_en("train.size.label"), exact=True)
    with a_run(page):
        size.fill("300")
        size.press("Enter")
    _start(page)


def _start(page: Page) -> None:
    start = page.get_by_role("button", name=_en("train.start"))
    expect(start).to_be_enabled()
    start.click()
    expect(page.get_by_text("All pages now show")).to_be_visible(timeout=120_000)  # also if an equal one is there
    settle(page)


def _load_a_broken_file(page: Page) -> None:
    """The refusal quotes the file to whoever loaded it."""
    loader = page.get_by_test_id("stExpander").filter(has_text=_en("train.file.load"))
    open_line(loader)
    content = {"model": {"type": f"{_SECRET}kind"}}
    loader.locator("input[type=file]").set_input_files(_file(f"{_SECRET}broken.json", json.dumps(content).encode()))
    expect(page.get_by_text(f"{_SECRET}kind").first).to_be_visible()


def _keep_a_long_text(page: Page) -> None:
    """A text that is too long for an address, kept on the server for a link."""
    go_to(page, "explore")
    dice = random.Random(2)
    area = page.get_by_label(_en("explore.text"), exact=True)
    area.fill(f"{_SECRET}long " + " ".join(f"{dice.randrange(10**9)}" for _ in range(700)))
    area.blur()
    page.get_by_role("button", name=_en("frame.text_save")).click()
    expect(page.get_by_text(_en("frame.text_linked"))).to_be_visible()
    settle(page)


def _save(page: Page) -> None:
    go_to(page, "train")
    page.get_by_label(_en("library.save.name"), exact=True).fill(f"{_SECRET}run")
    page.get_by_role("button", name=_en("library.save.button"), exact=True).click()
    expect(page.get_by_label(_en("library.choose"), exact=True)).to_have_value(f"{_SECRET}run")
    settle(page)


def _expect_private(browser: Browser, app_url: str, app_log: Path, pages: Collection[str]) -> None:
    """One visitor gives a secret wherever something can be given; another looks at these pages."""
    with (
        _visitor(browser, f"{app_url}/?lang=en&with=none") as (own, given),
        _visitor(browser, f"{app_url}/?lang=en&with=none") as (other, received),
    ):
        _train_on_a_file(own)
        _load_a_broken_file(own)
        _keep_a_long_text(own)
        _save(own)
        add_text(own, f"{_SECRET}text.txt", f"{_SECRET}measured\n".encode())
        without_fields = set()
        for where in walk(own, pages):
            if where == "morphology/grid":  # it asks for its stems once it has a tokenizer
                with a_run(own):
                    own.get_by_test_id("stMain").get_by_role("button", name="Thunder-Tok 8k", exact=True).click()
            if not type_everywhere(own, f"{_SECRET}typed"):
                without_fields.add(where)
        assert without_fields == {where for where in _WITHOUT_FIELDS if where.split("/")[0] in pages}
        ids = {kind: given.last(kind, form) for kind, (form, _) in _IDS.items()}
        key = own.evaluate("localStorage.getItem('thunder-tok.library-key')")
        assert given.around(_SECRET) and key

        for where in walk(other, pages):
            drawn_under_policy(other)
            for _ in lists(other):
                pass
            if where == "train":
                _start(other)
            assert received.around(_SECRET) == [], where
        assert n_fonts(other)
        for kind, value in ids.items():
            assert received.around(value) == [], kind
            # One letter beside it: nothing can be opened by trying.
            page = "" if kind == "text=%40" else "train"
            wrong = f"{kind}{'1' if value[0] == '0' else '0'}{value[1:]}"
            open_first(other, f"{app_url}/{page}?lang=en&with=none&{wrong}")
            expect(other.get_by_text(_en(_IDS[kind][1])).first).to_be_visible()
        assert received.around(key) == []
        assert received.around(_SECRET) == []
        assert _SECRET not in other.content()
    log = app_log.read_text(errors="replace").lower()
    assert [word for word in (_SECRET, key, *ids.values()) if word.lower() in log] == []


@pytest.mark.slow
def test_nothing_that_a_visitor_gives_reaches_another(browser: Browser, app_url: str, app_log: Path) -> None:
    _expect_private(browser, app_url, app_log, _GIVEN_ON)


@pytest.mark.slow
@pytest.mark.scale
def test_on_no_page_is_anything_of_another_visitor(browser: Browser, app_url: str, app_log: Path) -> None:
    _expect_private(browser, app_url, app_log, PAGES)

"""Tokens, names of files and names of runs that are HTML, script, Markdown or formulas: text on every page."""

import base64
import json
import random
import re
from collections.abc import Iterable

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from app.texts.catalogue import template
from tests.browser.conftest import SETTINGS, checked_page
from tests.browser.drawn import open_line
from tests.browser.injected import NAME, TOKENS, hover_figures, injected
from tests.browser.walk import a_run, add_text, go_to, lists, open_first, settle, type_everywhere, walk
from tests.menu import PAGES

_TEXT = " ".join(TOKENS)
_WORDS = ("나무에", "꽃이", "피었다.", "새가", "앉았다.", "one", "two")
# One page of strips, one of figures, one of tables; all pages: `make test-scale`.
_THREE_PAGES = ("lattice", "scores", "token")
_SETTINGS = "ko~vocab_size-340~pretokenizer-whitespace~max_token_bytes-64"


def _en(key: str) -> str:
    """The English text, up to what is filled in."""
    return template(key, "en").split("{")[0].strip(" (“")


def _corpus() -> str:
    dice = random.Random(1)
    return "\n".join(" ".join([*dice.sample(TOKENS, 4), *dice.sample(_WORDS, 3)]) for _ in range(60))


def _tokenizer_json() -> bytes:
    """A Unigram tokenizer with such tokens, such special tokens, and parts of such kinds."""
    letters = sorted({*"".join(TOKENS), *"".join(_WORDS)})
    vocabulary = [["<unk>", 0.0], *([token, -2.0] for token in TOKENS), *([letter, -9.0] for letter in letters)]
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    added = [{"id": len(vocabulary) + k, "content": f"{token} special", **special} for k, token in enumerate(TOKENS)]
    content = {
        "added_tokens": added,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": {"type": TOKENS[0]},
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocabulary},
    }
    return json.dumps(content).encode()


def _vocab_txt() -> bytes:
    letters = sorted({*"".join(TOKENS)})
    return "\n".join(["[UNK]", *TOKENS, *letters, *(f"##{letter}" for letter in letters)]).encode()


def _ranks() -> bytes:
    """Of tiktoken: every byte, and the beginnings of the tokens, each one byte longer than the last."""
    every = [bytes([byte]) for byte in range(256)]
    longer = [token.encode()[:end] for token in TOKENS for end in range(2, len(token) + 1)]
    tokens = list(dict.fromkeys([*every, *longer]))
    return b"\n".join(base64.b64encode(token) + f" {rank}".encode() for rank, token in enumerate(tokens))


def _train(page: Page, app_url: str) -> None:
    """Paste the tokens and train a vocabulary of them in the app."""
    open_first(page, f"{app_url}/train?lang=en&draft={_SETTINGS}")
    page.get_by_role("button", name=_en("corpus.own")).click()
    page.get_by_text(_en("corpus.paste")).first.click()
    area = page.get_by_label(_en("corpus.paste"))
    with a_run(page):
        area.fill(_corpus())
        area.blur()
    with a_run(page):
        page.get_by_role("button", name=_en("corpus.paste_add")).click()
    start = page.get_by_role("button", name=_en("train.start"))
    expect(start).to_be_enabled()
    start.click()
    expect(page.get_by_text("All pages now show")).to_be_visible(timeout=120_000)  # also if an equal one is there
    settle(page)


def _save(page: Page) -> str:
    """Keep the run under a name, and return the link to it."""
    go_to(page, "train")
    page.get_by_label(_en("library.save.name"), exact=True).fill(NAME)
    page.get_by_role("button", name=_en("library.save.button"), exact=True).click()
    expect(page.get_by_test_id("stMain").get_by_text(NAME).first).to_be_attached()  # a cell of a table
    settle(page)
    page.get_by_role("button", name=_en("library.share"), exact=True).click()
    code = page.get_by_test_id("stPopoverBody").locator("code")
    expect(code).to_have_text(re.compile("model=run"))
    link = code.inner_text()
    assert injected(page) == []
    page.keyboard.press("Escape")
    return link


def _load(page: Page, app_url: str) -> None:
    """Make a tokenizer.json the active model."""
    open_first(page, f"{app_url}/train?lang=en&with=none")
    loader = page.get_by_test_id("stExpander").filter(has_text=_en("train.file.load"))
    open_line(loader)
    with a_run(page):
        loader.locator("input[type=file]").set_input_files(_file(f"{NAME}.json", _tokenizer_json()))
    expect(page.get_by_test_id("stSidebar")).to_contain_text(f"{NAME}.json")
    settle(page)


def _load_beside(page: Page, **files: bytes) -> None:
    """Compare vocabularies from files, a name's ending each, with the active model."""
    go_to(page, "explore")
    open_line(page.locator(".st-key-tokenizer_set"))
    page.get_by_role("button", name=_en("set.more")).click()
    loader = page.get_by_test_id("stPopoverBody").locator("input[type=file]")
    for ending, data in files.items():
        with a_run(page):
            loader.set_input_files(_file(f"{NAME}.{ending}", data))
        others = page.get_by_test_id("stButtonGroup").filter(has_text=_en("set.others"))
        expect(others).to_contain_text(f"{NAME}.{ending}")
    page.keyboard.press("Escape")


def _file(name: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def _found(page: Page) -> list[str]:
    """What was made of the tokens, after a move over every figure."""
    settle(page)
    hover_figures(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    return injected(page)


def _expect_text_everywhere(page: Page, pages: Iterable[str] = PAGES) -> None:
    """Walk through the pages, and give every field the tokens: nothing is made of them, nothing breaks."""
    for where in walk(page, pages):
        _expect_text(page, where)


def _expect_text(page: Page, where: str) -> None:
    assert _found(page) == [], where
    if type_everywhere(page, _TEXT):
        assert _found(page) == [], where
    for label in lists(page):
        assert injected(page) == [], f"{where}, {label}"


def _expect_tokens_shown(page: Page) -> None:
    """A text that is typed stands on the page token by token, each as it was written."""
    go_to(page, "explore")
    # With many tokenizers beside it a longer text is shown in parts.
    for tokens in (TOKENS[11:], TOKENS[:11]):
        area = page.get_by_label(_en("explore.text"), exact=True)
        area.fill(" ".join(tokens))
        area.blur()
        expect(page.locator('[data-item="0.0"]')).to_have_attribute("aria-label", re.compile(re.escape(tokens[0])))
        settle(page)
        for token in tokens:
            expect(page.locator('[data-item^="0."]').and_(page.get_by_label(token)).first).to_be_attached()
        page.locator('[data-item="0.0"]').click()
        expect(page.get_by_role("heading", name=f"{_en('explore.token.heading')} {tokens[0]}")).to_be_visible()
        assert injected(page) == []


@pytest.mark.slow
def test_tokens_trained_in_the_app_are_text(page: Page, app_url: str) -> None:
    _train(page, app_url)
    _expect_tokens_shown(page)
    go_to(page, "token")
    for token in (TOKENS[2], TOKENS[5], TOKENS[-1]):
        field = page.get_by_label(_en("figure.token.label"), exact=True)
        field.fill(f" {token}")
        field.blur()
        expect(page.get_by_test_id("stMain").get_by_role("heading").filter(has_text=token)).to_be_visible()
        assert _found(page) == []


@pytest.mark.slow
@pytest.mark.scale
def test_tokens_trained_in_the_app_are_text_on_every_page(page: Page, app_url: str, browser: Browser) -> None:
    """As is the name of their run, for whoever gets to see it, and loaded vocabularies that are compared with it."""
    _train(page, app_url)
    _expect_text(page, "train")
    link = _save(page)
    with checked_page(browser) as guest:
        open_first(guest, f"{link}&lang=en")
        expect(guest.get_by_test_id("stSidebar")).to_contain_text(NAME)
        _load_beside(guest, json=_tokenizer_json(), txt=_vocab_txt(), tiktoken=_ranks())
        add_text(guest, f"{NAME}.txt", "\n".join(TOKENS).encode())
        _expect_text_everywhere(guest)
    with checked_page(browser) as teacher:
        open_first(teacher, f"{app_url}/train?lang=en")
        teacher.get_by_text(_en("library.teacher.heading")).click()
        teacher.get_by_label(_en("library.teacher.password")).fill(SETTINGS["THUNDER_TOK_TEACHER_PASSWORD"])
        teacher.get_by_role("button", name=_en("library.teacher.enter")).click()
        expect(teacher.get_by_role("button", name=_en("library.teacher.remove_all"))).to_be_visible()
        settle(teacher)
        expect(teacher.get_by_role("combobox", name=_en("library.choose"))).to_have_value(NAME)
        assert injected(teacher) == []
        for label in lists(teacher):
            assert injected(teacher) == [], label


@pytest.mark.slow
def test_a_loaded_vocabulary_is_text_on_pages_about_it(page: Page, app_url: str) -> None:
    _load(page, app_url)
    _load_beside(page, txt=_vocab_txt(), tiktoken=_ranks())
    _expect_tokens_shown(page)
    add_text(page, f"{NAME}.txt", "\n".join(TOKENS).encode())
    _expect_text_everywhere(page, _THREE_PAGES)

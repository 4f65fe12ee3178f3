"""A tokenizer of another program is brought in as a file and stands beside the others; a broken one is explained."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from engine.config import TrainingSettings
from engine.interop.huggingface.exporter import to_tokenizer_json
from engine.training import start_training
from tests.browser.actions import at_rest
from tests.browser.drawn import open_line

_LINES = ["나무에 꽃이 피었다.", "나무에 새가 앉았다.", "새가 꽃을 보았다."] * 5


@pytest.fixture(scope="module")
def tokenizer_json(tmp_path_factory: pytest.TempPathFactory) -> Path:
    training = start_training(_LINES, TrainingSettings(algorithm="byte-bpe", vocab_size=300, pretokenizer="gpt2"))
    for _ in training.rounds():
        pass
    path = tmp_path_factory.mktemp("files") / "tokenizer.json"
    path.write_bytes(to_tokenizer_json(training.model()))
    return path


@pytest.mark.slow
def test_an_imported_tokenizer_stands_beside_the_others(page: Page, app_url: str, tokenizer_json: Path) -> None:
    page.goto(f"{app_url}/?lang=en&with=none&text=~{'나무에 꽃이'}")
    expect(page.locator('[data-item^="0."]').first).to_be_visible(timeout=120_000)
    at_rest(page)
    open_line(page.locator(".st-key-tokenizer_set"))
    page.get_by_role("button", name=re.compile("Size and other models")).click()
    loader = page.get_by_test_id("stPopoverBody").locator("input[type=file]")
    hostile = b'{"model": ' + b"[" * 100_000
    loader.set_input_files({"name": "broken.json", "mimeType": "application/json", "buffer": hostile})
    expect(page.get_by_text("This file cannot be loaded:")).to_be_visible()
    at_rest(page)
    loader.set_input_files(tokenizer_json)
    expect(page.locator('[data-item^="1."]').first).to_be_visible(timeout=60_000)
    expect(page).to_have_url(re.compile(r"[?&]and=file\.[0-9a-f]{24}"))
    expect(page.get_by_text("tokenizer.json").filter(visible=True).first).to_be_visible()

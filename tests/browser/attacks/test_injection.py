"""HTML and script in everything that a visitor can write: shown as text on every page, run on none."""

from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from app.texts.catalogue import translate
from tests.browser.injected import injected
from tests.browser.walk import a_run, open_first, open_next, settle

_BAD = "<img src=x onerror=window.__hacked=1><svg><script>window.__hacked=1</script></svg>"
# A page for each component that draws what a visitor writes, figures, tables and a form; of all pages the protocol is
# looked at (tests/app/pages/test_labels.py).
_PARAMS = {
    "explore": {"text": "~" + _BAD, "with": "bytes.words"},
    "token": {"find": _BAD},
    "learn_bpe": {"words": "~" + _BAD, "word": "~" + _BAD},
    "learn_bytes": {"text": "~" + _BAD, "hex": _BAD},
    "cost": {"more": "fairness", "texts": _BAD, "with": "bytes"},
    "boundaries": {"sentence": "~" + _BAD, "gold": "ko_nospace"},
    "train": {"draft": _BAD, "job": _BAD},
}


@pytest.mark.slow
def test_parameters_of_the_url_are_text(page: Page, app_url: str) -> None:
    for number, (name, values) in enumerate(_PARAMS.items()):
        query = "".join(f"&{key}={quote(value)}" for key, value in values.items())
        if number:
            open_next(page, name, query)
        else:  # as from a message
            open_first(page, f"{app_url}/{name}?lang=en{query}")
        expect(page.get_by_test_id("stException")).to_have_count(0)
        assert injected(page) == [], name


@pytest.mark.slow
def test_what_markdown_makes_of_escaped_texts_too_is_text(page: Page, app_url: str) -> None:
    for text in (":material/skull: :skull: :streamlit:", "www.evil.example zq@evil.example", "-> -- <-> &lt; <= ~="):
        open_first(page, f"{app_url}/token?lang=en&find={quote(text)}")
        expect(page.get_by_role("heading", name=f"“{text.replace(' ', '␣')}”")).to_be_visible()
        assert injected(page) == []


@pytest.mark.slow
def test_file_names_and_their_text_are_text(page: Page, app_url: str, tmp_path: Path) -> None:
    open_first(page, f"{app_url}/train?lang=en")
    page.get_by_role("button", name=translate("corpus.own", "en")).click()
    hostile = {
        "name": "<img src=x onerror=window.__hacked=1>.txt",
        "mimeType": "text/plain",
        "buffer": (_BAD + "\n").encode() * 20,
    }
    uploaders = page.get_by_test_id("stPopoverBody").get_by_test_id("stFileUploader")
    expect(uploaders.first).to_be_visible()
    settle(page)
    with a_run(page):
        uploaders.first.locator('input[type="file"]').set_input_files(files=[hostile])  # type: ignore[list-item]
    # It closes when files were read without remarks.
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
    page.get_by_role("button", name=translate("corpus.own", "en")).click()
    expect(page.get_by_text("onerror=window").filter(visible=True).first).to_be_visible()
    assert injected(page) == []

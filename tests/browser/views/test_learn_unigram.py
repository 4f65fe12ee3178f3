"""The pages on the Unigram LM and on bytes in a browser: numbers read off the steppers and the boxes."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import at_rest


def _open(page: Page, app_url: str, name: str, query: str = "") -> None:
    page.goto(f"{app_url}/learn_{name}?lang=en{query}")
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=120_000)
    at_rest(page)


@pytest.mark.slow
def test_rounds_and_cells_are_stepped(page: Page, app_url: str) -> None:
    _open(page, app_url, "unigram", "&prune_step=5")
    expect(page.get_by_text("Round 5: 10 tokens")).to_be_visible()
    expect(page.get_by_text(re.compile("Without ug the words that use it .* grows by 7.58"))).to_be_visible()
    rounds = page.get_by_role("group", name="4. Pruning by loss", exact=True)
    rounds.get_by_role("button", name="Back", exact=True).click()
    expect(page.get_by_text("Round 4: 11 tokens")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]prune_step=4"))
    page.get_by_role("radio", name="without cats: a tie", exact=True).click()
    expect(page.get_by_text(re.compile(r"The most probable segmentation: ca \| ts, log p = -3.800"))).to_be_visible()


@pytest.mark.slow
def test_boxes_of_bytes(page: Page, app_url: str) -> None:
    _open(page, app_url, "bytes")
    boxes = page.locator(".grapheme")
    expect(boxes).to_have_count(3)
    expect(boxes.first).to_contain_text("U+C548")
    expect(boxes.first.locator(".hex")).to_have_text(["EC", "95", "88"])
    expect(boxes.first.locator(".payload")).to_have_text(["1100", "010101", "001000"])
    page.get_by_role("radio", name="family of four", exact=True).click()
    expect(boxes).to_have_count(1)
    expect(boxes.first).to_contain_text("code points: 7, bytes: 25")

"""The Learn pages in a browser: step a BPE run forward and back and read its numbers."""

import re

from playwright.sync_api import Page, expect

from tests.browser.actions import at_rest


def _open(page: Page, app_url: str, name: str) -> None:
    page.goto(f"{app_url}/learn_{name}?lang=en")
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=120_000)
    at_rest(page)


def test_a_bpe_run_is_stepped_forward_and_back(page: Page, app_url: str) -> None:
    _open(page, app_url, "bpe")
    run = page.get_by_role("group", name="BPE and WordPiece").first
    expect(page.get_by_text("Merge 1: e + r → er")).to_be_visible()
    expect(page.get_by_text(re.compile("A tie: 2 pairs occur 9 times"))).to_be_visible()
    expect(run).to_be_visible()
    step = page.get_by_role("button", name="Step", exact=True).first
    step.click()
    expect(page.get_by_text("Merge 2: er + _ → er_")).to_be_visible()
    step.click()
    expect(page.get_by_text("Merge 3: n + e → ne")).to_be_visible()
    page.get_by_role("button", name="Back", exact=True).first.click()
    expect(page.get_by_text("Merge 2: er + _ → er_")).to_be_visible()
    # A stepper says where it has come to rest; whoever decides before that begins again.
    expect(page).to_have_url(re.compile(r"[?&]step=1"))
    at_rest(page)
    page.get_by_text("3 ties: decide them yourself").click()
    page.get_by_test_id("stExpander").get_by_text("r + _", exact=True).first.click()
    expect(page).to_have_url(re.compile(r"[?&]picks=0\.1"))
    page.get_by_role("button", name="Reset", exact=True).first.click()
    expect(page.get_by_text("Merge 1: r + _ → r_")).to_be_visible()

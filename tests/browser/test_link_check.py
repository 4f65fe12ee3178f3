"""What a link says about its model, in a real browser: in the URL from the first view on, judged when opened."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import at_rest
from tests.browser.walk import menu_link

_CHECK = re.compile(r"[?&]check=[0-9a-f]{8}\.[0-9a-f]{8}\.[0-9a-f]{8}(&|$)")
_DIFFERS = "The model here differs from the model of this link."


@pytest.mark.slow
def test_the_address_names_what_the_model_is_made_of(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?lang=en")
    expect(page.get_by_role("heading", name="Scores", exact=True)).to_be_visible()
    expect(page).to_have_url(_CHECK, timeout=120_000)
    at_rest(page)
    menu_link(page, "train").click()
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible()
    at_rest(page)
    expect(page).to_have_url(_CHECK)
    # One step back is one page back.
    page.go_back()
    expect(page.get_by_role("heading", name="Scores", exact=True)).to_be_visible()
    at_rest(page)
    expect(page.get_by_text(_DIFFERS)).to_have_count(0)


def test_who_leaves_a_page_before_it_is_drawn_takes_language_and_model_along(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?lang=en&model=ko~vocab_size-900", wait_until="commit")
    menu_link(page, "train").click()
    expect(page).to_have_url(re.compile(r"/train\?(?=.*\blang=en)(?=.*\bmodel=ko~vocab_size-900)"))
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible()
    at_rest(page)
    # That page may have written its own address once more before it was drawn: then that is the first step back.
    page.go_back()
    if "/train" in page.url:
        page.go_back()
    expect(page.get_by_role("heading", name="Scores", exact=True)).to_be_visible()


@pytest.mark.slow
def test_a_link_to_another_vocabulary_says_so_until_it_is_accepted(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?lang=en&check=11111111.22222222.33333333")
    expect(page.get_by_text(_DIFFERS)).to_be_visible(timeout=120_000)
    at_rest(page)
    expect(page).to_have_url(re.compile("check=11111111"))
    page.reload()
    expect(page.get_by_text(_DIFFERS)).to_be_visible()
    at_rest(page)
    page.get_by_role("button", name="Continue with the model here").click()
    expect(page.get_by_text(_DIFFERS)).to_have_count(0)
    # What it begins with is not that of the link any longer.
    expect(page).to_have_url(re.compile(r"[?&]check=(?!1{8})"))
    expect(page).to_have_url(_CHECK)

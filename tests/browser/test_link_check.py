"""What a link says about its model, in a real browser: in the URL from the first view on, judged when opened."""

import re

from playwright.sync_api import Page, expect

_CHECK = re.compile(r"[?&]check=[0-9a-f]{8}\.[0-9a-f]{8}\.[0-9a-f]{8}(&|$)")
_DIFFERS = "The model of this link is not the same here."


def test_the_address_names_what_the_model_is_made_of(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?lang=en")
    expect(page.get_by_role("heading", name="Scores", exact=True)).to_be_visible()
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=120_000)
    expect(page).to_have_url(_CHECK, timeout=120_000)
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Library").click()
    expect(page.get_by_role("heading", name="Library", exact=True)).to_be_visible()
    expect(page).to_have_url(_CHECK)
    # One step back is one page back.
    page.go_back()
    expect(page.get_by_role("heading", name="Scores", exact=True)).to_be_visible()
    expect(page.get_by_text(_DIFFERS)).to_have_count(0)


def test_a_link_to_another_vocabulary_says_so_until_it_is_accepted(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/scores?lang=en&check=11111111.22222222.33333333")
    expect(page.get_by_text(_DIFFERS)).to_be_visible(timeout=120_000)
    expect(page).to_have_url(re.compile("check=11111111"))
    page.reload()
    expect(page.get_by_text(_DIFFERS)).to_be_visible()
    page.get_by_role("button", name="Go on with the model as it is here").click()
    expect(page.get_by_text(_DIFFERS)).to_have_count(0)
    expect(page).not_to_have_url(re.compile("check=11111111"))
    expect(page).to_have_url(_CHECK)

"""Search a corpus in a browser: a table of one's own compared in four clicks, and one query for all views."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from app.texts.catalogue import translate
from tests.browser.walk import menu_link, settle

_SENTENCES = {"chat": ("밥 먹었어?", "학교 가자"), "news": ("정부는 대책을 발표했다", "학교에서 예산을 발표했다")}
_ROWS = [f"{register},{text}" for register, own in _SENTENCES.items() for text in own * 20]


def _view(page: Page, view: str) -> Locator:
    return page.locator(".st-key-menu").get_by_role("link", name=translate(f"frame.view.search_{view}", "en"))


def test_registers_of_a_table_are_compared_in_four_clicks_and_the_views_have_one_query(
    page: Page, app_url: str
) -> None:
    page.goto(f"{app_url}/?lang=en")
    menu_link(page, "search").click()
    _view(page, "compare").click()
    settle(page)
    page.get_by_role("button", name=translate("corpus.own", "en")).click()
    with page.expect_file_chooser() as chooser:
        page.get_by_test_id("stFileUploaderDropzone").locator("button").first.click()
    table = "\n".join(["register,text", *_ROWS]).encode()
    chooser.value.set_files({"name": "reviews.csv", "mimeType": "text/csv", "buffer": table})
    expect(page).to_have_url(re.compile("own=.*reviews.csv"))
    expect(page.get_by_text(": chat · news").first).to_be_visible()
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
    settle(page)
    _view(page, "concordance").click()
    field = page.get_by_label(translate("search.query", "en"))
    field.fill("발표")
    field.press("Enter")
    expect(page.get_by_text(re.compile("발표.* hits in reviews.csv")).first).to_be_visible()
    for view in ("dispersion", "collocates", "concordance"):
        _view(page, view).click()
        expect(_view(page, view)).to_have_attribute("aria-current", "page")
        settle(page)
        expect(field).to_have_value("발표")


@pytest.mark.parametrize("page", [{"viewport": {"width": 390, "height": 844}}], indirect=True)
def test_on_a_phone_a_line_with_its_file_is_one_line(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/search?lang=en&q=~학교")
    row = page.locator(".kwic .row[data-item]").first
    expect(row).to_be_visible()
    left, token, right = (row.locator(f".cell.{name}").bounding_box() for name in ("left", "token", "right"))
    assert left and token and right
    assert left["x"] + left["width"] <= token["x"] + 1 < token["x"] + token["width"] <= right["x"] + 1
    assert abs(token["y"] - right["y"]) < 3 and right["width"] > 80
    expect(row.locator(".cell.corpus")).to_be_hidden()

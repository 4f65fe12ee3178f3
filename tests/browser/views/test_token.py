"""One token's page in a browser: reached from lattice and scores; its concordance sorted, searched, taken away."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.actions import FIRST_FIGURE, at_rest


def _rows(page: Page) -> Locator:
    return page.get_by_role("grid", name=re.compile("용례|Concordance")).locator("[data-item]")


def _column(page: Page, name: str) -> list[str]:
    return _rows(page).locator(f".{name}").all_inner_texts()


def _open(page: Page, app_url: str, query: str) -> Locator:
    page.goto(f"{app_url}/token?{query}")
    expect(_rows(page).first).to_be_visible(timeout=FIRST_FIGURE)
    at_rest(page)
    return _rows(page)


def _sort(page: Page, name: str) -> None:
    """Sort by a heading, and wait for the lines in their new order: they are drawn together with the heading's mark."""
    page.get_by_role("columnheader").get_by_role("button", name=re.compile(name)).click()
    expect(page.get_by_role("columnheader", name=name)).to_have_attribute("aria-sort", "ascending")


@pytest.mark.slow
def test_the_lattice_opens_a_tokens_page(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/lattice?lang=en")
    bar = page.locator("[role=button][aria-pressed][data-item]").first
    expect(bar).to_be_visible(timeout=FIRST_FIGURE)
    bar.click()
    page.get_by_role("link", name="Show token details").click()
    expect(page).to_have_url(re.compile(r"/token\?.*find="))
    expect(page.get_by_role("heading", name=re.compile("^Token “"))).to_be_visible()
    expect(_rows(page).first).to_be_visible(timeout=FIRST_FIGURE)


@pytest.mark.slow
def test_a_concordance_is_sorted_outward_by_its_headings(page: Page, app_url: str) -> None:
    _open(page, app_url, "lang=en&find=에서")
    right = _column(page, "right")
    assert len(right) > 20
    assert right == sorted(right)
    _sort(page, "left")
    expect(page).to_have_url(re.compile("sort=left"))
    left = [text[::-1] for text in _column(page, "left")]
    assert left == sorted(left)
    _sort(page, "line")
    expect(page).to_have_url(re.compile("sort=corpus"))
    places = [text.split("\n") for text in _rows(page).locator(".corpus").all_inner_texts()]
    files = list(dict.fromkeys(file for file, _ in places))
    assert len(files) > 3
    in_order = sorted(places, key=lambda place: (files.index(place[0]), int(place[1])))
    assert places == in_order


@pytest.mark.slow
def test_probabilities_are_seen_and_a_search_is_marked(page: Page, app_url: str) -> None:
    rows = _open(page, app_url, "lang=en&find=에서&kwic=expected&sort=probability")
    seen = rows.first.locator(".probability")
    expect(seen).to_have_text(re.compile(r"^(1|0\.)"))
    page.get_by_role("textbox", name="Search in context").fill("는")
    page.keyboard.press("Enter")
    expect(page.locator("mark").first).to_have_text("는")
    expect(page).to_have_url(re.compile("context="))
    at_rest(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download all occurrences (TSV)").click()
    head, *cells = waiting.value.path().read_text(encoding="utf-8").splitlines()
    assert head.split("\t") == [
        *("line", "file", "file_line", "left", "token", "right", "probability", "sentence", "text_sha256")
    ]
    assert len(cells) == rows.count()


@pytest.mark.slow
def test_a_picked_place_is_in_the_link_and_leads_to_its_lattice(page: Page, app_url: str) -> None:
    rows = _open(page, app_url, "lang=ko&find=에서")
    rows.nth(2).click()
    expect(page).to_have_url(re.compile("place=3"))
    expect(rows.nth(2)).to_have_attribute("aria-selected", "true")
    rows.nth(2).press("ArrowDown")
    rows.nth(3).press("Enter")
    expect(page).to_have_url(re.compile("place=4"))
    page.reload()
    expect(rows.nth(3)).to_have_attribute("aria-selected", "true", timeout=FIRST_FIGURE)
    at_rest(page)
    place = rows.nth(3).locator(".left").inner_text()
    sentence = page.locator(".st-key-scores-kwic_sentence").get_by_test_id("stText").inner_text()
    assert place in sentence
    page.get_by_role("link", name="이 문장의 격자 보기").last.click()
    expect(page).to_have_url(re.compile(r"/lattice\?"))
    expect(page.get_by_role("textbox", name="문장")).to_have_value(sentence)

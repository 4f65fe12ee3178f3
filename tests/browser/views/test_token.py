"""One token's page in a browser, and the concordance that it leads to: sorted, paged, taken away."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.actions import FIRST_FIGURE, at_rest


def _rows(page: Page) -> Locator:
    return page.get_by_role("grid", name=re.compile("용례|Concordance")).locator("[data-item]")


def _column(page: Page, name: str) -> list[str]:
    return _rows(page).locator(f".{name}").all_inner_texts()


def _open(page: Page, app_url: str, query: str) -> Locator:
    page.goto(f"{app_url}/search?{query}")
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
    page.get_by_role("link", name="Show where it occurs").click()
    expect(page).to_have_url(re.compile(r"/search\?.*unit=tokens"))
    expect(_rows(page).first).to_be_visible(timeout=FIRST_FIGURE)
    expect(page.locator(".kwic .bar").first).to_be_attached()


@pytest.mark.slow
def test_a_concordance_is_sorted_outward_by_its_headings(page: Page, app_url: str) -> None:
    _open(page, app_url, "lang=en&q=~에서&match=anywhere")
    assert len(_column(page, "right")) == 40
    _sort(page, "left")
    expect(page).to_have_url(re.compile("sort=left"))
    left = [re.findall(r"\w+", text)[-1:] for text in _column(page, "left")]
    assert left == sorted(left)
    _sort(page, "line")
    expect(page).to_have_url(re.compile("sort=corpus"))
    places = [text.split("\n") for text in _rows(page).locator(".corpus").all_inner_texts()]
    files = list(dict.fromkeys(file for file, _ in places))
    assert len(files) > 3
    in_order = sorted(places, key=lambda place: (files.index(place[0]), int(place[1])))
    assert places == in_order


@pytest.mark.slow
def test_a_pressed_form_filters_and_the_file_has_all_its_rows(page: Page, app_url: str) -> None:
    rows = _open(page, app_url, "lang=en&q=~학교")
    page.get_by_text("학교를 5", exact=True).first.click()
    expect(rows).to_have_count(5)
    expect(page).to_have_url(re.compile("form="))
    at_rest(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download all occurrences (TSV)").click()
    head, *cells = waiting.value.path().read_text(encoding="utf-8").splitlines()
    assert head.split("\t") == [*("line", "file", "file_line", "left", "token", "right", "sentence", "text_sha256")]
    assert len(cells) == 5


@pytest.mark.slow
def test_a_picked_place_is_in_the_link_and_leads_to_its_lattice(page: Page, app_url: str) -> None:
    rows = _open(page, app_url, "lang=ko&q=~에서&match=anywhere")
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
    sentence = page.locator(".st-key-search-sentence").get_by_test_id("stText").inner_text()
    assert place in sentence
    page.get_by_role("link", name="이 문장의 격자 보기").last.click()
    expect(page).to_have_url(re.compile(r"/lattice\?"))
    expect(page.get_by_role("textbox", name="문장")).to_have_value(sentence)

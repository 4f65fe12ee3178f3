"""What tests do on every page: wait until it is drawn, mark a row of a table, find a slider."""

import re

from playwright.sync_api import Locator, Page, expect

# The first figure of a fresh browser loads and compiles 5 MB of Plotly.
FIRST_FIGURE = 90_000

PHONE = {"viewport": {"width": 390, "height": 844}}


def at_rest(page: Page) -> None:
    """Wait until the script has ended and its last element is drawn.

    What has just been done must have begun to show, in the URL or on the page; only then nothing is read too early.
    """
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.locator("[data-stale=true]")).to_have_count(0)
    expect(page.locator("#first-picture")).to_be_hidden()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def go_back(page: Page, address: str) -> None:
    """Go on at an address of the app in the open page: nothing is loaded anew, which is half of a visit."""
    page.evaluate("to => { history.pushState({}, '', to); dispatchEvent(new PopStateEvent('popstate')); }", address)


def wait_for_projector(page: Page, is_on: bool = True) -> None:
    """Wait until the page has the style sheet of the projector mode, or has it no longer."""
    letters = "getComputedStyle(document.querySelector('[data-testid=stApp]')).getPropertyValue('--least-letters')"
    page.wait_for_function(f"({letters} !== '') === {str(is_on).lower()}")


def mark_row(page: Page, key: str, row: int) -> None:
    """Tick a row of the table whose key begins so; its cells are painted on a canvas, so a row is a place."""
    canvas = page.locator(f"[class*='st-key-{key}']").get_by_test_id("data-grid-canvas")
    expect(canvas).to_be_visible()
    canvas.scroll_into_view_if_needed()
    area = canvas.bounding_box()
    assert area is not None
    page.mouse.click(area["x"] + 20, area["y"] + 36 + 35 * row + 17)


def slider(page: Page, label: str) -> Locator:
    return page.get_by_role("slider", name=re.compile(label))


def open_door(page: Page) -> None:
    """Wait for the button of the page Class that opens a room: usable once the browser has said whose it is."""
    expect(page.locator(".st-key-lessons-room-open button")).to_be_enabled()

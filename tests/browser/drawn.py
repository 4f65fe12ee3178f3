"""What components and figures look like once all of it is drawn, read in one moment."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.actions import at_rest

# A line that opens moves what is in it and below it.
_NOTHING_MOVES = "document.getAnimations().every((move) => move.effect.getComputedTiming().endTime === Infinity)"


def drawn(page: Page) -> None:
    """Wait for the script, for what opens, and for the lines of lattices and strips, drawn one after the other."""
    at_rest(page)
    expect(page.locator("div.line:not(:has(svg))")).to_have_count(0)
    page.wait_for_function(_NOTHING_MOVES)


def open_line(line: Locator) -> None:
    """Open what is folded: a click into it while it opens hits what has moved there."""
    line.locator("summary").first.click()
    expect(line.locator("details").first).to_have_attribute("open", "")
    drawn(line.page)


def spoken(items: Locator) -> list[str]:
    """What a screen reader says of each: all read at once, for a new drawing may come between two."""
    labels: list[str] = items.evaluate_all("all => all.map((item) => item.getAttribute('aria-label'))")
    return labels


def boxes(root: Locator, *selectors: str) -> list[dict[str, float]]:
    """Where the first element of each selector stands, seen in the same moment."""
    for selector in selectors:
        expect(root.locator(selector).first).to_be_visible()
    found: list[dict[str, float]] = root.evaluate(
        "(root, all) => all.map((one) => root.querySelector(one).getBoundingClientRect().toJSON())", selectors
    )
    return found


def expect_no_sideways_scroll(page: Page) -> None:
    """Nothing is wider than the screen, once all is drawn."""
    drawn(page)
    page.wait_for_function("document.documentElement.scrollWidth <= document.documentElement.clientWidth")

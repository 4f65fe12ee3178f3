"""Whether a page is whole under the server's Content-Security-Policy: nothing refused, every figure drawn."""

from playwright.sync_api import Page, expect

# The browser says so in the console, too, but not of `new Function`: Plotly catches that error.
_NOTE = """window.__refused = [];
document.addEventListener("securitypolicyviolation",
  (event) => window.__refused.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}`));"""

_UNDRAWN = """() => [...document.querySelectorAll(".js-plotly-plot")]
  .filter((plot) => !plot.querySelector(".main-svg .plot, .main-svg .pielayer, .main-svg .infolayer")
    || plot.textContent.includes("WebGL is not supported"))
  .map((plot) => plot.textContent.slice(0, 100))"""
_FONTS = """() => [...document.fonts].filter((face) => face.family.includes("Noto Sans KR") && face.status === "loaded")
  .length"""


def note_refusals(page: Page) -> None:
    """From the next document on, note what the policy refuses."""
    page.add_init_script(_NOTE)


def refused(page: Page) -> list[str]:
    """What the policy has refused."""
    found: list[str] = page.evaluate("() => window.__refused")
    return found


def drawn_under_policy(page: Page) -> tuple[int, int]:
    """How many figures and components the page has; all of them are drawn, and nothing was refused."""
    figures = page.get_by_test_id("stPlotlyChart")
    if figures.count():
        expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    page.wait_for_function(f"() => !({_UNDRAWN})().length")
    assert refused(page) == []
    return figures.count(), page.locator("[data-testid^=stBidiComponent]").count()


def n_fonts(page: Page) -> int:
    """How many files of the app's font the page has loaded."""
    found: int = page.evaluate(_FONTS)
    return found

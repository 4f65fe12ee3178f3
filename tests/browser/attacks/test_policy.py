"""The server's Content-Security-Policy: what it lets in, and what it keeps out (all pages: test_every_view.py)."""

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from app.texts.catalogue import translate
from tests.browser.policy import note_refusals, refused
from tests.browser.walk import settle


@pytest.mark.slow
def test_a_webgl_chart_is_drawn(app_url: str, page: Page) -> None:
    note_refusals(page)
    page.goto(f"{app_url}/scores?lang=en")
    expect(page.locator(".js-plotly-plot canvas").first).to_be_attached()
    settle(page)
    expect(page.get_by_text("WebGL is not supported")).to_have_count(0)
    assert refused(page) == []


@pytest.mark.slow
def test_a_page_that_is_opened_by_its_address_finds_its_server_at_once(app_url: str, page: Page) -> None:
    failed: list[str] = []
    page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
    for address, at in (("learn_bytes?lang=en", "learn_bytes"), ("explore?lang=en&text=abc&more=all", "explore")):
        page.goto(f"{app_url}/{address}")
        title = translate(f"{at}.title", "en")
        expect(page.get_by_role("heading", level=1, name=title, exact=True)).to_be_visible()
        settle(page)
    # The first page keeps what its address said; its own address is that of the server.
    expect(page.locator("textarea.live")).to_have_value("abc")
    assert page.url.startswith(f"{app_url}/?")
    with page.expect_download() as download:
        page.locator(".st-key-csv\\.tokens, .st-key-csv-tokens").get_by_role("button").click()
    assert re.fullmatch(r"tokens_.*_[0-9a-f]{8}_v[0-9.]+\.csv", download.value.suggested_filename)
    assert download.value.path().read_text("utf-8-sig").count("\n") > 1
    assert failed == []


@pytest.fixture
def elsewhere(app_url: str) -> Iterator[str]:
    """A page of another origin that frames what its own address names: `/?lang=en` frames the app's."""

    class Page_(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<h1>elsewhere</h1><iframe src='{app_url}{self.path}'></iframe>".encode())

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page_)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("address", ["/?lang=en", "/learn_bpe?lang=en&embed=true"])
def test_a_page_from_elsewhere_cannot_frame_the_app(
    elsewhere: str, app_url: str, browser: Browser, address: str
) -> None:
    context = browser.new_context()
    try:
        page = context.new_page()
        with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
            page.goto(elsewhere + address)
        expect(page.get_by_role("heading", name="elsewhere")).to_be_visible()
        assert not any(frame.url.startswith(app_url) for frame in page.frames)
    finally:
        context.close()


@pytest.mark.slow
def test_a_site_that_is_named_can_frame_a_figure_which_leads_nowhere(elsewhere: str, browser: Browser) -> None:
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(f"{elsewhere}/learn_bpe?lang=en&figure=stepper&embed=true")
        frame = page.frame_locator("iframe")
        expect(frame.get_by_role("button", name="Step", exact=True)).to_be_visible(timeout=60_000)
        expect(frame.get_by_role("heading", level=1)).to_have_count(0)
        # Every link there is opens a window of its own.
        assert (
            frame.locator("a:not([target=_blank], [href^='#'])").evaluate_all(
                "all => all.filter((one) => one.checkVisibility()).map((one) => one.outerHTML)"
            )
            == []
        )
    finally:
        context.close()

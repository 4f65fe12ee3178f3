"""The real app in a real browser: one server and one Chromium for all tests of a process, a fresh page for each."""

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize, expect, sync_playwright

from tests.browser.actions import at_rest
from tests.browser.chromium import FLAGS, find_chromium

ROOT = Path(__file__).resolve().parent.parent.parent

SETTINGS = {"THUNDER_TOK_TEACHER_PASSWORD": "선생님 비밀번호", "THUNDER_TOK_FRAME_ANCESTORS": "http://127.0.0.1:*"}

# Long, for a machine that others use; whoever waits for a text that may be gone sets less (tests/running/changed.py).
_WAIT = 1000 * float(os.environ.get("BROWSER_WAIT_SECONDS", "90"))

_SIZE: ViewportSize = {"width": 1440, "height": 1000}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test of this folder is a browser test."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def app_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that the server prints."""
    return tmp_path_factory.mktemp("server") / "log"


@pytest.fixture(scope="session")
def app_url(app_log: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the app, started as `make run` starts it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    subprocess.run([sys.executable, "-m", "engine", "warmup"], cwd=ROOT, check=True, capture_output=True)
    command = [sys.executable, "-m", "streamlit", "run", "app/main.py", f"--server.port={port}"]
    with app_log.open("wb") as log:
        server = subprocess.Popen(
            [*command, "--server.address=127.0.0.1"],
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **SETTINGS, "THUNDER_TOK_LIBRARY": str(tmp_path_factory.mktemp("library"))},
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for_health(url, server, app_log)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=20)
    assert "Traceback" not in app_log.read_text(errors="replace"), app_log.read_text(errors="replace")[-3000:]


def _wait_for_health(url: str, server: "subprocess.Popen[bytes]", log_path: Path) -> None:
    from tests.conftest import wait_until

    def answers() -> bool:
        if server.poll() is not None:
            pytest.fail(f"the server ended: {log_path.read_text(errors='replace')[-3000:]}")
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as response:
                return bool(response.status == 200)
        except OSError:
            return False

    wait_until(answers)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium."""
    path = find_chromium()
    if path is None:
        pytest.skip("no Chromium on this machine; `make test` installs one")
    expect.set_options(timeout=_WAIT)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        # What moves while a page waits is drawn by the processor, sixty times a second: up to half of a visit's work.
        chromium.new_context = partial(chromium.new_context, reduced_motion="reduce")
        yield chromium
        chromium.close()


@contextmanager
def checked_page(browser: Browser, **options: Any) -> Iterator[Page]:
    """A page of its own, as of another visitor; `options` are of `Browser.new_context`.

    At the end there must have been no exception, no error in the console, and no U+FFFD.
    """
    context = _new_context(browser, **options)
    try:
        with _checked(context.new_page()) as page:
            yield page
    finally:
        context.close()


def _new_context(browser: Browser, **options: Any) -> BrowserContext:
    context = browser.new_context(**{"viewport": _SIZE, "locale": "ko-KR", **options})
    context.set_default_timeout(_WAIT)
    return context


@contextmanager
def _checked(page: Page) -> Iterator[Page]:
    problems: list[str] = []

    def take(message: ConsoleMessage) -> None:
        if message.type == "error":
            problems.append(f"{message.text} ({message.location.get('url')})")

    page.on("console", take)
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    if page.url.startswith("http"):
        assert page.get_by_test_id("stException").count() == 0
        assert "\ufffd" not in page.content()
    assert problems == []


@pytest.fixture(scope="session")
def _contexts() -> dict[str, BrowserContext]:
    return {}


@pytest.fixture
def page(browser: Browser, _contexts: dict[str, BrowserContext], request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page checked as a `checked_page`. Parametrize it indirectly with another size, language or colour scheme.

    Tests share what the browser has loaded and compiled, which is most of a page's time; what it remembers of its
    visitor is removed after each.
    """
    options = {**getattr(request, "param", {})}
    size, scheme = options.pop("viewport", _SIZE), options.pop("color_scheme", None)
    kind = repr(sorted(options.items()))
    if kind not in _contexts:
        _contexts[kind] = _new_context(browser, **options)
        _contexts[kind].new_page()  # an empty one keeps the process that draws alive, with what it has compiled
    context = _contexts[kind]
    try:
        with _checked(context.new_page()) as page:
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=scheme)
            yield page
    finally:
        for one in context.pages[1:]:
            if one.url.startswith("http"):
                # A run that has not ended would remember something again.
                forget = "Storage.prototype.setItem = () => {}; localStorage.clear(); sessionStorage.clear();"
                one.evaluate(f"() => {{ {forget} }}")
            one.close()
        context.clear_cookies()
        context.clear_permissions()


# What has just been drawn fades in, and what a running script has not drawn again yet is faded: too pale for the
# contrast check at that moment, in the end as dark as this makes it.
_FULL_INK = """*, *::before, *::after { animation: none !important; transition: none !important; }
[data-testid=stElementContainer], [data-testid=stElementContainer] [data-stale=true], [data-testid=stExpander] * {
  opacity: 1 !important; }"""

_SERIOUS = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .filter(({ impact }) => ["serious", "critical"].includes(impact))
  .flatMap(({ id, nodes }) => nodes.map(
    (node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary.slice(0, 300)}`))"""


@pytest.fixture
def serious() -> Callable[[Page], list[str]]:
    """`serious(page)`: what axe-core calls serious or critical on the page, a line each."""

    def check(page: Page) -> list[str]:
        at_rest(page)
        if not page.evaluate("'axe' in window"):  # to load it takes as long as a look
            page.add_style_tag(content=_FULL_INK)
            page.evaluate(Axe().axe_script)
        found: list[str] = page.evaluate(_SERIOUS)
        return found

    return check

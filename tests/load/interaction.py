"""How long a click takes: `python -m tests.load.interaction [--url URL] [--pages explore,scores]`.

Opens every page in Chromium on a warm server, works each kind of control that it finds (choices, sliders, switches,
fields) and takes the time from the event in the browser until the page has settled: the script ended and nothing
followed for a tenth of a second. Every page is opened and worked twice before, so that models and caches are there: the
first time starts trainings, the second computes with what they made.
Prints median and 95th percentile for each page and in all, and the slowest interactions. Without `--url` it starts a
server of its own, and says how long that one worked on each click.
"""

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Locator, Page, TimeoutError, sync_playwright

from app import ROOT
from tests.browser.chromium import FLAGS, find_chromium
from tests.menu import PAGES

# Notes when the visitor's event came, and each frame after a message of the server: whether it is at work, as Streamlit
# says on its outermost element.
WATCH = """() => {
  const app = document.querySelector('[data-testid=stApp]'), { send } = WebSocket.prototype;
  window.__at = 0; window.__ran = []; window.__last = performance.now();
  for (const name of ['pointerdown', 'keydown'])
    document.addEventListener(name, () => { if (!window.__at) window.__at = performance.now(); }, true);
  const note = () => window.__ran.push([app.dataset.testScriptState, performance.now()]);
  WebSocket.prototype.send = function (data) {
    WebSocket.prototype.send = send;
    this.addEventListener('message', () => requestAnimationFrame(() => requestAnimationFrame(note)));
    return send.call(this, data);
  };
  new MutationObserver(note).observe(app, { attributes: true, attributeFilter: ['data-test-script-state'] });
}"""
_SLIDERS = "[data-testid=stSlider] input[type=range], .st-key-rounds-scrubber input[type=range]"
RESET = "() => { window.__at = 0; window.__ran = []; }"
SETTLED = """() => {
  const last = window.__ran.at(-1);
  if (!last) return window.__at > 0 && performance.now() - window.__at > 700 ? [0] : null;
  return last[0] === 'notRunning' && performance.now() - last[1] > 100 ? [last[1] - window.__at] : null;
}"""


class Interaction(NamedTuple):
    """One click: page, kind of control, milliseconds until the page had settled, and those of them in the server."""

    page: str
    what: str
    milliseconds: float
    in_server: float


def measure(
    page: Page, name: str, what: str, target: Locator, key: str | None, log: Path | None = None
) -> Interaction | None:
    """Work one control and wait for the page; None where nothing ran on the server.

    `log` is that of a `timed_server`.
    """
    n_runs = len(runs(log))
    page.keyboard.press("Escape")  # a list that another control opened would cover it
    page.evaluate(RESET)
    try:
        target.click(timeout=3000) if key is None else target.press(key, timeout=3000)
    except TimeoutError:
        return None
    took = page.wait_for_function(SETTLED, polling=20, timeout=60_000).json_value()[0]
    return Interaction(name, what, took, 1000 * sum(wall for wall, _ in runs(log)[n_runs:])) if took else None


def runs(log: Path | None) -> list[tuple[float, float]]:
    """Seconds of every run of the script until now, and those in which it had a processor."""
    lines = log.read_text().splitlines() if log is not None and log.exists() else []
    return [(float(wall), float(cpu)) for wall, cpu in map(str.split, lines)]


def controls(page: Page) -> Iterator[tuple[str, Locator, str | None]]:
    """Some of each kind of control of the page, with the key that works it (None: a click)."""
    main = page.get_by_test_id("stMain")
    for choice in main.locator("[data-testid=stButtonGroup]").get_by_role("radio").all()[:8]:
        # A choice may have taken others off the page.
        if choice.count():
            yield f"choice {choice.inner_text()[:24]!r}", choice, None
    for slider in main.locator(_SLIDERS).all()[:3]:
        is_at_end = slider.evaluate("(range) => range.value === range.max")
        yield "slider", slider, "ArrowLeft" if is_at_end else "ArrowRight"
    for switch in main.locator("[data-testid=stCheckbox] label").all()[:2]:
        yield "switch", switch, None
    for field in main.locator("[data-testid=stTextInput] input").all()[:2]:
        yield "field", field, "Enter"


def work(page: Page, url: str, name: str, log: Path | None) -> list[Interaction]:
    """Open a page and work its controls."""
    page.goto(f"{url}/{name}")
    page.wait_for_selector("h1", timeout=120_000)
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'", timeout=300_000
    )
    page.wait_for_timeout(1000)
    page.evaluate(WATCH)
    done = []
    for what, target, key in controls(page):
        if target.count() != 1 or not target.is_visible() or target.is_disabled():
            continue
        if what == "field":
            target.fill(target.input_value() + "다")
        one = measure(page, name, what, target, key, log)
        if one is not None:
            done.append(one)
    if page.get_by_test_id("stMain").locator(f":is({_SLIDERS}):visible").count():
        assert any(one.what == "slider" for one in done), f"{name}: no slider was worked, although there is one"
    return done


def percentile(values: list[float], share: float) -> float:
    """The value that this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@contextmanager
def server() -> Iterator[tuple[str, Path]]:
    """The app on a free port of this machine, prepared as `make run` does, and the log of its times."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    for module in ("engine", "app.prepare"):
        command = [sys.executable, "-m", module] + (["warmup"] if module == "engine" else [])
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        options = [f"--server.port={port}", "--server.headless=true", "--server.address=127.0.0.1"]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.load.timed_server", f"{folder}/log", "run", "app/main.py", *options],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"THUNDER_TOK_LIBRARY": folder, "THUNDER_TOK_HUB": "off"},
        )
        try:
            url = f"http://127.0.0.1:{port}"
            while True:
                try:
                    urllib.request.urlopen(f"{url}/_stcore/health", timeout=2).close()
                    break
                except OSError:
                    if process.poll() is not None:
                        raise RuntimeError("the server ended") from None
                    time.sleep(0.2)
            yield url, Path(folder, "log")
        finally:
            process.terminate()
            process.wait(timeout=20)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url")
    parser.add_argument("--pages", default=",".join(PAGES))
    options = parser.parse_args()
    names = options.pages.split(",")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        page = chromium.new_page(viewport={"width": 1440, "height": 1000}, locale="ko-KR")
        page.set_default_timeout(60_000)

        def run(url: str, log: Path | None) -> list[Interaction]:
            every = []
            for name in names:
                for _ in range(2):
                    work(page, url, name, log)
                own = work(page, url, name, log)
                every += own
                times = [one.milliseconds for one in own]
                if times:
                    sys.stdout.write(
                        f"{name:<16}{len(times):>4} clicks  p50 {percentile(times, 0.5):6.0f}  "
                        f"p95 {percentile(times, 0.95):6.0f} ms\n"
                    )
                    sys.stdout.flush()
            return every

        if options.url:
            every = run(options.url, None)
        else:
            with server() as (url, log):
                every = run(url, log)
        chromium.close()
    times = [one.milliseconds for one in every]
    sys.stdout.write(f"\n{len(times)} clicks  p50 {percentile(times, 0.5):.0f}  p95 {percentile(times, 0.95):.0f} ms\n")
    if not options.url:
        shares = [one.in_server for one in every]
        sys.stdout.write(
            f"of that in the server p50 {percentile(shares, 0.5):.0f}  p95 {percentile(shares, 0.95):.0f} ms\n"
        )
    for one in sorted(every, key=lambda one: -one.milliseconds)[:15]:
        sys.stdout.write(f"{one.milliseconds:6.0f} ms, {one.in_server:5.0f} in the server  {one.page}: {one.what}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How soon a page's picture is there: `python -m tests.load.first_pictures [--url URL] [--pages explore,scores]`.

Opens each page in a Chromium that was never there, on a server that knows the page, and takes the time until its
picture is drawn. Other work on the machine lengthens it, so beside it stand the seconds that processors worked for it:
the runs of the script, and the page's thread in the browser. Prints medians of these, the number of messages and what
they weigh. Without `--url` it starts a server of its own; only that one's runs are timed.
"""

import argparse
import statistics
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Playwright, sync_playwright

from tests.browser.chromium import FLAGS, find_chromium
from tests.load.interaction import runs, server

_PAGES = "explore,lattice,rounds,scores,token,cost,search?q=학교,morphology,growth,compare,learn_bpe,lessons,papers"
# Notes the first frame with the axes or marks of a chart, a component's drawing or a table where the picture is.
_WATCH = """() => {
  const drawn = 'svg *, canvas, table td, [data-item], .row, button';
  const look = () => {
    const place = document.querySelector('.st-key-picture');
    const chart = place?.querySelector('.stPlotlyChart');
    const shadows = [...(place?.querySelectorAll('*') ?? [])].map((one) => one.shadowRoot);
    const is_drawn = chart ? chart.querySelector('.main-svg :is(.xtick, .annotation, .trace)')
      : [place, ...shadows].some((root) => root?.querySelector(drawn));
    if (is_drawn) window.pictured = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
_COLUMNS = ("picture", "runs", "server", "CPU", "browser", "script", "messages", "kB")


class Visit(NamedTuple):
    """Seconds until the picture; runs of the script, their seconds and those with a processor; seconds with a processor
    of the page's thread, and those of them in scripts; messages, and what they weigh.
    """

    picture: float
    runs: int
    server: float
    server_cpu: float
    browser_cpu: float
    script_cpu: float
    messages: int
    kilobytes: float


def visit(playwright: Playwright, url: str, name: str, log: Path | None) -> Visit:
    """Open the page in a new browser."""
    before = len(runs(log))
    chromium = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
    page = chromium.new_page(viewport={"width": 1440, "height": 900}, locale="en-US")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    frames: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: frames.append(len(data))))
    page.add_init_script(f"({_WATCH})()")
    page.wait_for_timeout(300)
    page.goto(f"{url}/{name}{'&' if '?' in name else '?'}lang=en", wait_until="commit")
    picture = page.wait_for_function("() => window.pictured", timeout=120_000).json_value()
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    n, size = len(frames), sum(frames)
    page.wait_for_timeout(700)
    own = runs(log)[before:]
    chromium.close()
    return Visit(
        picture / 1000,
        len(own),
        sum(wall for wall, _ in own),
        sum(cpu for _, cpu in own),
        metrics["TaskDuration"],
        metrics["ScriptDuration"],
        n,
        size / 1000,
    )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url")
    parser.add_argument("--log", type=Path, help="of that server, if it is a timed_server")
    parser.add_argument("--pages", default=_PAGES)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    place = nullcontext((options.url, options.log)) if options.url else server()
    with sync_playwright() as playwright, place as (url, log):
        sys.stdout.write(f"{'':<16}{''.join(f'{name:>9}' for name in _COLUMNS)}\n")
        for name in options.pages.split(","):
            visits = [visit(playwright, url, name, log) for _ in range(options.times + 1)][1:]
            medians = map(statistics.median, zip(*visits, strict=True))
            sys.stdout.write(f"{name:<16}{''.join(f'{value:9.2f}' for value in medians)}\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A class on one server: `python -m tests.load.run [--sessions 30] [--trainers 5] [--browsers 2]
[--seconds 120] [--hostile] [--processes 1]`.

Starts the app on a free port of this machine, and opens every page once, as whoever teaches does before the class comes
(with `--cold` the class comes first). The sessions talk to it as browsers do, over websockets: each opens pages one
after another and runs them again, as a click does, all of them from the first second on; some open models that have to
be trained. Real browsers click beside them. Prints how long the server took for each run and the browsers for each
click, what failed, the server's memory over time, and the processors that the app, the proxy in front of several
processes and this program kept busy. With `--hostile` somebody floods the server meanwhile.
"""

import argparse
import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import websockets
from playwright.sync_api import Error, Locator, Page, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.typing import Subprotocol

from tests.app_server import ROOT, AppServer, cpu_seconds_here
from tests.browser.chromium import FLAGS, find_chromium
from tests.load.interaction import WATCH, controls, measure, percentile
from tests.menu import PAGES

# What a reader of a page needs at least before the next click.
_PAUSE = (1.0, 4.0)
_TIMEOUT = 60.0


class Result(NamedTuple):
    """What a run of the load came to. Times are in seconds, memory in MB.

    And what the app, the proxy and this program computed, seconds.
    """

    times: list[float]
    clicks: list[float]
    errors: list[str]
    memory: list[float]
    cpu: tuple[float, float, float] = (0.0, 0.0, 0.0)


class _Session:
    """One visitor: a websocket and the runs it asked for."""

    def __init__(self, url: str, seed: int, trains: bool, result: Result, link: str = "") -> None:
        self._url = url.replace("http", "ws") + "/_stcore/stream"
        self._dice = random.Random(seed)
        self._trains = trains
        self._result = result
        self._link = link

    async def rehearse(self) -> None:
        """Open every page."""
        async with self._connect() as socket_:
            for page in PAGES:
                await asyncio.wait_for(self._run(socket_, page), _TIMEOUT)

    def _connect(self) -> websockets.connect:
        return websockets.connect(self._url, subprotocols=[Subprotocol("streamlit")], max_size=None)

    async def live(self, until: float) -> None:
        """Click until the time is over."""
        async with self._connect() as socket_:
            while time.monotonic() < until:
                await asyncio.wait_for(self._run(socket_, self._dice.choice(PAGES)), _TIMEOUT)
                for _ in range(self._dice.randint(0, 2)):
                    await asyncio.sleep(self._dice.uniform(*_PAUSE))
                    await asyncio.wait_for(self._run(socket_, None), _TIMEOUT)
                await asyncio.sleep(self._dice.uniform(*_PAUSE))

    async def _run(self, socket_: websockets.ClientConnection, page: str | None) -> None:
        """Ask for a run and wait for its end; without a page the last one runs again."""
        if page is not None:
            query = "lang=ko"
            if self._trains:
                page = PAGES[0]
                query += f"&with=none&model=ko.news.essay~vocab_size-{self._dice.randint(800, 3000)}"
            elif self._link:
                page, query = PAGES[0], f"lang=ko&{self._link}"
            self._state = (query, page)
        if asked := await self._rerun(socket_):
            await self._rerun(socket_, asked)

    async def _rerun(self, socket_: websockets.ClientConnection, click: str = "") -> str:
        """One run, with a click on the button of that id; returns the id of the button that would train, if any."""
        message = BackMsg()
        message.rerun_script.query_string, message.rerun_script.page_name = self._state
        if click:
            message.rerun_script.widget_states.widgets.add(id=click, trigger_value=True)
        asked = ""
        began = time.monotonic()
        await socket_.send(message.SerializeToString())
        is_finished = False
        async for data in socket_:
            forward = ForwardMsg()
            forward.ParseFromString(data if isinstance(data, bytes) else data.encode())
            if forward.WhichOneof("type") == "delta" and forward.delta.new_element.WhichOneof("type") == "exception":
                self._result.errors.append(f"{self._state[1]}: {forward.delta.new_element.exception.message[:200]}")
            if forward.delta.new_element.button.id.endswith("-model.train"):
                asked = forward.delta.new_element.button.id
            if forward.WhichOneof("type") == "script_finished":
                is_finished = True
                break
        if not is_finished:
            raise ConnectionError(f"{self._state[1]}: the server closed the connection in the middle of a run")
        self._result.times.append(time.monotonic() - began)
        return "" if click else asked


async def _watch_memory(server: AppServer, until: float, result: Result) -> None:
    while time.monotonic() < until:
        result.memory.append(server.memory())
        await asyncio.sleep(2)


def _browse(url: str, seed: int, until: float, result: Result) -> None:
    """A visitor with a real browser: from page to page by the menu, and some of the controls of each."""
    dice = random.Random(seed)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        page = chromium.new_page(viewport={"width": 1440, "height": 1000}, locale="ko-KR")
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: result.errors.append(f"browser: {error}"))
        page.goto(url)
        page.wait_for_selector(".st-key-menu a")  # the first picture has a heading, too
        page.evaluate(WATCH)
        try:
            # Where the first page takes all of the time, a click is made when the others are done.
            late = until + _TIMEOUT
            while time.monotonic() < (until if result.clicks else late):
                _click_through(page, dice, until if result.clicks else late, result)
        except Error as error:
            result.errors.append(f"browser: {error}")
        chromium.close()


def _click_through(page: Page, dice: random.Random, until: float, result: Result) -> None:
    links = page.locator(".st-key-menu").get_by_role("link").all()
    _click(page, dice, ("link", dice.choice(links), None), result)
    on_page = list(controls(page))
    for control in dice.sample(on_page, min(2, len(on_page))):
        if time.monotonic() < until and control[1].is_visible() and control[1].is_enabled():
            _click(page, dice, control, result)
    for exception in page.get_by_test_id("stException").all():
        result.errors.append(f"browser: {page.url}: {exception.inner_text()[:200]}")


def _click(page: Page, dice: random.Random, control: tuple[str, Locator, str | None], result: Result) -> None:
    what, target, key = control
    done = measure(page, page.url, what, target, key)
    if done is not None:
        result.clicks.append(done.milliseconds / 1000)
    page.wait_for_timeout(1000 * dice.uniform(*_PAUSE))


class _Flood:
    """Somebody who wants the server for himself: seven sessions begin trainings, and cut with a pattern that
    backtracks for ever; 50 MB after 50 MB goes to addresses for uploads that no page gave.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._result = Result([], [], [], [])  # what happens to him is his affair

    async def live(self, until: float) -> None:
        """All at once, until the time is over."""
        trainers = [_Session(self._url, 1000 + k, True, self._result) for k in range(7)]
        text = "~" + "a" * 28 + "!"
        patterns = [
            _Session(self._url, k, False, self._result, f"with=none&model=ko~pretokenizer-(a%2B)%2B%24&text={text}")
            for k in range(3)
        ]
        await asyncio.gather(
            *(session.live(until) for session in [*trainers, *patterns]),
            asyncio.to_thread(self._upload, until),
            return_exceptions=True,
        )

    def _upload(self, until: float) -> None:
        number = 0
        while time.monotonic() < until:
            number += 1
            request = urllib.request.Request(
                f"{self._url}/_stcore/upload_file/{number}/{number}", b"x" * 50_000_000, method="PUT"
            )
            with suppress(OSError):
                urllib.request.urlopen(request, timeout=10).close()


async def _all(
    server: AppServer, sessions: int, trainers: int, browsers: int, seconds: float, is_cold: bool, is_hostile: bool
) -> Result:
    url, result = server.url, Result([], [], [], [])
    if not is_cold:
        teacher = Result([], [], result.errors, [])
        for port in server.backends():
            await _Session(f"http://127.0.0.1:{port}", sessions, False, teacher).rehearse()
    before, all_before = server.cpu_seconds(), cpu_seconds_here()
    until = time.monotonic() + seconds
    visitors = [_Session(url, seed, seed < trainers, result) for seed in range(sessions)]
    outcomes = await asyncio.gather(
        *(visitor.live(until) for visitor in visitors),
        *([_Flood(url).live(until)] if is_hostile else []),
        *(asyncio.to_thread(_browse, url, seed, until, result) for seed in range(browsers)),
        _watch_memory(server, until, result),
        return_exceptions=True,
    )
    result.errors.extend(repr(outcome) for outcome in outcomes if isinstance(outcome, BaseException))
    app, proxy = (now - then for now, then in zip(server.cpu_seconds(), before, strict=True))
    return result._replace(cpu=(app, proxy, cpu_seconds_here() - all_before - app - proxy))


def run_load(
    sessions: int,
    trainers: int,
    browsers: int,
    seconds: float,
    is_cold: bool = False,
    is_hostile: bool = False,
    processes: int = 1,
) -> Result:
    """Start the app, put the load on it, stop it."""
    for arguments in (["engine", "warmup"], ["app.prepare"]):
        subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        server = AppServer(f"{folder}/library", log=log, processes=processes)
        try:
            # In a thread of its own: the caller's may have an event loop already.
            with ThreadPoolExecutor(1) as pool:
                everybody = _all(server, sessions, trainers, browsers, seconds, is_cold, is_hostile)
                result = pool.submit(asyncio.run, everybody).result()
            result.errors.extend(f"log: {part[-1000:]}" for part in log.read_text().split("Traceback")[1:])
            return result
        finally:
            server.stop()


def _summary(times: list[float]) -> str:
    return f"median {statistics.median(times):.2f} s, p95 {percentile(times, 0.95):.2f} s, longest {max(times):.2f} s"


def report(result: Result) -> str:
    """The figures in a few lines."""
    memory = result.memory or [0.0]
    half = memory[len(memory) // 2 :]
    return (
        f"{len(result.times):,} runs, {len(result.errors)} errors\n"
        f"server time of a run: {_summary(result.times)}\n"
        + (f"{len(result.clicks):,} clicks in browsers: {_summary(result.clicks)}\n" if result.clicks else "")
        + f"memory of the server: {memory[0]:.0f} MB first, {half[0]:.0f} MB half-way, {memory[-1]:.0f} MB at the end\n"
        + "computed: {:.1f} s by the app, {:.1f} s by the proxy, {:.1f} s by visitors\n".format(*result.cpu)
        + f"runs per second of the app's time: {len(result.times) / result.cpu[0]:.2f}\n"
        + "".join(f"error: {error}\n" for error in result.errors[:10])
    )


def main() -> None:
    """Read the options and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=30)
    parser.add_argument("--trainers", type=int, default=5)
    parser.add_argument("--browsers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    result = run_load(
        options.sessions,
        options.trainers,
        options.browsers,
        options.seconds,
        options.cold,
        options.hostile,
        options.processes,
    )
    sys.stdout.write(report(result))


if __name__ == "__main__":
    main()

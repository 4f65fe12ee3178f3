"""A full room: students answer over the network, a lecturer looks at a real browser; how long until the answer is seen.

`python -m tests.load.room --students 200 --rooms 1 --seconds 30 --restart`
With `--visitor` somebody else works on other pages meanwhile, and before: how long their clicks take. With
`--processes 2` the app is several processes with a proxy in front of them.
"""

import argparse
import asyncio
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from playwright.async_api import Browser, Page, async_playwright

from app.server.store.sqlite.database import FILE
from tests.app_server import ROOT, AppServer, cpu_seconds_here
from tests.browser.chromium import FLAGS, find_chromium
from tests.load.interaction import RESET, SETTLED, WATCH, percentile
from tests.load.wire import Wire

# The lecturer's page notes when it shows which count.
_WATCH = """() => { window.seen = []; let last = -1; setInterval(() => {
  const found = document.querySelector('.st-key-lessons-room-bar')?.innerText.match(/답\\s*([\\d,]+)/);
  const n = found ? Number(found[1].replace(',', '')) : last;
  if (n !== last) { last = n; window.seen.push([Date.now() / 1000, n]); } }, 30); }"""
_AT_REST = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
_QUESTIONS = 3
_JOIN_SECONDS, _MORE_SECONDS = 120.0, 30.0  # at most, for all to join and to answer
_VISITED = ("lattice", "scores", "rounds")
_VISITED_ALONE = 30.0  # seconds, before anybody joins


class RoomResult(NamedTuple):
    """Delays (seconds) from a tap to the lecturer's screen; answers that were taken; what went wrong.

    How long (seconds) the clicks of a visitor of other pages took, alone and beside the class. And the cores that the
    app, the proxy, and all that measures them here (phones and browsers), kept busy meanwhile.
    """

    delays: list[float]
    taken: list[int]
    errors: list[str]
    alone: list[float]
    beside: list[float]
    cores: tuple[float, float, float] = (0.0, 0.0, 0.0)


class _Student:
    """A phone: it waits for what is asked, thinks, and sends its answer until somebody has taken it."""

    def __init__(self, url: str, room: str, number: int, seconds: float) -> None:
        self._room, self._seconds = room, seconds
        self._listening, self._sending = Wire(url), Wire(url)
        self._secret = f"student-{number:06d}-of-the-load"
        self._dice = random.Random(number)
        self.taps: list[tuple[str, float]] = []
        self.step, self._version = "", 0
        self._thought: asyncio.Task[None] | None = None

    @property
    def is_there(self) -> bool:
        """Whether it has joined."""
        return self._version > 0

    async def live(self) -> None:
        """Until it is cancelled."""
        try:
            await self._listen()
        finally:
            if self._thought is not None:
                self._thought.cancel()
            self._listening.close()
            self._sending.close()

    async def _listen(self) -> None:
        while True:
            try:
                path = f"/join/state?room={self._room}&after={self._version}"
                status, view = await self._listening.get(path, self._secret, 40)
            except ConnectionError:
                status = 0
            if status != 200:
                await asyncio.sleep(self._dice.uniform(0.5, 1.5))
                continue
            self._version = view["version"]
            if view["open"] and view["mine"] is None and view["step"] != self.step:
                self.step = view["step"]
                if self._thought is not None:  # something else is asked: what was thought is dropped
                    self._thought.cancel()
                self._thought = asyncio.create_task(self._answer(view))

    async def _answer(self, view: dict[str, object]) -> None:
        await asyncio.sleep(self._dice.uniform(0, self._seconds))
        tap = time.time()
        body = json.dumps({"room": self._room, "student": self._secret, "step": view["step"], "answer": "2"})
        for _ in range(60):
            with suppress(ConnectionError):
                status, _ = await self._sending.post("/join/answer", body, 20)
                if status == 200:
                    self.taps.append((str(view["step"]), tap))
                    # The same once more, as a phone does that did not hear the answer: it counts once.
                    with suppress(ConnectionError):
                        await self._sending.post("/join/answer", body, 20)
                    return
                if status == 409:
                    return
            await asyncio.sleep(self._dice.uniform(0.5, 1.5))


async def _open_room(chromium: Browser, url: str) -> tuple[Page, str]:
    page = await chromium.new_page(viewport={"width": 1280, "height": 720}, locale="ko-KR")
    page.set_default_timeout(90_000)
    await page.goto(f"{url}/lessons?lang=ko")
    opening = ".st-key-lessons-room-open button"
    # Usable once the browser has said whose it is, after which the page runs once more.
    await page.wait_for_selector(f"{opening}:enabled")
    await page.wait_for_selector(_AT_REST)
    await page.locator(opening).click()
    await page.wait_for_function("location.href.includes('room=')")
    await page.keyboard.press("Escape")
    await page.evaluate(_WATCH)
    return page, page.url.split("room=")[1].split("&")[0]


async def _ask(page: Page, sentence: str) -> None:
    """A sentence to be cut, as the lecturer types it."""
    await page.wait_for_selector(_AT_REST)  # after a restart, the page has to find its server again
    await page.get_by_role("button", name="새 질문").click()
    await page.get_by_label("문장", exact=True).fill(sentence)
    await page.keyboard.press("Tab")
    await page.wait_for_selector(_AT_REST)
    await page.get_by_role("button", name="질문하기", exact=True).click()
    await page.keyboard.press("Escape")


async def _answered(phones: list[_Student], step: str, page: Page | None, seconds: float) -> list[float]:
    """When the phones answered, in order, once all have and the lecturer's page shows it, or after so many seconds."""
    until = time.time() + seconds
    while True:
        taps = sorted(tap for phone in phones for of, tap in phone.taps if of == step)
        is_shown = page is None or await page.evaluate("(n) => window.seen.at(-1)?.[1] >= n", len(phones))
        if (len(taps) == len(phones) and is_shown) or time.time() > until:
            return taps
        await asyncio.sleep(0.1)


async def _class(
    server: AppServer, chromium: Browser, students: int, seconds: float, is_restarted: bool, first: int
) -> RoomResult:
    result = RoomResult([], [], [], [], [])
    page, room = await _open_room(chromium, server.url)
    phones = [_Student(server.url, room, first + k, seconds) for k in range(students)]
    tasks = [asyncio.create_task(phone.live()) for phone in phones]
    async with asyncio.timeout(_JOIN_SECONDS):
        while not all(phone.is_there for phone in phones):
            await asyncio.sleep(0.5)
    for number in range(_QUESTIONS):
        await page.evaluate("() => { window.seen.length = 0 }")
        await _ask(page, f"{number + 1}번째 문장을 잘라 봅시다")
        is_away = is_restarted and number == 1
        if is_away:
            await asyncio.sleep(seconds / 2)
            await asyncio.to_thread(server.restart)
        step = f"own.{number + 1}"
        taps = await _answered(phones, step, None if is_away else page, seconds + _MORE_SECONDS)
        result.taken.append(len(taps))
        seen = await page.evaluate("() => window.seen")
        if not is_away:  # while the server is away nobody sees anything
            shown = [next((at for at, n in seen if n >= k and at >= taps[0]), None) for k in range(1, len(taps) + 1)]
            if None in shown:
                result.errors.append(f"{step}: the lecturer saw {seen[-1:]} of {len(taps)} answers")
            result.delays.extend(at - tap for at, tap in zip(shown, taps, strict=True) if at is not None)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await page.close()
    return result


async def _visit(page: Page, url: str, clicks: list[float]) -> None:
    """Somebody who works on other pages: a click, a look, the next click; for ever."""
    while True:
        for name in _VISITED:
            await page.goto(f"{url}/{name}?lang=ko")
            await page.wait_for_selector(f"{_AT_REST} h1")
            await page.wait_for_timeout(1000)
            await page.evaluate(WATCH)
            choice = page.get_by_test_id("stMain").locator("[data-testid=stButtonGroup]").first.get_by_role("radio")
            for k in (1, 0, 1, 0):
                await page.evaluate(RESET)
                await choice.nth(k).click()
                took = await page.wait_for_function(SETTLED, polling=20)
                milliseconds = (await took.json_value())[0]
                if milliseconds:  # else nothing ran on the server
                    clicks.append(milliseconds / 1000)
                await page.wait_for_timeout(500)


async def _all(
    server: AppServer, students: int, rooms: int, seconds: float, is_restarted: bool, is_visited: bool
) -> list[RoomResult]:
    alone: list[float] = []
    beside: list[float] = []
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        visitor = await chromium.new_page(viewport={"width": 1440, "height": 900}, locale="ko-KR")
        visit = None
        if is_visited:
            with suppress(TimeoutError):
                async with asyncio.timeout(_VISITED_ALONE):  # models are read and pages are warm after this
                    await _visit(visitor, server.url, [])
            with suppress(TimeoutError):
                async with asyncio.timeout(_VISITED_ALONE):
                    await _visit(visitor, server.url, alone)
            visit = asyncio.create_task(_visit(visitor, server.url, beside))
        classes = [_class(server, chromium, students, seconds, is_restarted, 1000 * k) for k in range(rooms)]
        begun, before, all_before = time.monotonic(), server.cpu_seconds(), cpu_seconds_here()
        results = await asyncio.gather(*classes)
        seconds_passed = time.monotonic() - begun
        app, proxy = (now - then for now, then in zip(server.cpu_seconds(), before, strict=True))
        others = cpu_seconds_here() - all_before - app - proxy
        cores = (app / seconds_passed, proxy / seconds_passed, others / seconds_passed)
        if visit is not None:
            visit.cancel()
            await asyncio.gather(visit, return_exceptions=True)
        await chromium.close()
        return [*results, RoomResult([], [], [], alone, beside, cores)]


def run_room(
    students: int, rooms: int, seconds: float, is_restarted: bool, is_visited: bool = False, processes: int = 1
) -> RoomResult:
    """Start the app, fill the rooms, stop it; answers that lie in the library are compared with those taken."""
    for arguments in (["engine", "warmup"], ["app.prepare"]):
        subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as library:
        server = AppServer(library, processes=processes, THUNDER_TOK_MODEL="ko")
        try:
            with ThreadPoolExecutor(1) as pool:
                results = pool.submit(
                    asyncio.run, _all(server, students, rooms, seconds, is_restarted, is_visited)
                ).result()
        finally:
            server.stop()
        together = RoomResult([], [], [], [], [], results[-1].cores)
        for one in results:
            together.delays.extend(one.delays)
            together.taken.extend(one.taken)
            together.errors.extend(one.errors)
            together.alone.extend(one.alone)
            together.beside.extend(one.beside)
        kept = _kept(Path(library))
        if kept != sum(together.taken):
            together.errors.append(f"{sum(together.taken)} answers were taken, {kept} are kept")
        return together


def _kept(library: Path) -> int:
    with sqlite3.connect(library / FILE) as db:
        return int(db.execute("SELECT count(*) FROM answer WHERE step LIKE 'own.%'").fetchone()[0])


def main() -> None:
    """Read the options and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--rooms", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--restart", action="store_true")
    parser.add_argument("--visitor", action="store_true")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    result = run_room(
        options.students, options.rooms, options.seconds, options.restart, options.visitor, options.processes
    )
    sys.stdout.write(
        f"{options.rooms} x {options.students} students, {sum(result.taken)} answers, {len(result.errors)} errors\n"
        f"from a tap to the lecturer's screen: median {percentile(result.delays, 0.5):.2f} s, "
        f"p95 {percentile(result.delays, 0.95):.2f} s, longest {max(result.delays):.2f} s\n"
        + "".join(
            f"a click on another page {when}: median {percentile(clicks, 0.5):.2f} s, "
            f"p95 {percentile(clicks, 0.95):.2f} s ({len(clicks)} clicks)\n"
            for when, clicks in (("alone", result.alone), ("beside the class", result.beside))
            if clicks
        )
        + "cores kept busy: {:.2f} by the app, {:.2f} by the proxy, {:.2f} by phones and browsers\n".format(
            *result.cores
        )
        + "".join(f"error: {error}\n" for error in result.errors[:10])
    )


if __name__ == "__main__":
    main()

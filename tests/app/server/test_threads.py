"""A flood of slow requests delays only its own kind: pages, static files, health and class routes are answered."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Message

from app.classroom.phone import join
from app.classroom.print import handout, report
from app.classroom.room.live import Live
from app.classroom.serving import class_routes
from app.server.http import addresses
from app.server.store.store import UnknownIdError
from app.server.work.threads import BusyError, Threads
from app.share import routes
from app.share.packages import new_package
from app.texts.catalogue import translate
from tests.loops import run_to_end

_N = 500
_SVG = {"Content-Type": "image/svg+xml"}
_PACKAGE = new_package()
_ZIP = ("POST", f"/figure.zip?width=84&package={_PACKAGE.token}", _SVG, b"<svg/>\0<svg/>")
# What is replaced by work that does not end, or by a result, and the request that leads to it.
_SLOW: dict[str, tuple[ModuleType, str, object, tuple[str, str, dict[str, str], bytes]]] = {
    "pdf": (routes, "figure_pdf", b"", ("POST", "/figure.pdf?width=84", _SVG, b"<svg/>")),
    "zip": (routes, "figure_pdf", b"", _ZIP),
    "tables": (routes, "package_files", {}, _ZIP),
    "preview": (addresses, "_image", b"", ("GET", "/preview/en/cost.png", {}, b"")),
    "handout": (handout, "is_lecturer", False, ("GET", "/handout", {}, b"")),
    "report": (report, "is_lecturer", False, ("GET", "/report?room=a&key=b", {}, b"")),
    "class": (join, "_view_of", {}, ("GET", "/join/state?room=aaaaaaaa", {"X-Student": "a" * 16}, b"")),
}
_QUICK = [("GET", address, {}, b"") for address in ("/", "/second", "/terms/ko.json", "/join", "/health", "/static/a")]


_Use = Callable[[Threads, asyncio.Event, asyncio.Event], Coroutine[Any, Any, Sequence[asyncio.Task[Any]]]]


class _Gate:
    """Work that waits until it is let go."""

    def __init__(self) -> None:
        self.is_open, self.entered = threading.Event(), 0

    def __call__(self, *_: object) -> Any:
        self.entered += 1
        assert self.is_open.wait(60)
        raise UnknownIdError("room.unknown")


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Gate]:
    made = _Gate()
    monkeypatch.setattr(join, "LIVE", Live())
    yield made
    made.is_open.set()


class _Answer(NamedTuple):
    status: int
    headers: dict[bytes, bytes]
    text: str


def _app(folder: Path) -> Starlette:
    (folder / "a").write_text("static")

    async def health(_: Request) -> PlainTextResponse:
        return PlainTextResponse("ok")

    own = [Route("/health", health), Mount("/static", StaticFiles(directory=folder))]
    return Starlette(routes=[*addresses.routes(["first", "second"]), *class_routes(), *routes.share_routes(), *own])


async def _send(app: Starlette, request: tuple[str, str, dict[str, str], bytes]) -> _Answer:
    """The answer to a client that stays."""
    method, address, headers, content = request
    path, _, query = address.partition("?")
    sent = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": sent}
    answers: list[Message] = []
    messages: asyncio.Queue[Message] = asyncio.Queue()
    messages.put_nowait({"type": "http.request", "body": content})

    async def send(message: Message) -> None:
        answers.append(message)

    await app({**scope, "scheme": "http", "server": ("server", 80), "client": ("127.0.0.1", 1)}, messages.get, send)
    body = b"".join(message.get("body", b"") for message in answers[1:])
    return _Answer(answers[0]["status"], dict(answers[0]["headers"]), body.decode("utf-8", "replace"))


@contextmanager
def _cancelled(tasks: list[asyncio.Task[Any]]) -> Iterator[None]:
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()


async def _until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "did not come true"
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("slow", _SLOW)
def test_nothing_else_waits_for_a_flood_of_slow_requests(
    slow: str, gate: _Gate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module, name, result, _ in _SLOW.values():
        monkeypatch.setattr(module, name, lambda *_, result=result: result)
    module, name, _, request = _SLOW[slow]
    monkeypatch.setattr(module, name, gate)

    async def run() -> None:
        app = _app(tmp_path)
        flood = [asyncio.create_task(_send(app, request)) for _ in range(_N)]
        with _cancelled(flood):
            await _until(lambda: gate.entered)
            others = [other for of, _, _, other in _SLOW.values() if of is not module]
            for quick in (*_QUICK, *others):
                answer = await asyncio.wait_for(_send(app, quick), 10)
                assert answer.status in (200, 404), quick
            if slow != "class":  # a class is let in whole
                refused = [task.result() for task in flood if task.done()]
                assert len(refused) >= _N - 202 and gate.entered <= 2
                assert {answer.status for answer in refused} == {503}
                assert refused[0].headers[b"retry-after"] == b"5" and refused[0].headers[b"x-said"]
                assert refused[0].text == translate("frame.busy", "en")
            gate.is_open.set()

    run_to_end(run())


def _request(who: str, left: asyncio.Event) -> Request:
    async def receive() -> dict[str, str]:
        await left.wait()
        return {"type": "http.disconnect"}

    return Request({"type": "http", "query_string": b"lang=ko", "headers": [], "client": (who, 1)}, receive)


def _with_threads(
    use: Callable[[Threads, asyncio.Event, asyncio.Event], Coroutine[Any, Any, Sequence[asyncio.Task[Any]]]],
) -> None:
    """One thread is busy until the first event; clients stay until the second."""

    async def run() -> None:
        free, left = threading.Event(), asyncio.Event()
        threads = Threads(at_a_time=1, waiting=4)
        first = asyncio.create_task(threads.run(_request("127.0.0.1", asyncio.Event()), free.wait, 60))
        await _until(lambda: threads._limiter.borrowed_tokens)
        try:
            last = await use(threads, left, asyncio.Event())
        finally:
            free.set()
        await asyncio.gather(first, *last)
        assert not threads._requests

    run_to_end(run())


def test_one_network_takes_half_of_the_places() -> None:
    async def use(threads: Threads, left: asyncio.Event, _: asyncio.Event) -> Sequence[asyncio.Task[Any]]:
        own = [asyncio.create_task(threads.run(_request("127.0.0.1", left), int)) for _ in range(5)]
        other = asyncio.create_task(threads.run(_request("127.0.0.2", left), int))
        await _until(lambda: sum(task.done() for task in own) == 3)
        for task in own[2:]:
            with pytest.raises(BusyError, match="잠시 뒤에"):
                task.result()
        assert not other.done()
        return [*own[:2], other]

    _with_threads(use)


def test_work_of_clients_that_left_is_skipped() -> None:
    done: list[int] = []

    async def use(threads: Threads, left: asyncio.Event, stays: asyncio.Event) -> Sequence[asyncio.Task[Any]]:
        gone = [asyncio.create_task(threads.run(_request("127.0.0.1", left), done.append, 1)) for _ in range(2)]
        await asyncio.sleep(0.05)
        left.set()
        for result in await asyncio.wait_for(asyncio.gather(*gone, return_exceptions=True), 5):
            assert isinstance(result, ClientDisconnect)
        # Their places are free again.
        new = [asyncio.create_task(threads.run(_request("127.0.0.1", stays), done.append, 2)) for _ in range(2)]
        await asyncio.sleep(0.05)
        assert not any(task.done() for task in new) and not done
        return new

    _with_threads(use)
    assert done == [2, 2]

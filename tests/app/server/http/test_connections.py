"""Whoever sends no request, or half of one, or reads no answer, is cut off in time; whoever waits for news never is."""

import asyncio
import logging
import socket
import struct
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.proto.BackMsg_pb2 import BackMsg

from app.server.http.connections import Bounds, InTime, Open, Pending, bound_connections
from app.server.patches.sockets import Socket, longest_message
from app.server.start_up import Seldom
from tests.app_server import AppServer
from tests.loops import run_to_end

_GET = b"GET /news HTTP/1.1\r\nHost: here\r\n\r\n"
_POST = b"POST /size HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n"
_CHUNKED = b"POST /size HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
_LONG = b"GET /long HTTP/1.1\r\nHost: here\r\n\r\n"
_OPEN = (
    b"GET /%s HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


class _Loop(asyncio.SelectorEventLoop):
    """Its clock can be put forward: nobody waits fifteen seconds."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


async def _until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "did not come true"
        await asyncio.sleep(0.002)


class _Client:
    """One connection to the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self._writer = reader, writer

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    async def answer(self) -> bytes:
        """The body of an answer that is `news` or a number."""
        await self.reader.readuntil(b"\r\n\r\n")
        return await self.reader.read(100)

    async def close(self) -> None:
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()

    @property
    def has_ended(self) -> bool:
        return self.reader.at_eof() or self.reader.exception() is not None


class _Server:
    """uvicorn with an app that waits for news, takes bodies, and answers at length."""

    def __init__(self, n_pending: int, n_bytes: int, n_open: int) -> None:
        self._bounds = Bounds(Pending(n_pending), Pending(n_pending), Pending(n_bytes), Open(n_open))
        self.news, self.received = asyncio.Event(), 0
        self._clients: list[_Client] = []

    async def _tell(self, _: Request) -> Response:
        await self.news.wait()
        return PlainTextResponse("news")

    async def _size(self, request: Request) -> Response:
        async for part in request.stream():
            self.received += len(part)
        return PlainTextResponse(str(self.received))

    async def _long(self, _: Request) -> Response:
        self.news.set()
        return PlainTextResponse(b"x" * 20_000_000)

    async def _live(self, websocket: WebSocket) -> None:
        await websocket.accept()
        with suppress(WebSocketDisconnect):
            while True:
                await websocket.send_text(await websocket.receive_text())

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        routes = [
            Route("/news", self._tell),
            Route("/size", self._size, methods=["POST"]),
            Route("/long", self._long),
            WebSocketRoute("/live", self._live),
        ]
        app = Starlette(routes=routes, middleware=[Middleware(InTime)])
        bound_connections(self._bounds, backlog=2000)
        with socket.create_server(("127.0.0.1", 0), backlog=2000) as listening:
            self._port = listening.getsockname()[1]
            config = uvicorn.Config(
                app, log_config=None, ws="websockets-sansio", ws_ping_interval=None, timeout_keep_alive=1000
            )
            config.load()
            server = uvicorn.Server(config)
            server.lifespan = config.lifespan_class(config)
            await server.startup([listening])
            self.connections = server.server_state.connections
            try:
                yield
            finally:
                self.news.set()
                for client in self._clients:
                    await client.close()
                await server.shutdown([listening])

    async def client(self, data: bytes = b"", address: str = "127.0.0.1") -> _Client:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, local_addr=(address, 0), limit=1 << 12)
        client = _Client(reader, writer)
        client.send(data)
        self._clients.append(client)
        return client

    async def socket(self, data: bytes = b"", address: str = "127.0.0.1") -> _Client:
        client = await self.client(_OPEN % b"live", address)
        assert (await client.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
        client.send(data)
        return client

    @property
    def sockets(self) -> list[Socket]:
        return [one for one in self.connections if isinstance(one, Socket)]

    async def later(self, seconds: float) -> None:
        """What has been sent has arrived; then so many seconds pass."""
        for _ in range(5):
            await asyncio.sleep(0)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, _Loop)
        loop.ahead += seconds
        for _ in range(5):
            await asyncio.sleep(0)


def _with_server(
    use: Callable[[_Server], Coroutine[None, None, None]],
    n_pending: int = 100,
    n_bytes: int = 1 << 20,
    n_open: int = 100,
) -> None:
    async def run() -> None:
        server = _Server(n_pending, n_bytes, n_open)
        async with server.running():
            await use(server)

    run_to_end(run(), _Loop)


@pytest.mark.parametrize(
    "sent", [b"", _GET[:20], _POST % 5 + b"1234", _CHUNKED + b"2\r\n1", _OPEN[:60], b"GET / HTTP/1.1\r\n\r\n"[:-2]]
)
@pytest.mark.parametrize("is_first", [True, False])
def test_who_sends_nothing_or_half_of_it_is_cut_off(sent: bytes, is_first: bool) -> None:
    async def use(server: _Server) -> None:
        server.news.set()
        client = await server.client(b"" if is_first else _GET)
        if not is_first:
            assert await client.answer() == b"news"
        client.send(sent)
        await server.later(14.0)
        assert not client.has_ended
        if is_first or sent:  # after an answer nothing is owed; that uvicorn closes what is idle is its own affair
            await server.later(2.0)
            await _until(lambda: client.has_ended and not server.connections)

    _with_server(use)


@pytest.mark.parametrize("head", [_GET[:-2] + b"X: ", _POST % 500])
def test_bytes_that_drip_do_not_help(head: bytes) -> None:
    async def use(server: _Server) -> None:
        client = await server.client(head)
        for _ in range(20):
            client.send(b"y")
            await server.later(1.0)
        await _until(lambda: client.has_ended)

    _with_server(use)


def test_who_reads_no_answer_is_cut_off() -> None:
    async def use(server: _Server) -> None:
        await server.client(_LONG)
        await server.news.wait()
        await server.later(59.0)
        assert server.connections
        await server.later(2.0)
        await _until(lambda: not server.connections)

    _with_server(use)


def test_who_waits_for_news_or_sends_bit_by_bit_is_left_alone_however_many() -> None:
    async def use(server: _Server) -> None:
        waiting = [await server.client(_GET) for _ in range(30)]
        live = [await server.client(_OPEN % b"live") for _ in range(30)]
        for client in live:
            assert (await client.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
        upload = await server.client(_POST % 1_000_000)
        for number in range(1, 6):
            upload.send(b"x" * 200_000)
            await _until(lambda n=number: server.received == n * 200_000)  # type: ignore[misc]
            await server.later(14.0)
        assert await upload.answer() == b"1000000"
        server.news.set()
        for client in waiting:
            assert await client.answer() == b"news"
        for client in live:
            client.send(b"\x81\x82\0\0\0\0ok")
            assert await client.reader.readexactly(4) == b"\x81\x02ok"

    _with_server(use, n_pending=8)


def _frame(data: bytes, opcode: int = 1, n_bytes: int | None = None, *, is_last: bool = True) -> bytes:
    """The beginning of a frame, or all of it, that says it has `n_bytes`."""
    head = struct.pack("!BBQ", opcode | is_last << 7, 0xFF, len(data) if n_bytes is None else n_bytes)
    return head + bytes(4) + data


@pytest.mark.parametrize("is_in_frames", [False, True])
def test_unfinished_messages_take_so_much_memory_by_network_and_in_all(is_in_frames: bool) -> None:
    part, n_bytes = b"x" * 100_000, 1_000_000
    begun = _frame(part, is_last=False) if is_in_frames else _frame(part, n_bytes=200_000)
    rest = _frame(part, 0) if is_in_frames else part

    async def use(server: _Server) -> None:
        few = [await server.socket(begun, f"127.0.0.{1 + number}") for number in range(4)]
        many = [await server.socket(begun, "127.0.0.9") for _ in range(20)]
        await _until(lambda: all(client.has_ended for client in many[:-5]))  # the oldest of it go
        assert not any(client.has_ended for client in few)
        await _until(lambda: 0 < sum(one.n_unfinished for one in server.sockets) <= n_bytes)
        few += [await server.socket(begun, f"127.0.0.{10 + number}") for number in range(4)]
        await _until(lambda: len(server.sockets) == 10)
        assert sum(one.n_unfinished for one in server.sockets) <= n_bytes
        for client in few:  # what others began keeps nobody from finishing
            client.send(rest)
            assert await client.reader.readexactly(10) == struct.pack("!BBQ", 0x81, 127, 200_000)

    _with_server(use, n_bytes=n_bytes)


@pytest.mark.parametrize("n_bytes", [0, 2])
def test_frames_of_nothing_take_no_more_than_their_bytes(n_bytes: int) -> None:
    async def use(server: _Server) -> None:
        begun = b"\x01\x80" + bytes(4)
        client = await server.socket(begun + (bytes([0, 0x80 | n_bytes]) + bytes(4 + n_bytes)) * 20_000)
        await _until(lambda: [one.n_unfinished for one in server.sockets] == [n_bytes * 20_000])
        assert len(server.sockets[0].frames) <= 1
        client.send(_frame(b"end", 0))
        assert (await client.reader.readexactly(n_bytes * 20_000 + 3)).endswith(b"\0" * bool(n_bytes))

    _with_server(use)


def test_the_rest_of_a_message_must_come_in_time() -> None:
    async def use(server: _Server) -> None:
        silent = await server.socket(_frame(b"x", n_bytes=2))
        slow = await server.socket(_frame(b"x", n_bytes=longest_message()))
        await _until(lambda: sum(one.n_unfinished for one in server.sockets) == 2)
        await server.later(14.0)
        slow.send(b"x")
        await _until(lambda: sum(one.n_unfinished for one in server.sockets) == 3)
        await server.later(2.0)
        await _until(lambda: silent.has_ended)
        for _ in range(longest_message() // 10_000 // 14 + 2):  # nor do drops help
            slow.send(b"x")
            await server.later(14.0)
        await _until(lambda: slow.has_ended)
        assert not server.sockets

    _with_server(use)


def test_the_longest_message_arrives_and_a_longer_one_is_refused_at_its_first_bytes() -> None:
    async def use(server: _Server) -> None:
        text = b"\xed\x95\x9c" * (longest_message() // 3)
        client = await server.socket(_frame(text))
        await client.reader.readexactly(10)
        assert await client.reader.readexactly(len(text)) == text
        client = await server.socket(_frame(b"", n_bytes=longest_message() + 1))
        assert struct.pack("!H", 1009) in await client.reader.read(100)

    _with_server(use, n_bytes=3 * longest_message())


def test_who_reads_no_answers_to_pings_is_not_read_either() -> None:
    async def use(server: _Server) -> None:
        pings = (b"\x89\xfd" + bytes(4 + 125)) * 300_000
        await server.socket(pings)
        await _until(lambda: server.sockets and not server.sockets[0].transport.is_reading())
        assert server.sockets[0].transport.get_write_buffer_size() < 1_000_000
        await server.later(61.0)
        await _until(lambda: not server.sockets)

    _with_server(use)


async def _spoken(server: _Server, address: str) -> _Client:
    client = await server.socket(_frame(b"ok"), address)
    assert (await client.reader.readexactly(4)).endswith(b"ok")
    return client


async def _is_refused(server: _Server, address: str) -> bool:
    client = await server.client(_OPEN % b"live", address)
    head = await client.reader.readuntil(b"\r\n\r\n")
    assert b"\r\nretry-after: 30\r\n" in head or head.startswith(b"HTTP/1.1 101")
    return head.startswith(b"HTTP/1.1 503")


def test_open_pages_have_bounds_by_network_and_in_all() -> None:
    async def use(server: _Server) -> None:
        many = [await _spoken(server, "127.0.0.9") for _ in range(12)]
        assert await _is_refused(server, "127.0.0.9")
        await _spoken(server, "127.0.0.10")
        await many.pop().close()
        many.append(await _spoken(server, "127.0.0.9"))
        for number in range(3):
            await _spoken(server, f"127.0.0.{20 + number}")
        assert await _is_refused(server, "127.0.0.30")  # of the same region as all others
        assert len(server.sockets) == 16
        assert not any(client.has_ended for client in many)

    _with_server(use, n_open=16)


def test_who_asks_for_something_takes_the_place_of_a_page_that_never_did() -> None:
    async def use(server: _Server) -> None:
        silent = [await server.socket(address=f"127.0.0.{1 + number % 3}") for number in range(40)]
        speaking = [await _spoken(server, "127.0.0.9") for _ in range(12)]
        assert not any(client.has_ended for client in speaking)
        assert await _is_refused(server, "127.0.0.9")
        assert [client.has_ended for client in silent] == [True] * 36 + [False] * 4

    _with_server(use, n_open=16)


def test_of_the_largest_region_the_newest_gives_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.http.connections.region", lambda address: address[:-1])

    async def use(server: _Server) -> None:
        many = [await _spoken(server, f"127.0.0.{10 + number % 6}") for number in range(16)]  # none has many
        few = [await _spoken(server, "127.0.0.2") for _ in range(7)]
        await _until(lambda: all(client.has_ended for client in many[-7:]))
        assert not any(client.has_ended for client in (*few, *many[:-7]))
        assert not await _is_refused(server, "127.0.0.2")
        assert await _is_refused(server, "127.0.0.2")

    _with_server(use, n_open=16)


@pytest.mark.parametrize("sent", [b"", _POST % 5])
def test_of_too_many_the_oldest_of_the_largest_network_go(sent: bytes) -> None:
    async def use(server: _Server) -> None:
        few = [await server.client(sent, f"127.0.0.{1 + number}") for number in range(4)]
        many = [await server.client(sent, "127.0.0.9") for _ in range(20)]
        await _until(lambda: all(client.has_ended for client in many[:-8]))  # half may be of one network
        assert not any(client.has_ended for client in (*few, *many[-8:]))
        few += [await server.client(sent, f"127.0.0.{10 + number}") for number in range(8)]
        await _until(lambda: all(client.has_ended for client in many[:-4]))  # and together they are too many
        assert not any(client.has_ended for client in (*few, *many[-4:]))

    _with_server(use, n_pending=16)


def test_a_class_is_answered_at_once_beside_silent_connections_of_its_own_address() -> None:
    async def use(server: _Server) -> None:
        server.news.set()
        silent = [await server.client() for _ in range(250)]
        phones = await asyncio.gather(*(server.client(_GET) for _ in range(200)))
        assert set(await asyncio.gather(*(phone.answer() for phone in phones))) == {b"news"}
        assert sum(not client.has_ended for client in silent) <= 200

    _with_server(use, n_pending=400)


def test_the_same_record_is_logged_a_few_times_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("tests.connections")
    log.addFilter(seldom := Seldom(seconds=60.0, times=3))
    for number in range(100):
        log.warning("no descriptor")
        log.warning("number %d", number)
    log.warning("something else")
    said = [record.getMessage() for record in caplog.records]
    assert said == [*(text for n in range(3) for text in ("no descriptor", f"number {n}")), "something else"]
    seldom._seconds = -1.0  # the minute is over
    log.warning("no descriptor")
    assert caplog.records[-1].getMessage() == "no descriptor (97 more like this one before)"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_open_pages_leave_descriptors_for_others(tmp_path: Path) -> None:
    server = AppServer(str(tmp_path), open_files=(400, 400), log=tmp_path / "log")
    opening = (_OPEN % b"_stcore/stream").replace(b"\r\n\r\n", b"\r\nSec-WebSocket-Protocol: streamlit\r\n\r\n")
    speaking = _frame(BackMsg(clear_cache=True).SerializeToString(), 2)
    try:
        with ExitStack() as held:

            def status(address: str) -> bytes:
                source = (address, 0)
                one = socket.create_connection(("127.0.0.1", server.port), timeout=30, source_address=source)
                held.enter_context(one).sendall(opening)
                answer = one.recv(12)
                with suppress(OSError):  # it was refused
                    one.sendall(speaking)
                return answer[9:]

            said = [status("127.0.0.1") for _ in range(250)]
            n_open = said.index(b"503")
            assert 80 < n_open < 125
            assert {*said[n_open:]} == {b"503"}
            assert status("127.0.0.2") == b"101"
            for path in ("/_stcore/health", "/", "/join"):
                with urllib.request.urlopen(server.url + path, timeout=30) as answer:
                    assert answer.status == 200
            assert len(list(Path(f"/proc/{server.pid}/fd").iterdir())) < 200
    finally:
        server.stop()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_server_with_few_descriptors_is_not_closed_by_silent_connections(tmp_path: Path) -> None:
    log = tmp_path / "log"
    server = AppServer(str(tmp_path), open_files=(100, 300), log=log)
    try:
        assert "300" in Path(f"/proc/{server.pid}/limits").read_text().split("Max open files")[1].split()[0]
        with ExitStack() as held:
            for number in range(600):
                one = held.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
                one.sendall((b"", b"GET / HTT", _POST.replace(b"/size", b"/join/answer") % 9)[number % 3])
            for path in ("/_stcore/health", "/", "/join"):
                with urllib.request.urlopen(server.url + path, timeout=30) as answer:
                    assert answer.status == 200
            assert len(list(Path(f"/proc/{server.pid}/fd").iterdir())) < 290
        assert log.stat().st_size < 20_000
    finally:
        server.stop()

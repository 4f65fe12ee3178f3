"""Connections that keep the server waiting are closed in time, and their number is bounded.

A browser sends its request at once and reads the answer. A client that does neither occupies a descriptor, and a server
out of descriptors answers nobody. A phone waiting for its lecturer and a browser with an open page are idle: they owe
nothing, and are bounded only so far that a whole class may share one address.

uvicorn has no such limits, and Streamlit does not let us choose its protocol. So each protocol is wrapped when its
connection is made, and the middleware, called by uvicorn for every complete request head, reports to it. A WebSocket
gets a protocol of ours, and owes the rest of a message that it has begun.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from typing import Any, NamedTuple, cast

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.server.limits import limits
from app.server.patches.sockets import Socket, longest_message
from app.server.visitors import network, region

_REQUEST_SECONDS = 15.0
_SLOWEST = 10_000  # bytes per second: a long body gets more time than its head
_ANSWER_SECONDS = 60.0  # without the client reading any of the answer
_MOST_FILES, _MOST_PENDING, _MOST_SOCKETS = 65_536, 2000, 4000


class Pending:
    """Connections that owe the same part of a request, oldest first. Beyond the limit, the oldest is closed.

    Parameters
    ----------
    in_all : the limit, in connections or in bytes that the server keeps for them; half as much per network.
    """

    def __init__(self, in_all: int) -> None:
        self._in_all = in_all
        self._of: dict[str, dict[Connection, int]] = {}

    def add(self, connection: "Connection", size: int = 1) -> None:
        """Add a connection, or change its size; over the limit, the network with the most loses its oldest."""
        mine = self._of.setdefault(connection.network, {})
        mine[connection] = size
        while sum(mine.values()) > self._in_all // 2:
            next(iter(mine)).drop()
        while sum(sizes := [sum(of_one.values()) for of_one in self._of.values()]) > self._in_all:
            largest = list(self._of.values())[sizes.index(max(sizes))]
            next(iter(largest)).drop()

    def remove(self, connection: "Connection") -> None:
        mine = self._of[connection.network]
        del mine[connection]
        if not mine:
            del self._of[connection.network]


class Open:
    """Open WebSockets, oldest first.

    Parameters
    ----------
    in_all : the limit; three quarters of it per network, which may be that of a whole class.
    """

    def __init__(self, in_all: int) -> None:
        self._in_all = in_all
        self._open: dict[Connection, None] = {}

    @contextmanager
    def place(self, connection: "Connection") -> Iterator[bool]:
        """Whether there is a place for another one, which it then has until the end."""
        if is_free := self._is_free(connection):
            self._open[connection] = None
        try:
            yield is_free
        finally:
            self._open.pop(connection, None)

    def _is_free(self, connection: "Connection") -> bool:
        """Whether there is a place: if all are taken, that of a page that has asked for nothing yet, or of a crowd."""
        crowd, may_take = [one for one in self._open if one.network == connection.network], False
        if len(crowd) < self._in_all * 3 // 4:
            if len(self._open) < self._in_all:
                return True
            n_open = Counter(one.region for one in self._open)
            largest = max(n_open, key=lambda name: n_open[name])
            crowd = [one for one in self._open if one.region == largest]
            may_take = n_open[connection.region] + 1 < len(crowd)
        given = next((one for one in crowd if not one.has_spoken), crowd[-1] if may_take else None)
        if given is None:
            return False
        del self._open[given]
        given.drop()
        return True


class Bounds(NamedTuple):
    """Bounds of all connections: those that owe the head of a request, its body, the rest of a message; open pages."""

    heads: Pending
    bodies: Pending
    messages: Pending
    sockets: Open
    seconds: float = _REQUEST_SECONDS
    answer_seconds: float = _ANSWER_SECONDS


class Connection(asyncio.Protocol):
    """A connection, which delegates to the protocol that serves it."""

    def __init__(self, served: asyncio.Protocol, bounds: Bounds) -> None:
        self._served, self._bounds = served, bounds
        cast(Any, served).ws_protocol_class = Socket  # every HTTP protocol of uvicorn has it
        self._loop = asyncio.get_running_loop()
        self._owed: Pending | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._has_asked, self._n_answers = False, 0
        self.network = self.region = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It begins, and owes a request."""
        self._transport = cast(asyncio.Transport, transport)  # typeshed: of whatever kind; a connection's can abort
        self.network = network((transport.get_extra_info("peername") or ("",))[0])
        self._served.connection_made(transport)
        # Data that arrived while the server was busy is read before this is called.
        self._loop.call_soon(self._loop.call_soon, self._expect_request)

    def data_received(self, data: bytes) -> None:
        """Receive bytes of a request or its body."""
        _connection.set(self)  # the answering task starts here, with a copy of this context
        self._has_asked = False
        self._served.data_received(data)
        if isinstance(self._served, Socket):
            self._expect_rest(self._served.n_unfinished)
        else:
            self._loop.call_soon(self._expect_request)

    def eof_received(self) -> bool | None:
        return self._served.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        self._settle()
        self._was_read()
        self._served.connection_lost(error)

    def pause_writing(self) -> None:
        self._unread = self._loop.call_later(self._bounds.answer_seconds, self.drop)
        self._served.pause_writing()

    def resume_writing(self) -> None:
        self._was_read()
        self._served.resume_writing()

    def drop(self) -> None:
        self._settle()
        self._transport.abort()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """While an answer is being sent, the client owes nothing."""
        self._settle()
        self._has_asked = True
        self._n_answers += 1
        try:
            yield
        finally:
            self._n_answers -= 1
            self._settle()

    def keep_socket(self, client: str) -> None:
        """Stay between the transport and the protocol of a WebSocket, which has just taken the place of this one."""
        self.network = network(client)  # the proxy's until now
        self.region = region(self.network)
        self._served = cast(asyncio.Protocol, self._transport.get_protocol())
        self._transport.set_protocol(self)

    @property
    def has_spoken(self) -> bool:
        return isinstance(self._served, Socket) and self._served.has_spoken

    def place(self) -> AbstractContextManager[bool]:
        return self._bounds.sockets.place(self)

    def body_in_time(self, scope: Scope, receive: Receive) -> Receive:
        """Wrap `receive`: a connection that stops sending its body, or is far too slow, is dropped."""
        headers = dict(scope["headers"])
        if b"content-length" not in headers and b"transfer-encoding" not in headers:
            return receive
        longest = limits().upload_mb << 20
        # uvicorn has checked that it is a number.
        n_bytes = min(int(headers.get(b"content-length", longest)), longest)
        end = self._loop.time() + self._bounds.seconds + n_bytes / _SLOWEST
        is_whole = False

        async def in_time() -> Message:
            nonlocal is_whole
            if is_whole:
                return await receive()
            self._owe(self._bounds.bodies, min(self._bounds.seconds, end - self._loop.time()))
            try:
                message = await receive()
            finally:
                self._settle()
            is_whole = not message.get("more_body")
            return message

        return in_time

    def _expect_request(self) -> None:
        is_idle = self._has_asked or self._n_answers or self._transport.is_closing()
        if self._owed is None and not is_idle:
            self._owe(self._bounds.heads, self._bounds.seconds)

    def _expect_rest(self, n_bytes: int) -> None:
        """Of a message that has not fully arrived, so many bytes are kept."""
        if not n_bytes:
            self._settle()
            return
        now, seconds = self._loop.time(), self._bounds.seconds
        if self._owed is None:
            self._message_end = now + seconds + longest_message() / _SLOWEST
        if self._deadline:
            self._deadline.cancel()
        self._owe(self._bounds.messages, min(seconds, self._message_end - now), n_bytes)

    def _owe(self, what: Pending, seconds: float, size: int = 1) -> None:
        self._owed = what
        self._deadline = self._loop.call_later(seconds, self.drop)
        what.add(self, size)

    def _settle(self) -> None:
        if self._owed and self._deadline:
            self._owed.remove(self)
            self._deadline.cancel()
        self._owed = None

    def _was_read(self) -> None:
        if self._unread:
            self._unread.cancel()
        self._unread = None


_connection: ContextVar[Connection] = ContextVar("_connection")


_full = PlainTextResponse("Too many open pages", 503, {"Retry-After": "30"})


class InTime:
    """Outermost middleware: tells the connection that a request has arrived, and bounds the time of its body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = _connection.get(None)
        if connection is None:  # an internal request
            await self._app(scope, receive, send)
            return
        if scope["type"] == "http":
            receive = connection.body_in_time(scope, receive)
        # The client is gone; that is not an error.
        with connection.answering(), suppress(ClientDisconnect):
            if scope["type"] == "websocket":
                connection.keep_socket((scope["client"] or ("",))[0])
                with connection.place() as is_free:
                    await (self._app if is_free else _full)(scope, receive, send)
            else:
                await self._app(scope, receive, send)


def bound_connections(bounds: Bounds, backlog: int) -> None:
    """Wrap the connections of all servers that the running loop creates from now on.

    Parameters
    ----------
    backlog : connections accepted at a time.
    """
    loop: Any = asyncio.get_running_loop()
    create_server, most = loop.create_server, backlog

    async def create_bounded(
        serve: Callable[[], asyncio.Protocol], *args: object, backlog: int = most, **options: object
    ) -> asyncio.Server:
        options["backlog"] = min(backlog, most)
        if options.get("ssl"):
            options["ssl_handshake_timeout"] = bounds.seconds
        server: asyncio.Server = await create_server(lambda: Connection(serve(), bounds), *args, **options)
        return server

    loop.create_server = create_bounded


def most_waiting() -> int:
    """How many phones may wait for news: their share of the descriptors."""
    return _more_files() * 3 // 16


def bound_by_files() -> None:
    """Raise the descriptor limit as far as allowed, and share it out.

    An eighth is left for files and for what is being answered.
    """
    files = _more_files()
    pending, sockets = min(files * 3 // 16, _MOST_PENDING), min(files * 5 // 16, _MOST_SOCKETS)
    # A tenth of the memory for messages that have not arrived; one of the longest must be able to.
    messages = max(limits().memory_mb * 100_000, 2 * longest_message())
    bound_connections(Bounds(Pending(pending), Pending(pending), Pending(messages), Open(sockets)), files // 8)


def _more_files() -> int:
    """The process's limit of descriptors, raised if possible."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _MOST_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):  # some systems have their own bounds
            return soft
    return wanted

"""A server that speaks the routes of the Hugging Face hub, with the troubles that a network has."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

COMMIT = "0123456789abcdef0123456789abcdef01234567"

Reply = Callable[[BaseHTTPRequestHandler], None]


class HubServer:
    """`files[owner/name][file]` is content, or what answers instead; `asked` are the paths that were asked for."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.files: dict[str, dict[str, bytes | Reply]] = {}
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self._server = ThreadingHTTPServer((host, 0), self._handler())
        self._server.daemon_threads = True
        self.address = f"http://{host}:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub.asked.append(self.path)
                hub.headers.append(dict(self.headers))
                model, _, rest = self.path.removeprefix("/").partition("/resolve/")
                with suppress(ConnectionError):  # whoever asked has heard enough
                    hub._reply(self, model, rest.partition("/")[2])

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def _reply(self, handler: BaseHTTPRequestHandler, model: str, file: str) -> None:
        if model not in self.files:
            refuse(401, "RepoNotFound")(handler)
        elif file not in self.files[model]:
            refuse(404, "EntryNotFound")(handler)
        elif callable(reply := self.files[model][file]):
            reply(handler)
        else:
            send(reply)(handler)


def send(content: bytes, length: int | None = None) -> Reply:
    """The content; `length` is what is said of its length."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        _head(handler, 200, {"Content-Length": str(len(content) if length is None else length)})
        handler.wfile.write(content)

    return reply


def refuse(status: int, reason: str = "") -> Reply:
    return lambda handler: _head(handler, status, {"X-Error-Code": reason, "Content-Length": "0"})


def redirect(to: str) -> Reply:
    return lambda handler: _head(handler, 302, {"Location": to, "Content-Length": "0"})


def endless(part: bytes, seconds: float = 0.0) -> Reply:
    """The part again and again, until nobody listens."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        _head(handler, 200, {})
        while True:
            handler.wfile.write(part)
            time.sleep(seconds)

    return reply


def _head(handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str]) -> None:
    handler.send_response(status)
    for name, value in ({"X-Repo-Commit": COMMIT} | headers).items():
        handler.send_header(name, value)
    handler.end_headers()

"""What a hub answers, bounded in size, in time and in where it may lead: to public addresses, and over https.

Whoever runs the program chooses the hub (HF_ENDPOINT). One that speaks http may lead to http, and one at a private
address to private addresses. Nothing is sent that says who asks: no token, no cookie.
"""

import os
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPErrorProcessor, HTTPHandler, HTTPSHandler, Request, build_opener

from engine.errors import InputError
from engine.public.internet import is_public

MAX_SECONDS = 300
_ENDPOINT, _DEFAULT = "HF_ENDPOINT", "https://huggingface.co"
_MAX_REDIRECTS = 5
_SILENCE_SECONDS = 15.0  # between two things that are heard of a server
_PART_BYTES = 1 << 16

# How many bytes have come, and of how many; 0 where the server does not say.
Report = Callable[[int, int], object]


class HubResponse(NamedTuple):
    """What came from an address; `content` is empty unless the status is 200.

    Attributes
    ----------
    error : what the hub calls the reason of another status.
    commit : of the repository.
    """

    status: int
    content: bytes
    error: str
    commit: str


def endpoint() -> str:
    """The hub of this machine."""
    return (os.environ.get(_ENDPOINT, "").strip() or _DEFAULT).rstrip("/")


def too_slow(seconds: int) -> InputError:
    """The error of a download that took longer than so many seconds."""
    return InputError("hub.slow", seconds=seconds)


class Downloads:
    """A few files of the hub, all together within MAX_SECONDS.

    Parameters
    ----------
    max_bytes : of one file.
    report : is called as a file comes.
    """

    def __init__(self, max_bytes: int, report: Report) -> None:
        self._base = endpoint()
        self._max_bytes, self._report = max_bytes, report
        self._until = time.monotonic() + MAX_SECONDS
        self._is_private = False  # whether the hub is; known when it has been reached
        self._host = ""
        self._opener = build_opener(_Every, _Http(self._check), _Https(self._check))

    def get(self, path: str) -> HubResponse:
        """The answer of the hub to a path, wherever that leads.

        Raises
        ------
        InputError : there is no way to it, it is too large, or too slow.
        """
        try:
            return self._get(f"{self._base}/{path}")
        except InputError:
            raise
        # ValueError: an address that is none.
        except (OSError, HTTPException, ValueError) as error:
            cause = getattr(error, "reason", error)
            raise InputError(
                "hub.offline",
                host=urlsplit(self._base).netloc,
                detail=getattr(cause, "strerror", None) or cause or type(cause).__name__,
            ) from None

    def _get(self, url: str) -> HubResponse:
        commit = ""
        for _ in range(_MAX_REDIRECTS + 1):
            if urlsplit(url).scheme not in ("https", urlsplit(self._base).scheme):
                raise OSError(f"it leads to {urlsplit(url).scheme}")
            request = Request(url, headers={"User-Agent": "thunder-tok-explorer"})
            self._host = request.host  # before a proxy takes its place
            with self._opener.open(request, timeout=min(_SILENCE_SECONDS, self._seconds_left())) as response:
                commit = commit or response.headers.get("X-Repo-Commit", "")
                if not 300 <= response.status < 400:
                    content = self._read(response) if response.status == 200 else b""
                    return HubResponse(response.status, content, response.headers.get("X-Error-Code", ""), commit)
                url = urljoin(url, response.headers.get("Location", ""))
        raise OSError("it leads on and on")

    def _read(self, response: HTTPResponse) -> bytes:
        length = response.length or 0
        content = bytearray()
        self._check_size(length)
        # At most one read of the socket at a time: the clock is looked at however little comes.
        while part := response.read1(_PART_BYTES):
            content += part
            self._check_size(len(content))
            self._seconds_left()
            self._report(len(content), length)
        if len(content) < length:
            raise OSError("the connection broke off")
        return bytes(content)

    def _check_size(self, n_bytes: int) -> None:
        if n_bytes > self._max_bytes:
            raise InputError("hub.large", megabytes=self._max_bytes / 1_000_000)

    def _seconds_left(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise too_slow(MAX_SECONDS)
        return left

    def _check(self, connection: HTTPConnection, request: Request) -> None:
        """OSError where a connection, before anything is sent, has reached an address that no hub may lead to."""
        if request.host != self._host:  # the proxy that this machine was told of
            return
        is_private = not is_public(connection.sock.getpeername()[0])
        if self._host == urlsplit(self._base).netloc:
            self._is_private = is_private
        elif is_private and not self._is_private:
            raise OSError("it leads to a private address")


class _Every(HTTPErrorProcessor):
    """Redirects and errors are answers, too."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:
        return response

    https_response = http_response


_Check = Callable[[HTTPConnection, Request], None]


class _Http(HTTPHandler):
    def __init__(self, check: _Check) -> None:
        super().__init__()
        self._check = check

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_checked(HTTPConnection, self._check, req), req)


class _Https(HTTPSHandler):
    def __init__(self, check: _Check) -> None:
        super().__init__()
        self._check = check

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_checked(HTTPSConnection, self._check, req), req)


def _checked(kind: type[HTTPConnection], check: _Check, request: Request) -> type[HTTPConnection]:
    class Checked(kind):  # type: ignore[misc, valid-type]
        def connect(self) -> None:
            super().connect()
            check(self, request)

    return Checked

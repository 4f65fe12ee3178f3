"""Downloads from a hub, limited in size, time and redirects: only to public addresses, and over https.

The operator of the program chooses the hub (HF_ENDPOINT). A hub on http may redirect to http, one at a private address
to private addresses. Requests carry nothing that identifies the user: no token, no cookie.
"""

import os
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPErrorProcessor, HTTPHandler, HTTPSHandler, Request, build_opener

from engine.errors import InputError

# IPv6 addresses that end in an IPv4 address: "compatible" ones, and those of NAT64 (RFC 4291, RFC 6052).
_END_IN_IPV4 = (IPv6Network("::/96"), IPv6Network("64:ff9b::/96"))
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")  # RFC 8215


MAX_SECONDS = 300
_ENDPOINT, _DEFAULT = "HF_ENDPOINT", "https://huggingface.co"
_MAX_REDIRECTS = 5
_SILENCE_SECONDS = 15.0  # longest wait for the server's next data
_PART_BYTES = 1 << 16

# Bytes received, and in total; 0 if the server does not say.
Report = Callable[[int, int], object]


class HubResponse(NamedTuple):
    """The response from an address; `content` is empty unless the status is 200.

    Attributes
    ----------
    error : the hub's error code for another status.
    commit : of the repository.
    """

    status: int
    content: bytes
    error: str
    commit: str


def endpoint() -> str:
    """The hub's address on this machine."""
    return (os.environ.get(_ENDPOINT, "").strip() or _DEFAULT).rstrip("/")


def too_slow(seconds: int) -> InputError:
    """The error of a download that took longer than `seconds`."""
    return InputError("hub.slow", seconds=seconds)


class Downloads:
    """Downloads of a few files from the hub, together within MAX_SECONDS.

    Parameters
    ----------
    max_bytes : per file.
    report : called while a file arrives.
    """

    def __init__(self, max_bytes: int, report: Report) -> None:
        self._base = endpoint()
        self._max_bytes, self._report = max_bytes, report
        self._until = time.monotonic() + MAX_SECONDS
        self._is_private = False  # whether the hub is at a private address; set on the first connection
        self._host = ""
        self._opener = build_opener(_AnyStatus, _Http(self._check), _Https(self._check))

    def get(self, path: str) -> HubResponse:
        """The hub's response to a path, following redirects.

        Raises
        ------
        InputError : the hub is unreachable, or the file is too large or too slow.
        """
        try:
            return self._get(f"{self._base}/{path}")
        except InputError:
            raise
        # ValueError: an invalid address.
        except (OSError, HTTPException, ValueError) as error:
            cause = getattr(error, "reason", error)
            raise InputError(
                "hub.offline", host=self._host, detail=getattr(cause, "strerror", None) or cause or type(cause).__name__
            ) from None

    def _get(self, url: str) -> HubResponse:
        commit = ""
        for _ in range(_MAX_REDIRECTS + 1):
            if urlsplit(url).scheme not in ("https", urlsplit(self._base).scheme):
                raise OSError(f"it leads to {urlsplit(url).scheme}")
            request = Request(url, headers={"User-Agent": "thunder-tok-explorer"})
            self._host = request.host  # before a proxy replaces it
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
        # At most one read of the socket at a time, so that the time limit also holds for a slow server.
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
        """Check a connection before anything is sent: OSError if its address is not one the hub may lead to."""
        if request.host != self._host:  # this machine's proxy
            return
        is_private = not is_public(connection.sock.getpeername()[0])
        if self._host == urlsplit(self._base).netloc:
            self._is_private = is_private
        elif is_private and not self._is_private:
            raise OSError("it leads to a private address")


class _AnyStatus(HTTPErrorProcessor):
    """Return redirects and errors as ordinary responses."""

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


def is_public(address: str) -> bool:
    """Whether an address is public; an IPv6 address with embedded IPv4 addresses is public if all of them are."""
    parsed = ip_address(address)
    if isinstance(parsed, IPv4Address):
        return _is_public(parsed)
    embedded = _embedded(parsed)
    if embedded:
        return all(map(_is_public, embedded))
    return _is_public(parsed) and not parsed.is_site_local and parsed not in _LOCAL_NAT64


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    return address.is_global and not address.is_multicast


def _embedded(address: IPv6Address) -> list[IPv4Address]:
    if any(address in network for network in _END_IN_IPV4):
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    found = (address.ipv4_mapped, address.sixtofour, *(address.teredo or ()))
    return [one for one in found if one]

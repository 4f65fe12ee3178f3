"""Requests that are refused: sent under another host's name, or changing something for a page of another site."""

import logging
import os
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from app.server.limits import PREFIX

HOSTS_VARIABLE = f"{PREFIX}HOSTS"
URL_VARIABLE = f"{PREFIX}PUBLIC_URL"
_THIS_MACHINE = ("localhost", "127.0.0.1", "[::1]")
_HOST = re.compile(r"(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\]")
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_log = logging.getLogger(__name__)


def allowed_hosts(environment: Mapping[str, str]) -> list[str]:
    """Names that requests may be sent to, for Starlette's TrustedHostMiddleware; any name if none is configured.

    This machine's own names, which health checks use, and the public one are among them. What is not a host name is
    logged and ignored.
    """
    names = environment.get(HOSTS_VARIABLE, "").lower().replace(",", " ").split()
    if not names:
        return ["*"]
    for name in names:
        if not _HOST.fullmatch(name):
            _log.warning("%s: %r is no host name such as tok.example.org or *.example.org", HOSTS_VARIABLE, name)
    public = _host_of(environment.get(URL_VARIABLE, "").strip())
    return [*filter(_HOST.fullmatch, names), *filter(None, [public]), *_THIS_MACHINE]


class SameOrigin:
    """Middleware that refuses a request that changes something and comes from a page of another site.

    Browsers send `Sec-Fetch-Site` over https and to the local machine, and `Origin` in any case; programs send neither.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        url = os.environ.get(URL_VARIABLE, "").strip()
        self._public = _host_of(url)
        if url and not (self._public and url.startswith(("http://", "https://"))):
            _log.warning("%s is no address such as https://tok.example.org", URL_VARIABLE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_change = scope["type"] == "http" and scope["method"] not in _SAFE_METHODS
        if is_change and self._is_foreign(Headers(scope=scope)):
            await PlainTextResponse("From another site", 403)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_foreign(self, headers: Headers) -> bool:
        if site := headers.get("sec-fetch-site"):
            return site not in ("same-origin", "none")
        origin = headers.get("origin")
        # Without ports: a proxy may pass the host's name alone.
        ours = {_host_of(f"//{headers.get('host')}"), self._public} - {""}
        return origin is not None and _host_of(origin) not in ours


def _host_of(url: str) -> str:
    """The host's name in an address, as in a Host header without port; empty if there is none."""
    try:
        name = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return f"[{name}]" if ":" in name else name

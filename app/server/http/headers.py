"""Response headers: what a page may load and run, and who may frame it: nobody, except that sites named in the server's
configuration may frame a single figure, or every page if the configuration says so.
"""

import base64
import hashlib
import logging
import os
import re
from collections.abc import Mapping, Sequence

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.server.limits import PREFIX
from app.server.patches.index_page import index_page

# Shows the main picture of any page alone, except of those where visitors keep or teach something.
PICTURE = "picture"
# Its names in earlier links.
PICTURES = (PICTURE, "strip", "lattice", "stepper")
NOT_ALONE = frozenset({"handout", "join", "lessons", "report", "train"})
# Shows one question of a class alone, on the page of lessons.
QUESTION = "question"
_MANY = 500  # Streamlit reads no parameters from an address with twice as many
ANCESTORS_VARIABLE = f"{PREFIX}FRAME_ANCESTORS"
_ALL_VARIABLE = f"{PREFIX}FRAME_ALL"
# A scheme, a host or wildcard subdomain, a port or any port: nothing else may get into the policy.
_ORIGIN = re.compile(r"https?://(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:([0-9]{1,5}|\*))?", re.IGNORECASE)
_log = logging.getLogger(__name__)

# Device features a page may use: none.
_DEVICES = (
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), "
    "midi=(), payment=(), usb=()"
)


def frame_ancestors(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Sites that may frame a figure; anything that is not an origin is logged and ignored."""
    origins = environment.get(ANCESTORS_VARIABLE, "").replace(",", " ").split()
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            _log.warning("%s: %r is no origin such as https://slides.example.org", ANCESTORS_VARIABLE, origin)
    return tuple(origin for origin in origins if _ORIGIN.fullmatch(origin))


def policy(ancestors: Sequence[str] = ()) -> str:
    """The Content-Security-Policy; `ancestors` are the sites that may frame the page.

    Scripts are Streamlit's files and those inline in `index_page`, allowed by their hashes; `blob:` is how Streamlit
    loads component scripts. Plotly compiles its WebGL shaders with `new Function`: without 'unsafe-eval' it reports
    that the browser has no WebGL. Streamlit and Plotly create styles from scripts.
    """
    inline = re.findall(r"<script>(.*?)</script>", index_page(), re.DOTALL)
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in inline)
    rules = {
        "default-src": "'self'",
        "script-src": " ".join(["'self'", "blob:", "'unsafe-eval'", *(f"'sha256-{one}'" for one in hashes)]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' blob: data:",
        "font-src": "'self' data:",
        "worker-src": "'self' blob:",
        "frame-src": "'none'",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": " ".join(ancestors) or "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


class Headers:
    """Middleware that adds the headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        ancestors = frame_ancestors(os.environ)
        framed = {
            "Content-Security-Policy": policy(ancestors),
            "X-Content-Type-Options": "nosniff",
            # An address contains the text of its page.
            "Referrer-Policy": "same-origin",
            "Permissions-Policy": _DEVICES,
        }
        denied = framed | {"Content-Security-Policy": policy(), "X-Frame-Options": "DENY"}
        # X-Frame-Options cannot list sites.
        self._of_figures = framed if ancestors else denied
        self._headers = self._of_figures if os.environ.get(_ALL_VARIABLE, "").strip().lower() == "on" else denied

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._of_figures if _is_figure(scope) else self._headers)
            await send(message)

        await self._app(scope, receive, answer if scope["type"] == "http" else send)


def _is_figure(scope: Scope) -> bool:
    """Whether the request is for a figure alone; a session that starts so shows nothing else (`app.session.figure`)."""
    asked = Request(scope).query_params.getlist("figure")
    if len(asked) != 1 or scope["query_string"].count(b"&") >= _MANY:
        return False
    page = scope.get("path", "").rstrip("/").rpartition("/")[2]
    return asked[0] == QUESTION or (asked[0] in PICTURES and page not in NOT_ALONE)

"""What every answer tells the browser: what a page may load and run, and that nobody else may frame it."""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_INDEX = Path(streamlit.__file__).resolve().parent / "static" / "index.html"

# Streamlit's page looks for its server below its own address first, which is a 404 on every page but the first one.
# Pages lie side by side: the folder of the address is where the server is, behind a proxy with a prefix, too.
_AT_HOME = 'window.__streamlit = { BACKEND_BASE_URL: new URL(".", window.location.href).href }'

# What a page may ask of the machine: nothing.
_DEVICES = ("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone",
            "midi", "payment", "usb")  # fmt: skip


@cache
def index_page() -> str:
    """Streamlit's own page, which knows where its server is."""
    page = _INDEX.read_text(encoding="utf-8")
    return page.replace("<head>", f"<head>\n    <script>{_AT_HOME}</script>", 1)


def policy() -> str:
    """The Content-Security-Policy.

    Scripts are Streamlit's own files and those that stand in `index_page` itself, known by their hashes; `blob:` is how
    Streamlit loads the scripts of components. Plotly makes the programs of its WebGL charts with `new Function`:
    without 'unsafe-eval' they say that the browser has no WebGL. Styles are made by scripts, by Streamlit's and by
    Plotly's.
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
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


class Headers:
    """Middleware that puts the headers on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = {
            "Content-Security-Policy": policy(),
            "X-Frame-Options": "DENY",
            "X-Content-Type-Options": "nosniff",
            # An address holds the text of its page.
            "Referrer-Policy": "same-origin",
            "Permissions-Policy": ", ".join(f"{name}=()" for name in _DEVICES),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on."""

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self._app(scope, receive, answer if scope["type"] == "http" else send)

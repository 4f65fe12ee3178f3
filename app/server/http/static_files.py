"""Streamlit's scripts and style sheets, compressed once.

Streamlit sends them as they are, because Starlette would compress them for every request. Here a file is compressed
when a browser first asks for it, and kept: all of them take 7 MB. Their names change with their content.
"""

import gzip
import re
from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from app.server.patches.index_page import STATIC
from app.server.request import base_path

_KINDS = {"js": "text/javascript", "css": "text/css"}
_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
# All of Plotly is in one function. In parentheses, it is compiled while it is loaded, not again while the page waits.
_PLOTLY = re.compile(rb"(typeof self<`u`\?self:\w+,)(\(\)=>\{.*?return window\.Plotly=\w+,\w+\})\)", re.DOTALL)
_CHUNK = 1 << 16  # bytes: a browser that reads slowly makes the server keep no more


class CompressedFiles:
    """Middleware that answers for these files; Streamlit reserves their addresses, so that no route could."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._folder = f"{base_path()}/static/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_read = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        name = scope["path"].removeprefix(self._folder) if is_read else ""
        is_ours = name in _files()
        answer = await run_in_threadpool(_answer, name, Headers(scope=scope)) if is_ours else self._app
        await answer(scope, receive, send)


@cache
def _files() -> dict[str, Path]:
    """Every file by its folder and name: no other path is opened."""
    return {f"{kind}/{path.name}": path for kind in _KINDS for path in (STATIC / "static" / kind).glob(f"*.{kind}")}


@cache
def _compressed(name: str) -> bytes:
    return gzip.compress(_PLOTLY.sub(rb"\1(\2))", _files()[name].read_bytes()), mtime=0)


def _answer(name: str, asked: Headers) -> Response:
    """The file; compressed unless the browser asks for a part of it or takes no gzip."""
    is_packed = "range" not in asked and _takes_gzip(asked.get("accept-encoding", ""))
    headers = {**_HEADERS, "ETag": f'"{name}{"-gzip" if is_packed else ""}"'}
    if asked.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    kind = _KINDS[name.partition("/")[0]]
    if not is_packed:
        return FileResponse(_files()[name], media_type=kind, headers=headers)
    content = _compressed(name)
    headers |= {"Content-Encoding": "gzip", "Content-Length": str(len(content))}
    return StreamingResponse(_chunks(content), media_type=kind, headers=headers)


def _takes_gzip(accepted: str) -> bool:
    codings = dict(part.partition(";")[::2] for part in re.sub(r"\s", "", accepted.lower()).split(","))
    return "gzip" in codings and not re.fullmatch(r"q=0(\.0*)?", codings["gzip"])


async def _chunks(content: bytes) -> AsyncIterator[bytes]:
    for at in range(0, len(content), _CHUNK):
        yield content[at : at + _CHUNK]

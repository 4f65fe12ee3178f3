"""The routes of the server: the pages, and of Streamlit's own only those that its pages use."""

import html
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.server.base_path import base_path
from app.server.http.first_picture import first_page, has_first_picture
from app.server.http.page_head import with_head
from app.server.http.preview import PREVIEW, preview
from app.server.http.terms import TERMS, terms
from app.server.patches.index_page import index_page
from app.server.request_language import language_in_address, request_language
from app.server.work.threads import Threads
from app.texts.catalogue import LANGUAGES, catalogue, translate

# Streamlit has more: process metrics, a programming interface, log-ins. They are unused here.
_CLOSED = (
    "/_stcore/metrics",
    "/_stcore/script-health-check",
    "/_stcore/agent",
    "/auth",
    "/oauth2callback",
    "/component",
)

# It draws. Everything else here is ready in memory.
_preview = Threads(at_a_time=2, waiting=400).answering(preview)


def routes(pages: Sequence[str]) -> list[BaseRoute]:
    """Routes of the pages; the first page is `/`, and its name redirects there."""
    base = base_path()
    first, *others = (f"{base}/{name}" for name in pages)
    return [
        Route(f"{base}/", _first),
        Route(first, _to_first),
        *(Route(address, _page) for address in others),
        Route(f"{base}/{PREVIEW}", _preview),
        Route(f"{base}/{TERMS}", terms),
    ]


def _first(request: Request) -> Response:
    if not has_first_picture(request):
        return _page(request)
    return _with_head(first_page(request_language(request), language_in_address(request)), request)


def _page(request: Request) -> Response:
    return _with_head(index_page(), request)


def _with_head(page: str, request: Request) -> Response:
    headers = {"Cache-Control": "no-cache", "Content-Language": request_language(request), "Vary": "Accept-Language"}
    return HTMLResponse(with_head(page, request), headers=headers)


def _to_first(request: Request) -> Response:
    # Relative: a proxy may have removed a prefix.
    return RedirectResponse("./" + (f"?{request.url.query}" if request.url.query else ""))


class HiddenAddresses:
    """Middleware that answers 404 where Streamlit would tell something that no page asks for."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._closed = tuple(base_path() + path for path in _CLOSED)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, unless the address is closed."""
        path = scope.get("path", "")
        if scope["type"] == "http" and any(path == one or path.startswith(f"{one}/") for one in self._closed):
            await PlainTextResponse("Not Found", 404)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class Missing:
    """Middleware that answers 404 at unknown addresses, where Streamlit serves its page, which would find no server."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; an unexpected HTML answer is Streamlit's page."""
        is_missing = False

        async def answer(message: Message) -> None:
            nonlocal is_missing
            if message["type"] == "http.response.start" and not _is_of_app(scope.get("endpoint")):
                kind = dict(message["headers"]).get(b"content-type", b"")
                is_missing = message["status"] == 200 and kind.startswith(b"text/html")
            if not is_missing:
                await send(message)

        await self._app(scope, receive, answer if scope["type"] == "http" else send)
        if is_missing:
            await _missing(scope["path"].removeprefix(base_path()))(scope, receive, send)


def _is_of_app(endpoint: object) -> bool:
    return getattr(endpoint, "__module__", "").startswith("app.")


def _missing(path: str) -> Response:
    """The message in every language, with a link to the first page."""
    # Relative, as above.
    first = "./" + "../" * (path.count("/") - 1)
    said = (
        f'<p lang="{code}">{html.escape(translate("frame.missing", code))} '
        f'<a href="{first}">{html.escape(translate("frame.missing_link", code))}</a></p>'
        for code in LANGUAGES
        if code in catalogue()["frame.missing"]
    )
    page = (
        '<!DOCTYPE html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<meta name="color-scheme" content="light dark"><title>404</title><h1>404</h1>{"".join(said)}'
    )
    return HTMLResponse(page, 404, {"Cache-Control": "no-cache"})

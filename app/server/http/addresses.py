"""The routes of the server: the pages, and of Streamlit's own only those that its pages use."""

import html
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from urllib.parse import urlencode

import resvg_py
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import ROOT
from app.server.http.first_picture import first_page, greeting_bars, has_first_picture
from app.server.http.page_head import view_description, view_title, with_head
from app.server.patches.index_page import index_page
from app.server.request import base_path, language_in_address, request_language
from app.server.work.threads import Threads
from app.texts.catalogue import LANGUAGES, catalogue, translate
from app.texts.glossary import GLOSSARY
from app.texts.plain import unmarked
from engine.evidence.stored import stored
from engine.pictures.bars import CountBar
from engine.pictures.card import card
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.report.fonts import FAMILY, font_files

# Pages of earlier versions, by the address of what came of each; a link keeps its other parameters.
MOVED = {
    "registers": "search?view=compare&unit=tokens",
    "fertility": "cost?more=fairness",
    "library": "train",
    "learn_wordpiece": "learn_bpe?view=wordpiece",
}
# Parameters that have another name there.
RENAMED = {"fertility": {"view": "measured", "ready": "shipped", "models": "public"}}

TERMS = "terms/{language}.json"


def terms(request: Request) -> Response:
    """Every term's definition in a language, without markup."""
    language = request.path_params["language"]
    if language not in LANGUAGES:
        return PlainTextResponse("Not Found", 404)
    texts = {term: unmarked(translate(f"glossary.{term}.text", language)) for term in GLOSSARY}
    return JSONResponse(texts, headers={"Cache-Control": "max-age=3600"})


PREVIEW = "preview/{language}/{name}.png"
_COUNTED = ("gpt2", "cl100k_base", "o200k_base")
_MOST = 200  # images of some 40 kB that are kept


def preview(request: Request) -> Response:
    """The image of a page `<page>.png` or of a view `<page>.<view>.png`."""
    language = request.path_params["language"]
    page, _, view = request.path_params["name"].partition(".")
    is_known = language in LANGUAGES and f"frame.page.{page}" in catalogue()
    if not is_known or (view and f"{page}.view.{view}" not in catalogue()):
        return PlainTextResponse("Not Found", 404)
    return Response(_image(page, view, language), media_type="image/png", headers={"Cache-Control": "max-age=86400"})


@lru_cache(maxsize=_MOST)
def _image(page: str, view: str, language: str) -> bytes:
    product = translate("frame.title", language)
    title = view_title(page, view, language).partition(" – ")[0]
    rows = _premium(language) if page == "cost" else greeting_bars(language)
    drawn = card(title, view_description(page, view, language), product, rows)
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=drawn, font_files=list(map(str, font_files())), skip_system_fonts=True, sans_serif_family=FAMILY
        )
    )


def _premium(language: str) -> list[CountBar]:
    """How many times the tokens of English Korean takes."""
    found = stored("cost").figures["sentences"]["premium"]
    note = translate("cost.premium", language)
    times = {PUBLIC_TOKENIZERS[name]: found[name]["ko"][1] for name in _COUNTED}
    return [CountBar(f"{one.title} ({one.year})", n, note, shown=f"{n:.1f}×") for one, n in times.items()]


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
        # Streamlit compresses all pages but this one, which is its own static page elsewhere.
        Route(f"{base}/", _first, middleware=[Middleware(GZipMiddleware)]),
        Route(first, _to_first),
        *(Route(address, _page) for address in others),
        *(
            Route(f"{base}/{name}", partial(_to_new, address=address, renamed=RENAMED.get(name, {})))
            for name, address in MOVED.items()
        ),
        Route(f"{base}/{PREVIEW}", _preview),
        Route(f"{base}/{TERMS}", terms),
        Route(f"{base}/favicon.ico", _icon),
    ]


def _icon(_request: Request) -> Response:
    """What a browser asks for beside a page that names no icon: a report, a handout."""
    return FileResponse(ROOT / "app" / "static" / "icon.png", headers={"Cache-Control": "max-age=86400"})


def _first(request: Request) -> Response:
    if not has_first_picture(request):
        return _page(request)
    return _with_head(first_page(request_language(request), language_in_address(request)), request)


def _page(request: Request) -> Response:
    if "kwic" in request.query_params or "collocates" in request.query_params:
        return _to_search(request)
    if request.query_params.get("view") == "composition":  # of Scores: Vocabularies shows what each consists of
        rest = [(name, value) for name, value in request.query_params.multi_items() if name != "view"]
        return RedirectResponse(f"./compare?{urlencode(rest)}")
    return _with_head(index_page(), request)


def _with_head(page: str, request: Request) -> Response:
    headers = {"Cache-Control": "no-cache", "Content-Language": request_language(request), "Vary": "Accept-Language"}
    return HTMLResponse(with_head(page, request), headers=headers)


def _to_first(request: Request) -> Response:
    # Relative: a proxy may have removed a prefix.
    return RedirectResponse("./" + (f"?{request.url.query}" if request.url.query else ""))


def _to_search(request: Request) -> Response:
    """The pages Token and Scores had a concordance: a link to it opens the page Search."""
    asked = dict(request.query_params)
    token, way = asked.pop("find", ""), asked.pop("kwic", "token")
    pattern, query = asked.pop("pattern", "").removeprefix("~"), asked.pop("query", "")
    view = "collocates" if asked.pop("collocates", "") == "true" else "concordance"
    plain = {"q": f"~{token.replace('␣', ' ').strip()}", "match": "anywhere"}
    parts = {
        "text": plain,
        "regex": {"q": f'~[word=".*({pattern}).*"]'} if pattern else plain,
        "query": {"q": query} if query else plain,
    }
    unit = {"unit": asked.pop("near", "tokens")} if way in ("token", "expected") or view == "collocates" else {}
    known = parts.get(way, {"q": f'~[token=="{token}"]'})
    return RedirectResponse(f"./search?{urlencode({'view': view, **asked, **unit, **known})}")


def _to_new(request: Request, address: str, renamed: Mapping[str, str]) -> Response:
    # What a link chose goes before what the new page opens with.
    query = urlencode([(renamed.get(name, name), value) for name, value in request.query_params.multi_items()])
    return RedirectResponse(f"./{address}" + ("?&"["?" in address] + query if query else ""))


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
            module = getattr(scope.get("endpoint"), "__module__", "")
            if message["type"] == "http.response.start" and not module.startswith("app."):
                kind = dict(message["headers"]).get(b"content-type", b"")
                is_missing = message["status"] == 200 and kind.startswith(b"text/html")
            if not is_missing:
                await send(message)

        await self._app(scope, receive, answer if scope["type"] == "http" else send)
        if is_missing:
            await _missing(scope["path"].removeprefix(base_path()))(scope, receive, send)


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

"""Title, description and preview of a view in the HTML, for other sites that show where a pasted link leads."""

import html

from starlette.requests import Request

from app.server.patches.index_page import plotly_script
from app.server.request import base_path, request_language
from app.texts.catalogue import catalogue, translate
from app.texts.plain import unmarked
from engine.pictures.card import CARD

_TITLE = "<title>Streamlit</title>"
# Pages whose picture is a chart of Plotly.
_WITH_CHART = {"compare", "cost", "growth", "learn_tradeoff", "morphology", "papers", "rounds", "scores", "token"}


def view_title(page: str, view: str, language: str) -> str:
    """What the view is called, and the product; the first page is the product."""
    product = translate("frame.title", language)
    if not page:
        return product
    names = [translate(f"{page}.title", language), product]
    return " – ".join([translate(f"{page}.view.{view}", language), *names] if view else names)


def view_description(page: str, view: str, language: str) -> str:
    """One sentence on the view."""
    if f"frame.about.{page}" in catalogue():
        return unmarked(translate(f"frame.about.{page}", language))
    # Without a view in its address, a page shows its first.
    first = next((key for key in catalogue() if key.startswith(f"{page}.intro.")), "first.about")
    keys = (f"{page}.intro.{view}", f"{page}.intro", first)
    return unmarked(translate(next(key for key in keys if key in catalogue()), language))


def with_head(page_html: str, request: Request) -> str:
    """Streamlit's page with the head of the view that is asked for."""
    page, view = request.url.path.removeprefix(base_path()).strip("/"), request.query_params.get("view", "")
    if f"{page}.title" not in catalogue():
        page = ""
    if f"{page}.view.{view}" not in catalogue():
        view = ""
    language = request_language(request)
    # A proxy that ends TLS forwards the request as plain http and names the scheme in a header.
    is_secure = "https" in (request.url.scheme, request.headers.get("x-forwarded-proto"))
    origin = f"http{'s' * is_secure}://{request.url.netloc}{base_path()}"
    tags = _head(page, view, language, origin)
    if page in _WITH_CHART:
        tags += f'<link rel="modulepreload" fetchpriority="low" crossorigin href="{plotly_script()}">'
    return page_html.replace('<html lang="en">', f'<html lang="{language}">', 1).replace(_TITLE, tags, 1)


def _head(page: str, view: str, language: str, origin: str) -> str:
    """The title, and the properties that Open Graph defines (ogp.me)."""
    title, about = view_title(page, view, language), view_description(page, view, language)
    name = ".".join(part for part in (page or "explore", view) if part)
    properties = {
        "og:type": "website",
        "og:site_name": translate("frame.title", language),
        "og:title": title,
        "og:description": about,
        "og:image": f"{origin}/preview/{language}/{name}.png",
        "og:image:width": str(CARD[0]),
        "og:image:height": str(CARD[1]),
        "og:image:alt": title,
    }
    tags = "".join(f'<meta property="{name}" content="{html.escape(value)}">' for name, value in properties.items())
    return (
        f'<title>{html.escape(title)}</title><meta name="description" content="{html.escape(about)}">{tags}'
        '<meta name="twitter:card" content="summary_large_image">'
    )

"""The preview of a view as PNG, for other sites that show a pasted link."""

from functools import lru_cache

import resvg_py
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from app.server.http.first_picture import greeting_bars
from app.server.http.page_head import view_description, view_title
from app.texts.catalogue import LANGUAGES, catalogue, translate
from engine.evidence.stored import stored
from engine.pictures.bars import CountBar
from engine.pictures.card import card
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.report.fonts import FAMILY, font_files

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

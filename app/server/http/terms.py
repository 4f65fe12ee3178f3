"""The definitions of the glossary, for the tooltips of terms."""

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from app.texts.catalogue import LANGUAGES, translate
from app.texts.glossary import GLOSSARY
from app.texts.plain import unmarked

TERMS = "terms/{language}.json"


def terms(request: Request) -> Response:
    """Every term's definition in a language, without markup."""
    language = request.path_params["language"]
    if language not in LANGUAGES:
        return PlainTextResponse("Not Found", 404)
    texts = {term: unmarked(translate(f"glossary.{term}.text", language)) for term in GLOSSARY}
    return JSONResponse(texts, headers={"Cache-Control": "max-age=3600"})

"""The language of an answer that Streamlit does not give."""

import re

from starlette.requests import Request

from app.texts.catalogue import FALLBACK, LANGUAGES


def request_language(request: Request) -> str:
    """The language in the address, else the first known one the browser accepts."""
    accepted = request.headers.get("accept-language", "").lower().split(",")
    wanted = (re.split("[;-]", locale)[0].strip() for locale in accepted)
    return next((one for one in (language_in_address(request), *wanted) if one in LANGUAGES), FALLBACK)


def language_in_address(request: Request) -> str:
    """The language in the address; empty where there is none, or an unknown one."""
    asked = request.query_params.get("lang", "")
    return asked if asked in LANGUAGES else ""

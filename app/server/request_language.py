"""The language of an answer that Streamlit does not give."""

from starlette.requests import Request

from app.texts.catalogue import LANGUAGES, first_known


def request_language(request: Request) -> str:
    """The language in the address, else the first known one the browser accepts."""
    return language_in_address(request) or first_known(request.headers.get("accept-language", ""))


def language_in_address(request: Request) -> str:
    """The language in the address; empty where there is none, or an unknown one."""
    asked = request.query_params.get("lang", "")
    return asked if asked in LANGUAGES else ""

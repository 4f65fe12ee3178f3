"""What answers depend on besides their address: the path the app is served under and the language of a request."""

from starlette.requests import Request
from streamlit import config

from app.texts.catalogue import LANGUAGES, first_known


def base_path() -> str:
    """The prefix of every address, set by `server.baseUrlPath`; empty if there is none."""
    path = (config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def request_language(request: Request) -> str:
    """The language in the address, else the first known one the browser accepts."""
    return language_in_address(request) or first_known(request.headers.get("accept-language", ""))


def language_in_address(request: Request) -> str:
    """The language in the address; empty where there is none, or an unknown one."""
    asked = request.query_params.get("lang", "")
    return asked if asked in LANGUAGES else ""

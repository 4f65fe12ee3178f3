"""The language of the session, and catalogue texts in it.

`app.parts.menu` changes it. The URL has the choice as `lang`, so a link opens in the language it was copied
in; without it the browser's language decides.
"""

import re
from contextvars import ContextVar
from typing import Any
from urllib.parse import quote, urlencode

import streamlit as st

from app.texts.catalogue import LANGUAGES, first_known, translate

LANGUAGE = "lang"  # in the URL of every page, and in the session: one of LANGUAGES, or empty for the browser's
_MODEL = "model"  # as in app.session.state, which this layer cannot import
# In a text: a link to a glossary term.
_TERM = re.compile(r"\]\(term:(\w+)\)")
# Of this run, once the URL has been read: a page has a hundred texts, and looking into the session for each takes long.
decided: ContextVar[str] = ContextVar("decided", default="")


def language() -> str:
    """The current language of the session, one of LANGUAGES."""
    value = decided.get() or st.session_state.get(LANGUAGE)
    if value in LANGUAGES:
        return str(value)
    of_browser = (st.context.locale or "").lower().partition("-")[0]
    return of_browser if of_browser in LANGUAGES else first_known(st.context.headers.get("Accept-Language", ""))


def t(key: str, **values: Any) -> str:
    """The text of `key` in the session's language: `t("model.name", size=4000, ...)`.

    Call it in the script's thread. A `format_func` may be called elsewhere, so give it a dictionary made beforehand:
    `format_func={name: t(f"train.score.{name}") for name in SCORES}.__getitem__`.
    """
    text = translate(key, language(), **values)
    return _TERM.sub(lambda term: f"]({page_address('glossary', term=term[1])})", text) if "](term:" in text else text


def page_address(page: str, **params: str) -> str:
    """Address of a page for a link in a text; it keeps language and model unless `params` override them.

    The link opens a new tab and a new session, so the visitor's page stays and the new one follows `params`. It is
    relative: a proxy may add a path prefix.
    """
    carried = {name: st.session_state.get(name) for name in (LANGUAGE, _MODEL)}
    return f"{page}?{urlencode({name: value for name, value in (carried | params).items() if value}, quote_via=quote)}"

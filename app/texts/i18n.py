"""The language of the session, and the texts of the catalogue in it.

`app.parts.language_switch` changes it. The URL carries the choice as `lang`, so that a link opens in the language it
was sent in; without it the browser's language decides.
"""

from typing import Any

import streamlit as st

from app.texts.catalogue import FALLBACK, LANGUAGES, template, translate

LANGUAGE = "lang"  # in the URL of every page, and in the session: one of LANGUAGES, or empty for the browser's


def language() -> str:
    """What the session uses now, one of LANGUAGES."""
    value = st.session_state.get(LANGUAGE)
    if value in LANGUAGES:
        return str(value)
    of_browser = (st.context.locale or "").lower().partition("-")[0]
    return of_browser if of_browser in LANGUAGES else FALLBACK


def t(key: str, **values: Any) -> str:
    """The text of `key` in the session's language: `t("model.name", size=4000, ...)`.

    Call it where the script runs. A `format_func` may be called elsewhere, so give it a dictionary made before:
    `format_func={name: t(f"train.score.{name}") for name in SCORES}.__getitem__`.
    """
    return translate(key, language(), **values)


def raw(key: str) -> str:
    """The text of `key` with its {placeholders} left in, for components that fill them in the browser."""
    return template(key, language())

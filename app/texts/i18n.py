"""The language of the session, and the texts of the catalogue in it.

The switch stands in the sidebar of every page. The URL carries its choice as `lang`, so that a link opens in the
language it was sent in; without it the browser's language decides.
"""

from typing import Any

import streamlit as st

from app.session import state
from app.texts.catalogue import LANGUAGES, template, translate

_NAMES = {"ko": "한국어", "en": "English"}


def language() -> str:
    """`ko` or `en`: what the session uses now."""
    value = st.session_state.get(state.LANGUAGE)
    if value in LANGUAGES:
        return str(value)
    return "ko" if (st.context.locale or "").lower().startswith("ko") else "en"


def t(key: str, **values: Any) -> str:
    """The text of `key` in the session's language: `t("model.name", size=4000, ...)`.

    Call it where the script runs. A `format_func` may be called elsewhere, so give it a dictionary made before:
    `format_func={name: t(f"train.score.{name}") for name in SCORES}.__getitem__`.
    """
    return translate(key, language(), **values)


def raw(key: str) -> str:
    """The text of `key` with its {placeholders} left in, for components that fill them in the browser."""
    return template(key, language())


def render_language_switch() -> None:
    """The KO/EN switch."""
    st.session_state["language_switch"] = language()
    st.segmented_control(
        t("frame.language"),
        LANGUAGES,
        format_func=_NAMES.__getitem__,
        key="language_switch",
        required=True,
        label_visibility="collapsed",
        on_change=_switch,
    )


def _switch() -> None:
    state.set_in_url(state.LANGUAGE, st.session_state["language_switch"])

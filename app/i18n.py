"""The language of the session, and the texts of the catalogue in it.

The switch stands in the sidebar of every page. The URL carries its choice as `lang`, so that a link opens in the
language it was sent in; without it the browser's language decides.
"""

from typing import Any

import streamlit as st

from app import state
from app.catalogue import LANGUAGES, translate

_NAMES = {"ko": "한국어", "en": "English"}


def language() -> str:
    """`ko` or `en`: what the session uses now."""
    value = st.session_state.get(state.LANGUAGE)
    if value in LANGUAGES:
        return str(value)
    return "ko" if (st.context.locale or "").lower().startswith("ko") else "en"


def t(key: str, **values: Any) -> str:
    """The text of `key` in the session's language: `t("train.sentences", count=1500)`."""
    return translate(key, language(), **values)


def adopt_language() -> None:
    """Take the language of the URL, if it names one. Called once a run, before anything is drawn."""
    state.adopt("lang", state.LANGUAGE, lambda code: code if code in LANGUAGES else None)
    st.session_state.setdefault(state.LANGUAGE, language())


def render_language_switch() -> None:
    """The KO/EN switch."""
    st.segmented_control(
        t("frame.language"),
        LANGUAGES,
        format_func=_NAMES.__getitem__,
        key=state.LANGUAGE,
        required=True,
        persist_state="session",
        label_visibility="collapsed",
        on_change=_publish_language,
    )


def _publish_language() -> None:
    state.publish("lang", st.session_state[state.LANGUAGE])

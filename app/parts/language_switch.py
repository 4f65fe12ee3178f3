"""The language switch in the sidebar of every page."""

import streamlit as st

from app.session import state
from app.texts.catalogue import LANGUAGES
from app.texts.i18n import LANGUAGE, language, t

_KEY = "language_switch"


def render_language_switch() -> None:
    """The switch; assets/styles/app.css puts it at the top of the sidebar."""
    st.session_state[_KEY] = language()
    with st.container(key="language_at_head"):
        st.segmented_control(
            t("frame.language"),
            list(LANGUAGES),
            format_func=LANGUAGES.__getitem__,
            key=_KEY,
            required=True,
            label_visibility="collapsed",
            on_change=_switch,
        )


def _switch() -> None:
    state.set_in_url(LANGUAGE, st.session_state[_KEY])

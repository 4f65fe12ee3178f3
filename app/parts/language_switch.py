"""The language switch in the corner of every page."""

import streamlit as st

from app.session import state
from app.texts.catalogue import LANGUAGES
from app.texts.i18n import LANGUAGE, language, t

_KEY = "language_switch"


def render_language_switch() -> None:
    """The switch; not in the sidebar, which is closed on a phone."""
    st.session_state[_KEY] = language()
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

"""The switch between Korean and English in the sidebar of every page."""

import streamlit as st

from app.session import state
from app.texts.catalogue import LANGUAGES
from app.texts.i18n import LANGUAGE, language, t

_NAMES = {"ko": "한국어", "en": "English"}
_KEY = "language_switch"


def render_language_switch() -> None:
    """The KO/EN switch."""
    st.session_state[_KEY] = language()
    st.segmented_control(
        t("frame.language"),
        LANGUAGES,
        format_func=_NAMES.__getitem__,
        key=_KEY,
        required=True,
        label_visibility="collapsed",
        on_change=_switch,
    )


def _switch() -> None:
    state.set_in_url(LANGUAGE, st.session_state[_KEY])

"""The texts of the session's own."""

import streamlit as st

from app.server.held_texts import HeldTexts, text_budget
from app.session import state
from app.texts.corpora import Source


def held_sources() -> dict[str, Source]:
    """The texts of the session's own."""
    held: HeldTexts = st.session_state.setdefault(state.CORPORA, HeldTexts())
    if held:
        text_budget().touch(held)
    return held

"""The texts of the session's own."""

import streamlit as st

from app.session import state
from app.texts.corpora import HeldTexts, Source, text_budget


def held_sources() -> dict[str, Source]:
    """The texts of the session's own."""
    held: HeldTexts = st.session_state.setdefault(state.CORPORA, HeldTexts())
    if held:
        text_budget().touch(held)
    return held

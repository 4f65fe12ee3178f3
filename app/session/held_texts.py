"""The texts of the session's own."""

import streamlit as st

from app.server.held_texts import HeldTexts, touch_texts
from app.server.memory import memory
from app.session import state


def held_texts() -> HeldTexts:
    """The texts of the session's own."""
    held: HeldTexts = st.session_state.setdefault(state.CORPORA, HeldTexts())
    if held:
        touch_texts(held, memory())
    return held

"""The texts of the session's own."""

import streamlit as st

from app.server.held_texts import HeldTexts, touch_texts
from app.server.memory import memory
from app.session import state


def held_texts() -> HeldTexts:
    """The texts of the session's own."""
    return _held(state.CORPORA)


def held_parallel() -> HeldTexts:
    """The session's own parallel texts: each is JSON, the lines by language."""
    return _held(state.PARALLEL)


def _held(key: str) -> HeldTexts:
    held: HeldTexts = st.session_state.setdefault(key, HeldTexts())
    if held:
        touch_texts(held, memory())
    return held

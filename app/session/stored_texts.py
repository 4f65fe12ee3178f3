"""The session's own texts."""

import streamlit as st

from app.server.memory import memory
from app.server.stored_texts import HeldTexts, touch_texts
from app.session import state


def held_texts() -> HeldTexts:
    """The session's own texts; those of its model and its last training are dropped last."""
    held = _session_texts(state.CORPORA)
    model = str(st.session_state.get(state.MODEL, "")).partition("~")[0]
    held.needed = {
        st.session_state.get(state.RECOGNIZED, {}).get(model, model),
        st.session_state.get(state.TRAINING, ""),
    }
    if held:
        touch_texts(held, memory())
    return held


def held_parallel() -> HeldTexts:
    """The session's own parallel texts: each is JSON, lines by language."""
    held = _session_texts(state.PARALLEL)
    if held:
        touch_texts(held, memory())
    return held


def _session_texts(key: str) -> HeldTexts:
    held: HeldTexts = st.session_state.setdefault(key, HeldTexts())
    return held

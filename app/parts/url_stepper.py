"""A stepper whose step stands in the URL."""

from collections.abc import Callable, Hashable, Sequence

import streamlit as st

from app.components.stepper.data import Frame
from app.components.stepper.labels import stepper_labels
from app.components.stepper.widget import stepper
from app.session import state
from app.texts.i18n import language


def url_stepper(
    param: str,
    frames: Sequence[Frame],
    of: Hashable,
    title: str,
    on_pick: Callable[[int, str], None] | None = None,
) -> None:
    """Draw a stepper, as `param=<step>` in the URL unless it is at the beginning.

    Parameters
    ----------
    frames : at least one.
    of : what the frames are made of; when it changes, the steps begin again.
    title : what a screen reader calls it.
    on_pick : called with the step and the text of a row that was picked.
    """
    key = f"player.{param}"
    state.adopt(param, key, _number)
    if st.session_state.get(f"{key}.of", of) != of:
        st.session_state[key] = 0
        st.session_state[f"{key}.run"] = st.session_state.get(f"{key}.run", 0) + 1
    st.session_state[f"{key}.of"] = of
    start = min(st.session_state.get(key, 0), len(frames) - 1)

    def picked(index: int, value: str) -> None:
        st.session_state[key] = index
        if on_pick is not None:
            on_pick(index, value)

    stepper(
        f"{key}.view",
        frames,
        stepper_labels(title=title),
        lang=language(),
        ui_lang=language(),
        start=start,
        run=st.session_state.get(f"{key}.run", 0),
        on_step=lambda index: st.session_state.__setitem__(key, index),
        on_pick=picked,
    )
    state.publish(param, str(start) if start else None)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else None

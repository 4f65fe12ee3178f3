"""A stepper whose step is in the URL."""

from collections.abc import Callable, Hashable, Sequence

import streamlit as st

from app.components.data import Frame
from app.components.players import stepper
from app.session.url import UrlValue, whole_number
from app.texts.i18n import language


def url_stepper(
    param: str, frames: Sequence[Frame], of: Hashable, title: str, on_pick: Callable[[int, str], None] | None = None
) -> None:
    """Draw a stepper, with `param=<step>` in the URL unless it is at the beginning.

    Parameters
    ----------
    frames : at least one.
    of : what the frames were made from; when it changes, the steps restart.
    title : accessible name.
    on_pick : called with the step and the text of the picked row.
    """
    key, step = _key(param), UrlValue(param, _key(param), whole_number, str, 0)
    step.adopt()
    if st.session_state.get(f"{key}.of", of) != of:
        step.set(0)
        st.session_state[f"{key}.run"] = st.session_state.get(f"{key}.run", 0) + 1
    st.session_state[f"{key}.of"] = of
    start = min(step.value, len(frames) - 1)

    def picked(index: int, value: str) -> None:
        step.set(index)
        if on_pick is not None:
            on_pick(index, value)

    stepper(
        f"{key}.view",
        frames,
        labels={"title": title},
        lang=language(),
        start=start,
        run=st.session_state.get(f"{key}.run", 0),
        on_step=step.set,
        on_pick=picked,
    )
    step.publish(start)


def _key(param: str) -> str:
    return f"player.{param}"

"""The answers of a student who works alone, kept in the browser so that a later visit goes on where this one ended."""

import json
from collections.abc import Callable, Mapping

import streamlit as st

from app.components.shared.component import script

_MAX = 20_000  # characters
_READ = "lessons.progress.read"

# Of each lesson, its answers and stage as they are in a link.
Progress = dict[str, dict[str, str]]

_component = st.components.v2.component("progress", js=script("progress"))


def keep_progress(lesson: str, answers: Mapping[str, str], take: Callable[[Progress], None]) -> None:
    """Keep the answers to a lesson, and hand over what an earlier visit kept, once.

    Parameters
    ----------
    take : called before the next run with what the browser had.
    """

    def taken() -> None:
        st.session_state[_READ] = True
        take(read_progress(st.session_state["progress"].kept))

    data = {"answers": {lesson: dict(answers)} if answers else {}, "isRead": bool(st.session_state.get(_READ))}
    _component(key="progress", data=data, on_kept_change=taken)


def read_progress(text: object) -> Progress:
    """What the browser sent; only texts by name, by lesson."""
    if not isinstance(text, str) or len(text) > _MAX:
        return {}
    try:
        kept = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(kept, dict):
        return {}
    return {
        lesson: {name: value for name, value in answers.items() if isinstance(value, str)}
        for lesson, answers in kept.items()
        if isinstance(answers, dict)
    }

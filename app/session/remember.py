"""Results over a visitor's own text: stored in the session, never in a cache shared between sessions."""

from collections.abc import Callable, Hashable
from contextlib import nullcontext
from typing import Any, TypeVar

import streamlit as st
from cachetools import FIFOCache

_Result = TypeVar("_Result")


def remember(name: str, key: Hashable, make: Callable[[], _Result], limit: int = 8, waiting: str = "") -> _Result:
    """The result of `make`, cached by key; beyond `limit` results per name, the oldest is dropped.

    Parameters
    ----------
    waiting : text of the spinner while it is computed; empty for no spinner.
    """
    results: FIFOCache[Hashable, Any] = st.session_state.setdefault(f"session.kept.{name}", FIFOCache(limit))
    if key not in results:
        with st.spinner(waiting) if waiting else nullcontext():
            made = make()
        results[key] = made
    found: _Result = results[key]
    return found

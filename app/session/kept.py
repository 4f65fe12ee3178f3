"""Results over a visitor's own text: kept by the session, never by a cache that sessions share."""

from collections.abc import Callable, Hashable
from contextlib import nullcontext
from typing import Any, TypeVar

import streamlit as st
from cachetools import FIFOCache

_Result = TypeVar("_Result")


def kept(name: str, key: Hashable, make: Callable[[], _Result], limit: int = 8, waiting: str = "") -> _Result:
    """The result of `make`, made once for a key; with more than `limit` of a name the oldest goes.

    Parameters
    ----------
    waiting : what to say while it is made; empty says nothing.
    """
    results: FIFOCache[Hashable, Any] = st.session_state.setdefault(f"session.kept.{name}", FIFOCache(limit))
    if key not in results:
        with st.spinner(waiting) if waiting else nullcontext():
            made = make()
        results[key] = made
    found: _Result = results[key]
    return found

"""A secret stored in the browser, which identifies the owner of runs. It survives a reload and is in no link."""

import secrets

import streamlit as st

from app.components.shared.component import script
from app.session.page_run import fragment
from app.session.state import OWNER
from engine.errors import InputError

_REPLACE = "owner.replace"
_MIN, _MAX = 22, 64
_LOOK_SECONDS = 0.4

_component = st.components.v2.component("browser_key", js=script("browser_key"))


@fragment
def keep_browser_key() -> None:
    """Read the browser's secret, or set one. Its answer does not rerun the page; `awaited_key` polls for it."""
    st.session_state.setdefault(OWNER, "")
    data = {
        "known": st.session_state[OWNER],
        "replace": st.session_state.pop(_REPLACE, ""),
        "fresh": secrets.token_urlsafe(24),
    }
    told = _component(key="browser_key", data=data, on_secret_change=_take).secret
    if not st.session_state[OWNER] and is_key(told):
        st.session_state[OWNER] = told


def awaited_key() -> str:
    """The browser's secret; empty at first, then the page runs again once the browser has answered."""
    key = str(st.session_state.get(OWNER, ""))
    if not key:
        _look_again()
    return key


@fragment(run_every=_LOOK_SECONDS)
def _look_again() -> None:
    # The answer may arrive while the page is still running, before it starts to wait.
    if st.session_state.get(OWNER):
        st.rerun()


def _take() -> None:
    told = st.session_state["browser_key"].secret
    if is_key(told):
        st.session_state[OWNER] = told


def use_key(key: str) -> None:
    """Adopt a key from another browser, from the next run on.

    Raises
    ------
    InputError : it is not a key.
    """
    if not is_key(key):
        raise InputError("library.key")
    st.session_state[OWNER] = st.session_state[_REPLACE] = key


def is_key(value: object) -> bool:
    """Whether it has the format of a key."""
    return (
        isinstance(value, str)
        and _MIN <= len(value) <= _MAX
        and all(c.isascii() and (c.isalnum() or c in "-_") for c in value)
    )

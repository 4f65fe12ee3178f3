"""A text in the URL: compressed where it is short, else behind an id of the library, if the visitor wants that.

state.adopt("text", KEY, unlink_text)     # before the field
publish_text("text", text)                # behind it
"""

import hashlib
import re

import streamlit as st

from app import state
from app.components.problem import reason
from app.i18n import t
from app.library import library, opened
from app.text import plain
from engine.errors import InputError

_SAVED = "text_link.saved"  # the hash of the text that was saved last, and its id
_ID = re.compile(r"@([0-9a-f]{24})")


def unlink_text(value: str) -> str | None:
    """The text that a parameter of the URL stands for; None where it is damaged or no longer there."""
    match = _ID.fullmatch(value)
    if match is None:
        return state.unpack_text(value)
    try:
        text = library().text(match[1])
    except InputError:
        st.session_state[state.NOTICE] = t("frame.text_gone")
        return None
    # The link goes on to be one.
    st.session_state[_SAVED] = (_hash(text), match[1])
    return text


def publish_text(param: str, text: str, is_default: bool = False) -> None:
    """Put the text into the URL; for a long one, offer to keep it on the server for a link."""
    link = state.pack_text(text)
    if link is None or state.unpack_text(link) != text:  # what compresses well may still be too long to unpack
        link = _long_link(text)
    state.publish(param, None if is_default else link)


def _long_link(text: str) -> str | None:
    saved, text_id = st.session_state.get(_SAVED, ("", ""))
    if saved == _hash(text):
        st.caption(t("frame.text_linked"))
        return f"@{text_id}"
    st.caption(t("frame.text_too_long"))
    if opened().library is not None:
        st.button(t("frame.text_save"), key="text_link.save", on_click=_save, args=(text,), icon=":material/link:")
    return None


def _save(text: str) -> None:
    try:
        st.session_state[_SAVED] = (_hash(text), library().save_text(text, state.visitor()))
    except InputError as error:
        st.session_state[state.NOTICE] = plain(reason(error))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

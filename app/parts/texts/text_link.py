"""A text in the URL: compressed where it is short, else kept under an id of the library, if the visitor wants that."""

import hashlib
import re
from functools import partial

import streamlit as st
from cachetools import FIFOCache

from app.parts.problem import reason
from app.parts.tables.segmentation import joined_surrogates
from app.server.library import library, opened
from app.session import state
from app.session.url import UrlValue
from app.texts.i18n import t
from app.texts.plain import plain
from engine.errors import InputError

_ID = re.compile(r"@([0-9a-f]{24})")
_MAX_LINKED = 20


def url_text(param: str, key: str, default: str) -> UrlValue[str]:
    """A text of the session. Where `publish` is called, the visitor may keep one on the server that is too long."""
    return UrlValue(param, key, unlink_text, partial(_link_to, param), default)


def unlink_text(value: str) -> str | None:
    """The text that a parameter of the URL stands for; None, and a word about it, where it is damaged or gone."""
    match = _ID.fullmatch(value)
    if match is None:
        text = state.unpack_text(value)
        if text is None:
            st.warning(t("frame.text_damaged"), icon=":material/link_off:")
            return None
        # U+FFFD is what bytes of a damaged link decode to, and no text of anybody's.
        return joined_surrogates(text).replace("\ufffd", "")
    try:
        text = library().texts.find(match[1])
    except InputError:
        st.warning(t("frame.text_gone"), icon=":material/link_off:")
        return None
    # The link goes on to be one.
    _link(text, match[1])
    return text


def _link_to(param: str, text: str) -> str | None:
    """What the URL says for a text; for a long one, offer to keep it on the server for a link."""
    text = joined_surrogates(text)
    link = state.pack_text(text)
    if link is None or state.unpack_text(link) != text:  # what compresses well may still be too long to unpack
        link = _long_link(param, text)
    return link


def _long_link(param: str, text: str) -> str | None:
    """The id under which the server keeps the text, or None and a button to keep it."""
    place = st.empty()
    text_id = st.session_state.get(state.LINKED, {}).get(_hash(text))
    if text_id is None:
        with place.container():
            st.caption(t("frame.text_too_long"))
            if opened().library is None or not st.button(
                t("frame.text_save"), key=f"text_link.save.{param}", icon=":material/link:"
            ):
                return None
            try:
                text_id = library().texts.save(text, state.owner())
            except InputError as error:
                st.error(plain(reason(error)), icon=":material/error:")
                return None
        _link(text, text_id)
    place.caption(t("frame.text_linked"))
    return f"@{text_id}"


def _link(text: str, text_id: str) -> None:
    """Remember the id that a text is kept under."""
    linked: FIFOCache[str, str] = st.session_state.setdefault(state.LINKED, FIFOCache(_MAX_LINKED))
    linked[_hash(text)] = text_id


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

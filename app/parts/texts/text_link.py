"""A text in the URL: compressed if short, else stored under an id in the library if the visitor agrees."""

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
    """A text of the session. If it is too long for the URL, `publish` offers to store it on the server."""
    return UrlValue(param, key, unlink_text, partial(_link_to, param), default)


def unlink_text(value: str) -> str | None:
    """The text that a URL parameter stands for; None, with a message, if it is damaged or gone."""
    match = _ID.fullmatch(value)
    if match is None:
        text = state.unpack_text(value)
        if text is None:
            st.warning(t("frame.text_damaged"), icon=":material/link_off:")
            return None
        # U+FFFD comes from decoding a damaged link; no visitor's text contains it.
        return joined_surrogates(text).replace("\ufffd", "")
    try:
        text = library().texts.find(match[1])
    except InputError:
        st.warning(t("frame.text_gone"), icon=":material/link_off:")
        return None
    # Keep the URL a link to the stored text.
    _link(text, match[1])
    return text


def _link_to(param: str, text: str) -> str | None:
    """The URL parameter for a text; for a long one, offer to store it on the server."""
    text = joined_surrogates(text)
    link = state.pack_text(text)
    if link is None or state.unpack_text(link) != text:  # highly compressible text may still be too long to unpack
        link = _long_link(param, text)
    return link


def _long_link(param: str, text: str) -> str | None:
    """The id of the stored text, or None and a button to store it."""
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
    linked: FIFOCache[str, str] = st.session_state.setdefault(state.LINKED, FIFOCache(_MAX_LINKED))
    linked[_hash(text)] = text_id


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

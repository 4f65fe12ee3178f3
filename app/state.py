"""Keys of the session state, and the way values travel in the URL.

Most controls need nothing from here: `bind="query-params"` keeps a widget whose options are codes in the URL. It
writes the *label* of an option, though, and it cannot compress. For translated options and for long text a page does

    state.adopt("text", "lattice_text", state.unpack_text)     # before the widget: the URL wins if it changed
    st.text_area(..., key="lattice_text", on_change=publish)    # publish: state.publish("text", state.pack_text(...))
"""

import base64
import zlib
from collections.abc import Callable
from typing import Any

import streamlit as st

LANGUAGE = "language"
MODEL = "model_reference"  # the active model, as app.reference writes it
CORPORA = "corpora"  # texts that the user uploaded or pasted: they live and die with the session
FILE_NAMES = "file_names"  # names of the model files that the user loaded
JOBS = "jobs"  # the session's trainings: job ids by the key of the model

# Longest text, in characters of the URL, that a link carries. Proxies commonly cut the request line at 4 or 8 kB.
MAX_TEXT_IN_URL = 2000
_MAX_UNPACKED = 100_000


def _seen(param: str) -> str:
    return f"url.{param}"


def adopt(param: str, key: str, decode: Callable[[str], Any]) -> None:
    """Move a parameter of the URL into the session state when the URL changed (a link, Back, or typed by hand).

    `decode` returns None for a value that makes no sense; it is then ignored.
    """
    raw = st.query_params.get(param)
    if raw is None or raw == st.session_state.get(_seen(param)):
        return
    st.session_state[_seen(param)] = raw
    value = decode(raw)
    if value is not None:
        st.session_state[key] = value


def publish(param: str, value: str | None) -> None:
    """Write a parameter to the URL; None removes it. Costs nothing when it is there already."""
    st.session_state[_seen(param)] = value
    if value is None:
        if param in st.query_params:
            del st.query_params[param]
    elif st.query_params.get(param) != value:
        st.query_params[param] = value


def pack_text(text: str) -> str | None:
    """`text` for the URL: as it is ("~" in front), or compressed ("z" in front); None where it does not fit.

    Korean takes nine characters a syllable when a URL spells it out, so all but short texts gain from compression.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return None
    spelled_out = sum(1 if byte < 0x80 else 3 for byte in data)
    if spelled_out <= 200:
        return "~" + text
    packed = "z" + base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")
    return packed if len(packed) <= MAX_TEXT_IN_URL else None


def unpack_text(value: str) -> str | None:
    """The text of `pack_text`; None for anything else. Plain text without a mark is taken as it is."""
    if value[:1] == "~":
        return value[1:]
    if value[:1] == "z":
        try:
            packed = base64.b64decode(value[1:] + "=" * (-len(value[1:]) % 4), altchars=b"-_", validate=True)
            # Bounded: a few kB of a hostile link may unpack to gigabytes.
            return zlib.decompressobj().decompress(packed, _MAX_UNPACKED).decode()
        except (ValueError, zlib.error):
            return None
    return value

"""Keys of the session state, and when a value moves between it and the URL; `app.session.url` is what pages use."""

import base64
import secrets
import zlib
from collections.abc import Callable

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app.server.visitors import Visitor, network
from app.session.own_choice import note_choice

MODEL = "model"  # in the URL of every page: the active model as a ModelReference writes it, empty: default
CHECK = "check"  # in the URL of every page: what the active model is made of, as app.session.link_check writes it
# What follows is not in the URL. The names begin with "session.", so that no control of a page, whose key is the name
# of its parameter in the URL, can take their place.
PENDING = "session.pending"  # changes of what every page's URL carries that the next run makes
CORPORA = "session.corpora"  # texts that the user uploaded or pasted: they live and die with the session
FILE_NAMES = "session.file_names"  # names of the model files that the user loaded
RECOGNIZED = "session.recognized"  # ids of the session's texts that files and runs were trained on, by their models
TRAINING = "session.training"  # id of the text of the last training that was begun on the page Train
PARALLEL = "session.parallel"  # parallel texts that the user uploaded, likewise
RUNS = "session.runs"  # runs of the library that were opened, as it lists them, by id
FINGERPRINTS = "session.fingerprints"  # of the session's own texts, by id
KNOWN = "session.known"  # models that the session trained or loaded: references by their text
NOTICE = "session.notice"  # a sentence to show once, at the top of the next run
OWNER = "owner"  # the secret that the browser keeps, once it has told it: app.components.browser_key
NAMELESS = "session.nameless"  # stands for that secret where the browser tells none; nobody else learns it
LINKED = "session.linked"  # ids under which the server keeps texts of the session, by the texts' hashes
ASKED = "session.asked"  # models that were asked for beside the active one: references by their text
RESAMPLED = "session.resampled"  # keys of the resamplings that the session has begun
JOBS = "session.jobs"  # the session's trainings: job ids by the key of the model

# Longest text, in characters of the URL, that a link carries: about 1,700 of Korean prose. Proxies commonly cut the
# request line at 4 or 8 kB.
MAX_TEXT_IN_URL = 2800
_MAX_UNPACKED = 100_000


def visitor() -> Visitor:
    """Whose session it is, where visitors have to share the server."""
    return Visitor(network(st.context.ip_address), str(st.session_state.get(OWNER, "")))


def owner() -> str:
    """Whom what the session keeps on the server belongs to: the browser, or the session where that tells no secret."""
    return str(st.session_state.get(OWNER) or st.session_state.setdefault(NAMELESS, secrets.token_urlsafe(24)))


def adopt(param: str, key: str, decode: Callable[[str], object]) -> None:
    """Move a parameter of the URL into the session state, when the URL is what changed.

    That is so when the session begins and when the visitor goes back or forward. In all other runs the URL that the
    browser sends may be older than what the session published, and must not win. Where `decode` returns None, or
    Back leads to a URL without the parameter, the key is removed: the page then falls back to its default.
    """
    keep(key)
    is_first = f"url.{param}" not in st.session_state
    if not is_first and not _is_history_navigation():
        return
    raw = st.query_params.get(param)
    value = None if raw is None else decode(raw)
    if value is not None:
        st.session_state[key] = value
    elif not is_first:
        st.session_state.pop(key, None)
    st.session_state[f"url.{param}"] = True  # at last: the next run does again what a cut one has not done


def keep(key: str) -> None:
    """Carry what a control says to the same control of another page; `adopt` does so, others call it before theirs.

    To Streamlit they are two, for the page is part of what a control is. It hands a value on only by way of a page
    that has neither.
    """
    context = get_script_run_ctx()
    if context is None:
        return
    place, page = f"page.{key}", context.page_script_hash
    if key in st.session_state and st.session_state.get(place, page) != page:
        st.session_state[key] = st.session_state[key]
    st.session_state[place] = page


def _is_history_navigation() -> bool:
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def publish(param: str, value: str | None) -> None:
    """Write a parameter to the URL; None removes it. Costs nothing when it is there already."""
    note_choice(param, value)
    st.session_state[f"url.{param}"] = True
    if value is None:
        if param in st.query_params:
            del st.query_params[param]
    elif st.query_params.get(param) != value:
        st.query_params[param] = value


def carry_in_url(*params: str) -> None:
    """Parameters that every page keeps: `st.session_state[param]` is a string, empty without the parameter.

    Streamlit drops a parameter when the page changes unless a widget is bound to it, so each has a text field, which
    goes into a container that nobody sees. Call it before anything that reads the values, and set them before it or in
    callbacks only.
    """
    pending = st.session_state[PENDING]
    for param in params:
        if param in pending:
            st.session_state[param] = pending[param]
            del pending[param]
        st.text_input(param, key=param, bind="query-params", label_visibility="collapsed")


def set_in_url(param: str, value: str) -> None:
    """Change a parameter that `carry_in_url` keeps; it takes effect with the next run."""
    st.session_state[PENDING][param] = value


def pack_text(text: str) -> str | None:
    """`text` for the URL: as it is ("~" in front), or compressed ("z" in front); None where it does not fit.

    Korean takes nine characters a syllable when a URL spells it out, so all but short texts gain from compression.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return None
    if len(data) > _MAX_UNPACKED:  # what unpack_text would cut off
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

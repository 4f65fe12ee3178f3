"""Keys of the session state, and when a value moves between it and the URL; pages use `app.session.url`."""

import base64
import secrets
import zlib
from collections.abc import Callable

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app.server.visitors import Visitor, network

# Whether the parameters of a training were chosen here or came with the link: a link alone must not start one.
#
# A parameter that the session started with belongs to the link until the visitor changes it or agrees to it.

# Parameters of the link, and their values once a page has read them; None until then.
_LINK = "session.link"
_ADOPTED = "session.adopted"  # parameters that this run has read: a control that is drawn keeps its value


def begin_with_link() -> None:
    st.session_state.setdefault(_LINK, dict.fromkeys(st.query_params))
    st.session_state[_ADOPTED] = set()


def note_choice(param: str, value: str | None) -> None:
    """Record the current value of a parameter, None for the page's default; in every run of a page that has it."""
    link: dict[str, str | None] = st.session_state.get(_LINK, {})
    if param in link:
        if value is None or link[param] not in (None, value):
            del link[param]
        else:
            link[param] = value


def is_own(*params: str) -> bool:
    """Whether none of them still has the link's value."""
    link: dict[str, str | None] = st.session_state.get(_LINK, {})
    return not any(param in link for param in params)


def agree_to_link() -> None:
    """Accept the link's parameters after asking the visitor; for callbacks."""
    st.session_state[_LINK] = {}


MODEL = "model"  # in the URL of every page: the active model as a ModelReference writes it, empty: default
CHECK = "check"  # in the URL of every page: fingerprints of the active model, see app.parts.texts.link_check
# The rest is not in the URL. The names begin with "session.", so that they cannot clash with a page's control, whose
# key is its URL parameter.
PENDING = "session.pending"  # changes to parameters of every page's URL, to be made by the next run
CORPORA = "session.corpora"  # texts that the user uploaded or pasted, see app.session.own_texts
FILE_NAMES = "session.file_names"  # names of the model files that the user loaded
RECOGNIZED = "session.recognized"  # ids of the session's texts that files and runs were trained on, by their models
TRAINING = "session.training"  # id of the text of the last training started on the page Train
PARALLEL = "session.parallel"  # parallel texts that the user uploaded, likewise
RUNS = "session.runs"  # runs of the library that were opened, by id
FINGERPRINTS = "session.fingerprints"  # of the session's own texts, by id
KNOWN = "session.known"  # models that the session trained or loaded: references by their text
TEACHER = "session.teacher"  # whether the teacher's password was given
PROJECTOR = "session.projector"  # whether figures are for a projector; absent until chosen: app.parts.projector
NOTICE = "session.notice"  # a sentence to show once, at the top of the next run
OWNER = "owner"  # the secret stored in the browser, once the browser has sent it: app.components.browser
NAMELESS = "session.nameless"  # replaces that secret if the browser sends none; it never leaves the server
LINKED = "session.linked"  # ids under which the server stores texts of the session, by the texts' hashes
REQUESTED = "session.asked"  # models requested besides the active one: references by their text
RESAMPLED = "session.resampled"  # keys of the resamplings that the session has started
SHARED_MODELS = "session.shared_models"  # on the page of this run, see app.share.facts
PACKAGE = "session.package"  # what the view of this run can hand out, see app.share.packages
JOBS = "session.jobs"  # the session's trainings: job ids by the key of the model

# Longest text in a link, in characters of the URL: about 1,700 characters of Korean prose. Proxies commonly limit the
# request line to 4 or 8 kB.
MAX_TEXT_IN_URL = 2800
_MAX_UNPACKED = 100_000


def visitor() -> Visitor:
    """The visitor of this session, for dividing the server's resources."""
    return Visitor(network(st.context.ip_address), str(st.session_state.get(OWNER, "")))


def owner() -> str:
    """Owner of the session's data on the server: the browser, or the session if the browser sends no secret."""
    return str(st.session_state.get(OWNER) or st.session_state.setdefault(NAMELESS, secrets.token_urlsafe(24)))


def adopt(param: str, key: str, decode: Callable[[str], object]) -> None:
    """Move a URL parameter into the session state, if the URL is what changed.

    That is the case when the session begins and when the visitor goes back or forward. In all other runs the URL sent
    by the browser may be older than what the session published, and must not win. If `decode` returns None, or Back
    leads to a URL without the parameter, the key is removed: the page then falls back to its default.
    """
    keep(key)
    is_first = f"url.{param}" not in st.session_state
    if not is_first and not _is_history_navigation():
        return
    adopted: set[str] = st.session_state.setdefault(_ADOPTED, set())
    if not is_first and param in adopted:
        return
    raw = st.query_params.get(param)
    value = None if raw is None else decode(raw)
    if value is not None:
        st.session_state[key] = value
    elif not is_first:
        st.session_state.pop(key, None)
    adopted.add(param)
    st.session_state[f"url.{param}"] = True  # last, so that the next run redoes what an aborted one has not done


def adopt_again(*params: str) -> None:
    """Let the controls of these parameters look at the URL once more: a link within the session has changed it."""
    for param in params:
        st.session_state.pop(f"url.{param}", None)


def keep(key: str) -> None:
    """Carry the value of a control to the same control on another page; `adopt` calls it, others call it themselves.

    To Streamlit the two are different controls, because the page is part of a control's identity. It only hands a value
    over via a page that has neither.
    """
    context = get_script_run_ctx()
    if context is None:
        return
    place, page = f"page.{key}", context.page_script_hash
    before = st.session_state.get(place)
    if before == page:
        return
    if before is not None and key in st.session_state:
        st.session_state[key] = st.session_state[key]
    st.session_state[place] = page


def _is_history_navigation() -> bool:
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def publish(param: str, value: str | None) -> None:
    """Write a parameter to the URL; None removes it. Costs nothing if it is unchanged."""
    note_choice(param, value)
    st.session_state[f"url.{param}"] = True
    if value is None:
        if param in st.query_params:
            del st.query_params[param]
    elif st.query_params.get(param) != value:
        st.query_params[param] = value


def carry_in_url(*params: str) -> None:
    """Parameters that every page keeps: `st.session_state[param]` is a string, empty without the parameter.

    Streamlit drops a parameter when the page changes unless a widget is bound to it, so each has a text field in a
    hidden container. Call it before anything that reads the values, and set them only before it or in callbacks.
    """
    pending = st.session_state[PENDING]
    for param in params:
        if param in pending:
            st.session_state[param] = pending[param]
            del pending[param]
        st.text_input(param, key=param, bind="query-params", label_visibility="collapsed")


def set_in_url(param: str, value: str) -> None:
    st.session_state[PENDING][param] = value


def pack_text(text: str) -> str | None:
    """`text` for the URL: verbatim ("~" in front), or compressed ("z" in front); None if it does not fit.

    A Korean syllable takes nine characters in a URL, so all but short texts gain from compression.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return None
    if len(data) > _MAX_UNPACKED:  # unpack_text would truncate it
        return None
    spelled_out = sum(1 if byte < 0x80 else 3 for byte in data)
    if spelled_out <= 200:
        return "~" + text
    packed = "z" + base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")
    return packed if len(packed) <= MAX_TEXT_IN_URL else None


def unpack_text(value: str) -> str | None:
    """The text packed by `pack_text`; None if it is damaged. Text without a prefix is returned as it is."""
    if value[:1] == "~":
        return value[1:]
    if value[:3] == "zeN":  # what zlib writes begins with 0x78 0xDA; zoo is a word
        try:
            packed = base64.b64decode(value[1:] + "=" * (-len(value[1:]) % 4), altchars=b"-_", validate=True)
            # Bounded: a few kB of a hostile link may unpack to gigabytes.
            return zlib.decompressobj().decompress(packed, _MAX_UNPACKED).decode()
        except (ValueError, zlib.error):
            return None
    return value

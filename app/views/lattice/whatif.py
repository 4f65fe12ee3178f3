"""What if a token were not there, or another one, or a piece had to stand? All of it is in the URL."""

import json
import math
import re

import streamlit as st

from app.parts.problem import reason
from app.session import state
from app.session.models import ActiveModel
from app.texts.i18n import t
from app.texts.plain import plain, visible_space
from app.views.lattice.why import PICKED
from engine.errors import InputError
from engine.unigram.lattice import Lattice

_FORCED, _FORBIDDEN, _ADDED, _LOG_PROB = "lattice.forced", "lattice.forbid", "lattice.add", "lattice.add_log_prob"
_LOWEST, _DEFAULT_LOG_PROB = -40.0, -8.0
_MAX_FORBIDDEN, _MAX_FORCED, _MAX_ADDED = 100, 100, 60


def forget_forced() -> None:
    """Spans are of one text: with another they mean nothing."""
    st.session_state[_FORCED] = []


def changed_lattice(active: ActiveModel, text: str, number: int) -> tuple[Lattice, bool]:
    """The lattice under the what-ifs, and whether there are any.

    Raises
    ------
    InputError : the text cannot be cut even without them.
    """
    _adopt()
    forbidden = tuple(st.session_state.get(_FORBIDDEN, []))
    token = st.session_state.get(_ADDED, "")
    added = [(token, float(st.session_state.get(_LOG_PROB, _DEFAULT_LOG_PROB)))] if token else []
    forced = [span for span in st.session_state.get(_FORCED, []) if span[1] <= len(text)]
    try:
        found = active.model.lattice(text, number, forbidden, added, forced), bool(forbidden or added or forced)
    except InputError as error:
        st.warning(plain(reason(error)))
        forget_forced()
        found = active.model.lattice(text, number), False
    _publish()
    return found


def _adopt() -> None:
    state.adopt("forbid", _FORBIDDEN, _tokens)
    state.adopt("add", _ADDED, lambda word: (state.unpack_text(word) or "")[:_MAX_ADDED])
    state.adopt("logprob", _LOG_PROB, _log_prob)
    state.adopt("force", _FORCED, _spans)


def _publish() -> None:
    forbidden = st.session_state.get(_FORBIDDEN, [])
    token = st.session_state.get(_ADDED, "")
    log_prob = float(st.session_state.get(_LOG_PROB, _DEFAULT_LOG_PROB))
    forced = st.session_state.get(_FORCED, [])
    state.publish("forbid", state.pack_text(json.dumps(forbidden, ensure_ascii=False)) if forbidden else None)
    state.publish("add", state.pack_text(token) if token else None)
    state.publish("logprob", None if log_prob == _DEFAULT_LOG_PROB else f"{log_prob:g}")
    state.publish("force", ".".join(f"{begin}-{end}" for begin, end in forced) or None)


def _tokens(word: str) -> list[str] | None:
    try:
        tokens = json.loads(state.unpack_text(word) or "")
    except (ValueError, RecursionError):
        return None
    if not isinstance(tokens, list):
        return None
    return [token for token in tokens if isinstance(token, str) and token][:_MAX_FORBIDDEN]


def _log_prob(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return max(_LOWEST, min(0.0, value)) if math.isfinite(value) else None


def _spans(word: str) -> list[tuple[int, int]]:
    found = (re.fullmatch(r"([0-9]{1,4})-([0-9]{1,4})", part) for part in word.split("."))
    spans = [(int(match[1]), int(match[2])) for match in found if match]
    return [span for span in spans if span[0] < span[1]][:_MAX_FORCED]


def render_what_if(lattice: Lattice) -> None:
    """The controls; what they change holds for the whole page."""
    st.caption(t("lattice.whatif.caption"))
    labels = sorted({lattice.labels[arc] for arc in range(lattice.begin.size) if lattice.number[arc] >= 0})
    kept = [token for token in st.session_state.get(_FORBIDDEN, []) if token]
    st.multiselect(
        t("lattice.whatif.forbid"), sorted({*labels, *kept}), key=_FORBIDDEN, format_func=visible_space,
        max_selections=_MAX_FORBIDDEN, persist_state="session", placeholder=t("frame.choose"),
    )  # fmt: skip
    left, right = st.columns([2, 1])
    left.text_input(t("lattice.whatif.add"), key=_ADDED, max_chars=_MAX_ADDED, persist_state="session")
    st.session_state.setdefault(_LOG_PROB, _DEFAULT_LOG_PROB)
    right.number_input(t("lattice.whatif.add_log_prob"), _LOWEST, 0.0, step=0.5, key=_LOG_PROB, persist_state="session")

    def force() -> None:
        picked = st.session_state.get(PICKED)
        if picked is None or picked >= lattice.begin.size:
            st.toast(t("lattice.why.pick"))
        else:
            span = (int(lattice.begin[picked]), int(lattice.end[picked]))
            st.session_state[_FORCED] = [*st.session_state.get(_FORCED, []), span]
            st.session_state[PICKED] = None

    def reset() -> None:
        st.session_state[_FORCED] = []
        st.session_state[_FORBIDDEN] = []
        st.session_state[_ADDED] = ""

    with st.container(horizontal=True):
        # What is picked changes without this part: whether there is anything to force is seen on the click.
        st.button(t("lattice.whatif.force"), on_click=force, key="lattice.force")
        st.button(t("lattice.whatif.reset"), on_click=reset, key="lattice.reset")

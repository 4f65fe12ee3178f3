"""What if a token were removed or added, or a piece were forced to be a token? Everything is stored in the URL."""

import json
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from app.parts.problem import reason
from app.session import state
from app.session.url import UrlValue, short_text
from app.texts.i18n import t
from app.texts.plain import plain, visible_space
from app.views.lattice.tables import lattice_in_round
from app.views.lattice.why import PICKED
from engine.errors import InputError
from engine.lattice.lattice import Lattice
from engine.tokenizer import LatticeTokenizer

_LOWEST, _DEFAULT_LOG_PROB = -40.0, -8.0
_MAX_FORBIDDEN, _MAX_FORCED, _MAX_ADDED = 100, 100, 60
_SPACE = "▁"  # in most files of other programs


class WhatIf(NamedTuple):
    """Removed tokens, added tokens with their log probabilities, and spans (begin, end) that must be tokens."""

    forbidden: tuple[str, ...] = ()
    added: tuple[tuple[str, float], ...] = ()
    forced: tuple[tuple[int, int], ...] = ()


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


def _span_texts(spans: Sequence[tuple[int, int]]) -> str:
    return ".".join(f"{begin}-{end}" for begin, end in spans)


def _pack_tokens(tokens: Sequence[str]) -> str | None:
    return state.pack_text(json.dumps(tokens, ensure_ascii=False))


_FORBIDDEN: UrlValue[list[str]] = UrlValue("forbid", "lattice.forbid", _tokens, _pack_tokens, [])
_ADDED = UrlValue("add", "lattice.add", short_text(_MAX_ADDED), state.pack_text, "")
_LOG_PROB = UrlValue("logprob", "lattice.add_log_prob", _log_prob, "{:g}".format, _DEFAULT_LOG_PROB)
_FORCED: UrlValue[list[tuple[int, int]]] = UrlValue("force", "lattice.forced", _spans, _span_texts, [])


def adopt_what_if() -> WhatIf:
    forbidden, token, log_prob, forced = _FORBIDDEN.adopt(), _ADDED.adopt(), _LOG_PROB.adopt(), _FORCED.adopt()
    added = ((token, float(log_prob)),) if token else ()
    return WhatIf(tuple(forbidden), added, tuple(forced))


def publish_what_if() -> None:
    _FORBIDDEN.publish(list(_FORBIDDEN.value))
    _ADDED.publish(_ADDED.value)
    _LOG_PROB.publish(float(_LOG_PROB.value))
    _FORCED.publish(_FORCED.value)


def forget_forced() -> None:
    _FORCED.set([])


def _fitted(what_if: WhatIf, lattice: Lattice) -> WhatIf:
    """The part that applies to this text, with spaces as the vocabulary writes them."""
    has_marks = _SPACE in lattice.text and " " not in lattice.text
    added = tuple((token.replace(" ", _SPACE) if has_marks else token, own) for token, own in what_if.added)
    return WhatIf(what_if.forbidden, added, tuple(span for span in what_if.forced if span[1] <= lattice.n))


def changed_lattice(model: LatticeTokenizer, text: str, number: int | None, what_if: WhatIf) -> tuple[Lattice, bool]:
    """The lattice under a what-if, and whether it applies; if no path is left, the plain lattice and the reason.

    Raises
    ------
    InputError : the text cannot be segmented even without the what-if.
    """
    lattice = lattice_in_round(model, text, number)
    what_if = _fitted(what_if, lattice)
    if what_if == WhatIf():
        return lattice, False
    try:
        return lattice_in_round(model, text, number, *what_if), True
    except InputError as error:
        st.warning(plain(reason(error)))
        forget_forced()
        return lattice, False


def render_what_if(lattice: Lattice) -> None:
    """The controls, which affect the whole page."""
    st.caption(t("lattice.whatif.caption"))
    labels = sorted({lattice.labels[arc] for arc in range(lattice.begin.size) if lattice.number[arc] >= 0})
    kept = [token for token in _FORBIDDEN.value if token]
    st.multiselect(
        t("lattice.whatif.forbid"),
        sorted({*labels, *kept}),
        key=_FORBIDDEN.key,
        format_func=visible_space,
        max_selections=_MAX_FORBIDDEN,
        persist_state="session",
        placeholder=t("frame.choose"),
    )
    left, right = st.columns([2, 1])
    left.text_input(t("lattice.whatif.add"), key=_ADDED.key, max_chars=_MAX_ADDED, persist_state="session")
    label = t("lattice.whatif.add_log_prob")
    right.number_input(label, _LOWEST, 0.0, step=0.5, key=_LOG_PROB.key, persist_state="session")

    def force() -> None:
        picked = PICKED.value
        if picked is None or picked >= lattice.begin.size:
            st.toast(t("lattice.why.pick"))
        else:
            span = (int(lattice.begin[picked]), int(lattice.end[picked]))
            _FORCED.set([*_FORCED.value, span])
            PICKED.set(None)

    def reset() -> None:
        forget_forced()
        _FORBIDDEN.set([])
        _ADDED.set("")

    with st.container(horizontal=True):
        # The picked arc can change without a rerun of this section: whether it can be forced is checked on the click.
        st.button(t("lattice.whatif.force"), on_click=force, key="lattice.force")
        st.button(t("lattice.whatif.reset"), on_click=reset, key="lattice.reset")

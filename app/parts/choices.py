"""Controls whose options are translated, kept in the URL by code; and the controls that several pages share."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from app.parts.tables.units import UNITS
from app.session import state
from app.texts.i18n import t

N = TypeVar("N", int, float)


def url_choice(param: str, label: str, options: Mapping[str, str], default: str, help_text: str | None = None) -> str:
    """One of a few options, as `param=<code>` in the URL unless it is the default one.

    Parameters
    ----------
    options : texts by code.
    """
    key = f"choice.{param}"
    state.adopt(param, key, lambda code: code if code in options else None)
    if st.session_state.get(key) not in options:
        st.session_state[key] = default
    chosen = st.segmented_control(
        label,
        list(options),
        format_func=dict(options).__getitem__,
        key=key,
        required=True,
        help=help_text,
        persist_state="session",
        wrap=True,
    )
    code = str(chosen or default)
    state.publish(param, None if code == default else code)
    return code


def url_choices(param: str, label: str, options: Mapping[str, str], help_text: str | None = None) -> list[str]:
    """Any of a few options, as `param=<code>.<code>` in the URL; none chosen means all."""
    key = f"choice.{param}"

    def decode(text: str) -> list[str]:
        return [code for code in text.split(".") if code in options]

    state.adopt(param, key, decode)
    st.session_state[key] = [code for code in st.session_state.get(key, []) if code in options]
    chosen: Sequence[str] = st.pills(
        label,
        list(options),
        selection_mode="multi",
        format_func=dict(options).__getitem__,
        key=key,
        help=help_text,
        persist_state="session",
        wrap=True,
    )
    state.publish(param, ".".join(chosen) or None)
    return list(chosen) or list(options)


def url_list(
    param: str, label: str, options: Mapping[str, str], default: Sequence[str], limit: int, help_text: str | None = None
) -> list[str]:
    """Up to `limit` of many options, as `param=<code>.<code>` in the URL unless they are the default ones."""
    key = f"choice.{param}"
    state.adopt(param, key, lambda text: [code for code in text.split(".") if code in options][:limit])
    st.session_state[key] = [code for code in st.session_state.get(key, default) if code in options]
    chosen = st.multiselect(
        label, list(options), format_func=dict(options).__getitem__, key=key, help=help_text, max_selections=limit,
        persist_state="session", placeholder=t("frame.choose"),
    )  # fmt: skip
    state.publish(param, None if tuple(chosen) == tuple(default) else ".".join(chosen) or None)
    return list(chosen)


def url_row(param: str, label: str, titles: Sequence[str]) -> int:
    """Which of a list that the page made, counted from 0; `param=<number from 1>` in the URL unless it is the first."""
    key = f"row.{param}"
    state.adopt(
        param, key, lambda text: int(text) - 1 if text.isascii() and text.isdecimal() and len(text) < 5 else None
    )
    # The list may be shorter than the one that the link was made for.
    if st.session_state.get(key) not in range(len(titles)):
        st.session_state[key] = 0
    row = st.selectbox(
        label, range(len(titles)), format_func=list(titles).__getitem__, key=key, persist_state="session"
    )  # fmt: skip
    state.publish(param, None if not row else str(row + 1))
    return int(row or 0)


def url_range(param: str, label: str, longest: int) -> tuple[int, int]:
    """Two ends between 0 and `longest`, as `param=<low>-<high>` in the URL unless they are the whole range."""
    key = f"range.{param}"

    def decode(text: str) -> tuple[int, int] | None:
        match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", text)
        return (int(match[1]), int(match[2])) if match else None

    state.adopt(param, key, decode)
    low, high = st.session_state.get(key, (0, longest))
    st.session_state[key] = (low, high) if 0 <= low <= high <= longest else (0, longest)
    # Two ends, as the value in the session state says; the types know only of a `value` that is handed over.
    ends: Any = st.slider(label, 0, longest, key=key, persist_state="session")
    low, high = ends
    state.publish(param, None if (low, high) == (0, longest) else f"{low}-{high}")
    return low, high


def url_number(
    param: str, label: str, low: N, high: N, default: N, step: N, help_text: str | None = None, disabled: bool = False
) -> N:
    """A number that is typed, as `param=<number>` in the URL unless it is the default one.

    Streamlit's own way into the URL ends in an error where an integer is called 1e999.
    """
    key, kind = f"number.{param}", type(default)

    def decode(text: str) -> N | None:
        try:
            value = kind(text)
        except (ValueError, OverflowError):
            return None
        return value if low <= value <= high else None

    state.adopt(param, key, decode)
    st.session_state.setdefault(key, default)
    typed = st.number_input(
        label, low, high, step=step, key=key, help=help_text, disabled=disabled, persist_state="session"
    )
    value = kind(typed)
    state.publish(param, None if value == default else str(value))
    return value


def unit_choice() -> str:
    """`bit` or `nat`: the unit of entropies."""
    return url_choice("units", t("figure.unit_label"), {unit: t(f"figure.unit.{unit}") for unit in UNITS}, UNITS[0])


ROUND = "round"


def round_slider(last_round: int, default: int = 0) -> int:
    """The pruning round that a page shows, 0 the seed vocabulary; `round` in the URL unless it is the default one."""
    if last_round == 0:
        st.caption(t("figure.one_round"))
        return 0
    state.adopt("round", ROUND, lambda text: int(text) if re.fullmatch("[0-9]{1,4}", text) else None)
    st.session_state.setdefault(ROUND, default)
    # Another model may have fewer rounds.
    if st.session_state[ROUND] > last_round:
        st.session_state[ROUND] = last_round
    number = int(
        st.slider(
            t("figure.round_slider", last=last_round),
            0,
            last_round,
            key=ROUND,
            help=t("figure.round_help"),
            persist_state="session",
        )
    )
    state.publish("round", None if number == default else str(number))
    return number

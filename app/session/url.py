"""One way to move a session value into the URL and back.

Most controls need nothing from here: `bind="query-params"` keeps a widget whose options are codes in the URL. It
writes the *label* of an option, though, and it cannot compress. Values that are translated, packed or not a widget's
use a UrlValue:

    _TOPIC = UrlValue("topic", "failures.topic", one_of(TOPICS), str, "spaces")

    _TOPIC.adopt()                                             # before the control
    topic = st.selectbox(..., key=_TOPIC.key, persist_state="session")
    _TOPIC.publish(topic)                                      # after it

A page changes it in callbacks, with `set`. For texts, use `app.parts.texts.text_link.url_text`.
"""

import re
from collections.abc import Callable, Container
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

import streamlit as st

from app.session import state

V = TypeVar("V")


@dataclass(frozen=True)
class UrlValue(Generic[V]):
    """`param=<text>` in the URL, and its value in the session.

    Parameters
    ----------
    key : of the value in the session state; also the key of its control, if it has one.
    decode : parses a text; None if it is invalid.
    encode : the text of a value; None if the URL cannot hold it.
    default : the value without the parameter; it is never written to the URL.
    """

    param: str
    key: str
    decode: Callable[[str], V | None]
    encode: Callable[[V], str | None]
    default: V

    @property
    def value(self) -> V:
        found = st.session_state.get(self.key)
        return self.default if found is None else cast(V, found)

    def set(self, value: V) -> None:
        st.session_state[self.key] = value

    def adopt(self) -> V:
        """Read it from the URL, if the URL is what changed. Once per run, before its control."""
        state.adopt(self.param, self.key, self.decode)
        value = st.session_state.get(self.key)
        if value is None:
            self.set(value := self.default)
        return cast(V, value)

    def publish(self, value: V) -> None:
        state.publish(self.param, None if value == self.default else self.encode(value))


def one_of(options: Container[str]) -> Callable[[str], str | None]:
    return lambda text: text if text in options else None


def some_of(options: Container[str]) -> Callable[[str], list[str]]:
    """Parses `<code>.<code>`, ignoring codes that are not options."""
    return lambda text: [code for code in text.split(".") if code in options]


def whole_number(text: str, n_digits: int = 4) -> int | None:
    return int(text) if re.fullmatch(f"[0-9]{{1,{n_digits}}}", text) else None


def number_in(low: float, high: float) -> Callable[[str], float | None]:
    """Parses a number from `low` to `high`."""

    def decode(text: str) -> float | None:
        with suppress(ValueError):
            if low <= (number := float(text)) <= high:
                return number
        return None

    return decode


def short_text(limit: int) -> Callable[[str], str | None]:
    return lambda packed: (state.unpack_text(packed) or "")[:limit] or None

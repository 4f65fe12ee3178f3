"""One way for a value of the session into the URL and out of it.

Most controls need nothing from here: `bind="query-params"` keeps a widget whose options are codes in the URL. It writes
the *label* of an option, though, and it cannot compress. What is translated, packed or no widget at all is a UrlValue:

    _TOPIC = UrlValue("topic", "failures.topic", one_of(TOPICS), str, "spaces")

    _TOPIC.adopt()                                             # before the control
    topic = st.selectbox(..., key=_TOPIC.key, persist_state="session")
    _TOPIC.publish(topic)                                      # after it

A page changes it in callbacks, by `set`. Texts have `app.parts.texts.text_link.url_text`.
"""

import re
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

import streamlit as st

from app.session import state

V = TypeVar("V")


@dataclass(frozen=True)
class UrlValue(Generic[V]):
    """`param=<text>` in the URL, and the value that it stands for in the session.

    Parameters
    ----------
    key : where the session keeps the value; also the key of its control, where it has one.
    decode : the value of a text; None for a text that is none.
    encode : the text of a value; None where the URL cannot hold it.
    default : the value without the parameter, which stays out of the URL.
    """

    param: str
    key: str
    decode: Callable[[str], V | None]
    encode: Callable[[V], str | None]
    default: V

    @property
    def value(self) -> V:
        """What the session says."""
        found = st.session_state.get(self.key)
        return self.default if found is None else cast(V, found)

    def set(self, value: V) -> None:
        """Change it: before its control is drawn, or in a callback."""
        st.session_state[self.key] = value

    def adopt(self) -> V:
        """Take it over from the URL, when the URL is what changed. Once in a run, before its control."""
        state.adopt(self.param, self.key, self.decode)
        if st.session_state.get(self.key) is None:
            self.set(self.default)
        return self.value

    def publish(self, value: V) -> None:
        """Write it to the URL."""
        state.publish(self.param, None if value == self.default else self.encode(value))


def one_of(options: Container[str]) -> Callable[[str], str | None]:
    """Reads the code of an option."""
    return lambda text: text if text in options else None


def some_of(options: Container[str]) -> Callable[[str], list[str]]:
    """Reads `<code>.<code>`, without the codes that are no options."""
    return lambda text: [code for code in text.split(".") if code in options]


def whole_number(text: str, n_digits: int = 4) -> int | None:
    """Reads a number in ASCII digits."""
    return int(text) if re.fullmatch(f"[0-9]{{1,{n_digits}}}", text) else None


def short_text(limit: int) -> Callable[[str], str | None]:
    """Reads what `state.pack_text` wrote, up to a number of characters."""
    return lambda packed: (state.unpack_text(packed) or "")[:limit] or None

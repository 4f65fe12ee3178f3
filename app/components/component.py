"""The table of the components that draw, and what all of them do alike.

A component has a script and, mostly, a style sheet of its name (`sources.py`).
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import streamlit as st

from app.components.data import Span
from app.components.sources import LABELS, loader
from app.session.state import PROJECTOR
from app.texts.i18n import language
from engine.pictures.showable import showable

HTML = '<div class="root"></div>'
T = TypeVar("T")

_MOUNTS = {name: st.components.v2.component(name, html=HTML, js=loader(name)) for name in LABELS}


class BrowserEvent(NamedTuple, Generic[T]):
    """What a visitor does: `check` returns the value that the browser sent, or None to ignore it; `take` gets it."""

    check: Callable[[Any], T | None]
    take: Callable[[T], None] | None


def draw(
    name: str, key: str, data: Mapping[str, Any], labels: Mapping[str, str] | None = None, **events: BrowserEvent[Any]
) -> None:
    """Mount a component.

    What a visitor does may come with a number: the last one goes back with the data, so that the browser knows which
    of it these data follow.

    Parameters
    ----------
    name : one of LABELS.
    key : of the element in the page.
    data : is sent as `sendable` has it.
    labels : texts in place of those of the catalogue, by their names.
    events : by their names; what they take is called before the script runs again.
    """
    heard = f"{key}.heard"

    def listen(event: str, check: Callable[[Any], T | None], take: Callable[[T], None] | None) -> Callable[[], None]:
        def changed() -> None:
            value = st.session_state[key][event]
            if isinstance(value, Mapping) and isinstance(number := value.get("number"), int):
                st.session_state[heard] = max(number, st.session_state.get(heard, 0))
                value = value.get("value")
            if take is not None and (checked := check(value)) is not None:
                take(checked)

        return changed

    changes: Any = {f"on_{event}_change": listen(event, *how) for event, how in events.items()}
    sent = {
        **sendable(data),
        **({"labels": dict(labels)} if labels else {}),
        "ui_lang": language(),
        # Some draw themselves anew only for other data; letters and lengths are those of the style sheet.
        **({"is_projected": True} if st.session_state.get(PROJECTOR) else {}),
        "heard": st.session_state.get(heard, 0),
    }
    _MOUNTS[name](key=key, data=as_bytes(sent), **changes)


def as_bytes(data: Mapping[str, Any]) -> bytes:
    """Data as `prepare` reads them: Streamlit's own JSON takes six bytes for a syllable, where UTF-8 takes three.

    Half a pair of surrogates, which UTF-8 lacks, is escaped.
    """
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(errors="backslashreplace")


class RawText(str):
    """A text that goes to the browser as it is: it has several lines, or the browser sends it back."""


def sendable(value: Any) -> Any:
    """Data as JSON has them: every text is `showable`, NumPy's numbers are Python's.

    Floats have 9 significant digits, those of an array all of theirs; infinities and NaN, which JSON lacks, are None.
    """
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return str(value) if isinstance(value, RawText) else showable(value)
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: sendable(part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        numbers = value.astype(object)
        numbers[~np.isfinite(value)] = None
        return numbers.tolist()
    if isinstance(value, Sequence):
        return [part if type(part) is int else sendable(part) for part in value]
    return sendable(value.item()) if isinstance(value, np.generic) else value


def columns(rows: Sequence[Mapping[str, object]], *names: str) -> dict[str, list[Any]]:
    """What the rows have by these names, each in a list of its own."""
    return {name: [row[name] for row in rows] for name in names}


def require(condition: bool, message: str) -> None:
    """ValueError with the message unless the condition is true."""
    if not condition:
        raise ValueError(message)


def check_spans(spans: Sequence[Span], n_chars: int, what: str, of: str = "") -> None:
    """ValueError where one is not within the text."""
    for index, span in enumerate(spans):
        if not 0 <= span["b"] < span["e"] <= n_chars:
            where = f"{what} {index}{of} covers characters {span['b']} to {span['e']} of {n_chars}"
            raise ValueError(f"{where}; give a span inside")


def index_or_none(value: Any, size: int) -> int | None:
    """The value sent by the browser, if it is an index below `size`."""
    return value if type(value) is int and 0 <= value < size else None

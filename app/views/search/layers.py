"""The layers of a text that queries and collocates need: made in the background, stored by the session.

The server may drop them for lack of memory; they are then made anew.
"""

import weakref
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import CancelledError, Future, wait
from dataclasses import dataclass
from functools import partial

import streamlit as st

from app.server.background import begin
from app.server.memory import Entry, memory
from app.session.models import ActiveTokenizer
from app.session.page_run import rerun_when
from app.texts.i18n import t
from engine.measure.encoded import encode_lines
from engine.measure.layers import TOKENS, Layer, Progress, encoded_layer
from engine.query.build import plain_layer
from engine.query.text import SearchedText
from engine.tokenizer import Tokenizer

# A page waits this long before it says that it waits.
_PATIENCE = 2.0
_MOST_LAYERS = 4
_BYTES_PER_VALUE = 90  # a Python string and its place in a list


class NotReadyError(Exception):
    """A layer is still being made; the page says so and runs again when it is there."""


@dataclass
class _Making:
    """A layer that is made, and how many of its lines are done."""

    future: "Future[Layer]"
    n_done: int = 0


class _Stored(dict[Hashable, _Making]):
    """The layers of one session, and the text that has the last ones."""

    text: tuple[tuple[Hashable, ...], SearchedText] | None = None

    def drop(self, key: Hashable) -> None:
        self.pop(key, None)
        self.text = None


def searched(
    digest: Hashable, lines: Sequence[str], active: ActiveTokenizer, layers: Sequence[str], analyser: str | None
) -> SearchedText:
    """The text with these layers.

    Parameters
    ----------
    digest : identifies the lines, which are in the tokenizer's normal form.

    Raises
    ------
    NotReadyError : they are being made.
    InputError : no analyser is installed.
    """
    stored: _Stored = st.session_state.setdefault("query.layers", _Stored())
    keys = tuple((name, digest, active.sha256 if name == TOKENS else analyser) for name in layers)
    for key in [one for one in stored if one not in keys][: max(0, len(stored) + len(keys) - _MOST_LAYERS)]:
        stored.drop(key)
    for key, name in zip(keys, layers, strict=True):
        if key not in stored:
            _start(stored, key, partial(_layer, active.model, lines, name, analyser))
    making = [stored[key] for key in keys]
    if wait([one.future for one in making], _PATIENCE).not_done:
        rerun_when(lambda: all(one.future.done() for one in making), partial(_show_progress, making, len(lines)))
        raise NotReadyError
    return _text(stored, keys, lines)


def _layer(tokenizer: Tokenizer, lines: Sequence[str], name: str, analyser: str | None, progress: Progress) -> Layer:
    if name == TOKENS:
        return encoded_layer(encode_lines(tokenizer, lines))
    return plain_layer(lines, name, analyser, progress=progress)


def _start(stored: _Stored, key: Hashable, make: Callable[[Progress], Layer]) -> None:
    """Make a layer; given up when the session has ended or has dropped it."""
    owner = weakref.ref(stored)

    def progress(n_done: int) -> None:
        alive = owner()
        if alive is None or key not in alive:
            raise CancelledError
        alive[key].n_done = n_done

    ready: Future[bool] = Future()

    def run() -> Layer:
        ready.result()
        return make(progress)

    stored[key] = _Making(begin(run))
    ready.set_result(True)


def _text(stored: _Stored, keys: tuple[Hashable, ...], lines: Sequence[str]) -> SearchedText:
    if stored.text is None or stored.text[0] != keys:
        try:
            made = [stored[key].future.result() for key in keys]
        except BaseException:
            for key in keys:
                stored.drop(key)
            raise
        stored.text = keys, SearchedText(lines, made)
    owner = weakref.ref(stored)

    def drop(key: Hashable) -> None:
        if (alive := owner()) is not None:
            alive.drop(key)

    memory().use(
        {
            (id(stored), key): Entry(
                _size(stored[key].future.result()),
                partial(drop, key),
                can_return=True,
                lives=lambda: owner() is not None,
            )
            for key in keys
        }
    )
    return stored.text[1]


def _size(layer: Layer) -> int:
    n_values = sum(len(texts) for texts in layer.values.values())
    return layer.begin.nbytes + layer.end.nbytes + layer.kind.nbytes + n_values * _BYTES_PER_VALUE


def _show_progress(making: Sequence[_Making], n_lines: int) -> None:
    slowest = max(making, key=lambda one: not one.future.done())
    st.progress(min(1.0, slowest.n_done / max(1, n_lines)), t("collocates.preparing"))

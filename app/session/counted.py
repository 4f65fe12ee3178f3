"""The units of the files of a text, counted in the background: for all sessions, or in the session of its owner."""

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from functools import cache, partial
from typing import NamedTuple

import streamlit as st
from cachetools import FIFOCache

from app.server.background import begin, in_background
from app.server.memory import Entry, memory
from app.server.work.kernels import KernelsNotReadyError
from app.texts.corpora import Text
from engine.errors import InputError
from engine.measure.corpus_units import LineUnits

_STORE = "session.counted"
_MAX_FILES = 400  # results of a session
_TYPE_BYTES = 100  # of a distinct word, with its place in a tuple


class Counted(NamedTuple):
    """How far the files of a text are.

    Attributes
    ----------
    units : of each file, in order; None while some are missing.
    n_done, n_files : parts of the work that are done, and all of them.
    """

    units: list[LineUnits] | None
    n_done: int
    n_files: int


def counted(text: Text, unit: Hashable, count: Callable[[list[str]], LineUnits]) -> Counted:
    """The units of every file of a text, or how far the counting is; it goes on in the background.

    Parameters
    ----------
    unit : what is counted, with everything that decides the result.
    count : counts the lines of one file.

    Raises
    ------
    engine.errors.InputError : a file cannot be counted.
    app.server.work.kernels.KernelsNotReadyError : the kernels are being compiled.
    """
    if text.is_builtin:
        # Small, and the same for everyone: one piece of work.
        whole = in_background(("units", text.digest, unit), partial(_count_all, text, count))
        return Counted(whole.result(), 1, 1) if whole.done() else Counted(None, 0, 1)
    store: FIFOCache[Hashable, Future[LineUnits]] = st.session_state.setdefault(_STORE, FIFOCache(_MAX_FILES))
    files, lines = text.files(), cache(text.lines)
    futures = []
    for i, name in enumerate(files.names):
        key = (text.digest, name, files.line_ptr[i], unit)
        if key not in store or _lacked_kernels(store[key]):
            store[key] = begin(partial(count, files.lines_of((i,), lines())))
        futures.append(store[key])
    n_done = sum(future.done() for future in futures)
    if n_done < len(futures):
        return Counted(None, n_done, len(futures))
    _note_memory(store)
    for future in futures:
        if isinstance(error := future.exception(), InputError):
            raise error.again()
    return Counted([future.result() for future in futures], n_done, n_done)


def _count_all(text: Text, count: Callable[[list[str]], LineUnits]) -> list[LineUnits]:
    files, lines = text.files(), text.lines()
    return [count(files.lines_of((i,), lines)) for i in range(len(files))]


def _lacked_kernels(future: "Future[LineUnits]") -> bool:
    return future.done() and isinstance(future.exception(), KernelsNotReadyError)


def _note_memory(store: "FIFOCache[Hashable, Future[LineUnits]]") -> None:
    """Count the results in the server's memory; a dropped one is counted again when it is needed."""
    done = {key: future.result() for key, future in store.items() if future.done() and future.exception() is None}
    memory().use(
        {
            (id(store), key): Entry(_size(own), partial(store.pop, key, None), can_return=True)
            for key, own in done.items()
        }
    )


def _size(own: LineUnits) -> int:
    return own.ids.nbytes + own.unit_ptr.nbytes + _TYPE_BYTES * len(own.types or ())

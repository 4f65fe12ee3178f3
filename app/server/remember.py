"""Results by key, each computed once: for one session or for all, bounded in number and by the server's memory.

Or before the first visitor came, by `python -m app.prepare`, which leaves them in the cache folder.
"""

import json
import sys
import threading
import weakref
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
import streamlit as st
from cachetools import LRUCache

from app.server.memory import Entry, memory
from app.server.work.kernels import KernelsNotReadyError
from engine._jit import engine_hash
from engine.corpus.morphemes.analysers import ANALYSERS
from engine.machine.folders import safe_cache_folder

_Result = TypeVar("_Result")
_MISSING = object()
_PREFIX = "session.kept."


def size_of(value: object) -> int:
    if isinstance(value, pd.DataFrame):
        return int(value.memory_usage(deep=True).sum())
    if isinstance(value, np.ndarray):
        return value.nbytes
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return sys.getsizeof(value) + sum(map(size_of, parts))


class _Place:
    """Where the result of a key is; whoever comes first makes it, and the others wait.

    Attributes
    ----------
    size : bytes of the result; None while they are unknown, as those of a running `Future` are.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.empty()

    def empty(self) -> None:
        # Without the lock, which another thread may have while it waits for room in memory.
        self.result: object = _MISSING
        self.size: int | None = None

    def measure(self, size: Callable[..., int]) -> None:
        result = self.result
        if isinstance(result, Future):
            result = result.result() if result.done() and result.exception() is None else _MISSING
        if self.size is None and result is not _MISSING:
            self.size = size(result)


_places: dict[str, LRUCache[Hashable, _Place]] = {}
_lock = threading.Lock()


def remember(
    name: str,
    key: Hashable,
    make: Callable[[], _Result],
    limit: int = 8,
    *,
    is_shared: bool = False,
    waiting: str = "",
    size: Callable[..., int] = size_of,
) -> _Result:
    """The result of `make`, cached by key, which callers must not modify; a `Future` that lacked kernels is made again.

    Parameters
    ----------
    limit : maximum number of results of this name, the most recently used; fewer if the server's memory is used up.
    is_shared : for all sessions, unlike a result that contains a visitor's text.
    waiting : text of the spinner while it is computed, here or for another session; empty for no spinner.
    size : bytes of a result, or of what a `Future` results in.
    """
    stores = _places if is_shared else st.session_state
    with _lock:
        place: _Place = stores.setdefault(f"{_PREFIX}{name}", LRUCache(limit)).setdefault(key, _Place())
    with st.spinner(waiting) if waiting and place.result is _MISSING else nullcontext(), place.lock:
        result: _Result = place.result  # type: ignore[assignment]
        if result is _MISSING or lacked_kernels(result):
            result = make()
            place.result, place.size = result, None
        place.measure(size)
    if place.size is not None:
        empty = weakref.WeakMethod(place.empty)
        drop, lives = lambda: (alive := empty()) and alive(), lambda: empty() is not None
        memory().use({id(place): Entry(place.size, drop, can_return=True, lives=lives)})
    return result


def forget(name: str) -> None:
    _places.pop(f"{_PREFIX}{name}", None)


def lacked_kernels(result: object) -> bool:
    return isinstance(result, Future) and result.done() and isinstance(result.exception(), KernelsNotReadyError)


def loading_name(analyser: str) -> str:
    return f"analyser.{analyser}"


def note_use(analyser: str) -> None:
    """Enter one of ANALYSERS that has just been used; where others need the room, it is unloaded."""
    program = ANALYSERS[analyser]
    if program.is_loaded():
        drop = partial(_unload, analyser)
        memory().use({loading_name(analyser): Entry(program.size, drop, can_return=True, lives=program.is_loaded)})


def _unload(analyser: str) -> None:
    """Free its memory; the next page that asks for it waits for it again."""
    ANALYSERS[analyser].unload()
    forget(loading_name(analyser))


def prepared_file(key: str) -> Path:
    """Path of a model prepared by exactly this version of the engine; it may not exist."""
    return _folder() / f"{key}.tok"


def prepared_sizes(key: str) -> tuple[int, int] | None:
    """The feasible vocabulary sizes found by exactly this version of the engine, if any."""
    with suppress(OSError, ValueError, TypeError, OverflowError, RecursionError):
        low, high = map(int, json.loads(_sizes_file(key).read_text()))
        if 0 < low <= high:
            return low, high
    return None


def keep_sizes(key: str, sizes: tuple[int, int]) -> None:
    _sizes_file(key).write_text(json.dumps(sizes))


def _folder() -> Path:
    return safe_cache_folder(f"models-{engine_hash()}")


def _sizes_file(key: str) -> Path:
    return _folder() / f"{key}.json"

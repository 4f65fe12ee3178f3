"""What takes seconds and no process of its own: done by one thread for all sessions, while their pages go on."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from cachetools import FIFOCache

from engine.corpus.pretokens.own_pattern import pattern_allowance

_Result = TypeVar("_Result")

# Of some 0.1 to 1 MB each.
_MAX_KEPT = 64
_PATTERN_SECONDS = 30.0

_thread = ThreadPoolExecutor(1, thread_name_prefix="background")
_kept: FIFOCache[Hashable, "Future[Any]"] = FIFOCache(_MAX_KEPT)
_lock = threading.Lock()


def in_background(key: Hashable, make: Callable[[], _Result]) -> "Future[_Result]":
    """The result of `make`, which is begun where nobody has asked for this key yet.

    All sessions share it: no result may hold a visitor's text, and nobody may change one.
    """
    with _lock:
        if key not in _kept:
            _kept[key] = _thread.submit(partial(_run, make))
        return _kept[key]


def begun() -> "list[Future[object]]":
    """What is being done or has been, the oldest first."""
    with _lock:
        return list(_kept.values())


def _run(make: Callable[[], _Result]) -> _Result:
    with pattern_allowance(_PATTERN_SECONDS):
        return make()

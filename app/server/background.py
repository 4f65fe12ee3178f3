"""Work that takes seconds but needs no process: one thread does it for all sessions while their pages go on."""

import threading
import weakref
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from cachetools import FIFOCache

from app.server.work.kernels import KernelsNotReadyError
from engine.corpus.pretokens.own_pattern import pattern_allowance

_Result = TypeVar("_Result")

# Results of about 0.1 to 1 MB each.
_MAX_KEPT = 64
_PATTERN_SECONDS = 30.0

_thread = ThreadPoolExecutor(1, thread_name_prefix="background")
# Results of one session alone may take minutes: the shared ones do not wait for them.
_own_thread = ThreadPoolExecutor(1, thread_name_prefix="own")
_results: FIFOCache[Hashable, "Future[Any]"] = FIFOCache(_MAX_KEPT)
_others: "weakref.WeakSet[Future[Any]]" = weakref.WeakSet()
_lock = threading.Lock()


def in_background(key: Hashable, make: Callable[[], _Result]) -> "Future[_Result]":
    """The result of `make`, started unless this key was already requested and the kernels for it were ready.

    All sessions share it: no result may contain a visitor's text, and callers must not modify it.
    """
    with _lock:
        if key not in _results or _lacked_kernels(_results[key]):
            _results[key] = _thread.submit(partial(_run, make))
        return _results[key]


def begin(make: Callable[[], _Result]) -> "Future[_Result]":
    """`make`, started or waiting; only the caller keeps the result, which may contain a visitor's text."""
    future = _own_thread.submit(partial(_run, make))
    _others.add(future)
    return future


def _lacked_kernels(future: "Future[object]") -> bool:
    return future.done() and isinstance(future.exception(), KernelsNotReadyError)


def forget(key: Hashable) -> None:
    with _lock:
        _results.pop(key, None)


def begun() -> "list[Future[object]]":
    """Everything started so far, finished or not, oldest first."""
    with _lock:
        return [*_results.values(), *_others]


def _run(make: Callable[[], _Result]) -> _Result:
    with pattern_allowance(_PATTERN_SECONDS):
        return make()

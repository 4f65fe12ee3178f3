"""Work that takes seconds but needs no process: one thread does it for all sessions while their pages go on."""

import weakref
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from app.server.remember import remember
from engine.corpus.pretokens.own_pattern import pattern_allowance

_Result = TypeVar("_Result")

# Results of about 0.1 to 1 MB each.
_MAX_RESULTS = 64
_PATTERN_SECONDS = 30.0

_thread = ThreadPoolExecutor(1, thread_name_prefix="background")
# Results of one session alone may take minutes: the shared ones do not wait for them.
_own_thread = ThreadPoolExecutor(1, thread_name_prefix="own")
_begun: "weakref.WeakSet[Future[Any]]" = weakref.WeakSet()


def in_background(name: str, key: Hashable, make: Callable[[], _Result]) -> "Future[_Result]":
    """The result of `make`, started unless this key was already requested and the kernels for it were ready.

    All sessions share it: no result may contain a visitor's text, and callers must not modify it.
    """
    return remember(name, key, lambda: _begin(_thread, make), _MAX_RESULTS, is_shared=True)


def begin(make: Callable[[], _Result]) -> "Future[_Result]":
    """`make`, started or waiting; only the caller keeps the result, which may contain a visitor's text."""
    return _begin(_own_thread, make)


def _begin(thread: ThreadPoolExecutor, make: Callable[[], _Result]) -> "Future[_Result]":
    future = thread.submit(_run, make)
    _begun.add(future)
    return future


def begun() -> "list[Future[object]]":
    """What was started so far, finished or not, and is still of use."""
    return list(_begun)


def _run(make: Callable[[], _Result]) -> _Result:
    with pattern_allowance(_PATTERN_SECONDS):
        return make()

"""Results shared by all sessions, computed once and bounded by the server's memory."""

import sys
from collections.abc import Callable
from functools import partial, wraps
from inspect import signature
from typing import Generic, ParamSpec, TypeVar

import pandas as pd
import streamlit as st

from app.server.memory import Entry, memory

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


def size_of(value: object) -> int:
    if isinstance(value, pd.DataFrame):
        return int(value.memory_usage(deep=True).sum())
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return sys.getsizeof(value) + sum(map(size_of, parts))


class Shared(Generic[_P, _Result]):
    """A function with cached results, see `shared`."""

    def __init__(self, function: Callable[_P, _Result], max_entries: int, size: Callable[[_Result], int]) -> None:
        @wraps(function)
        def sized(*args: _P.args, **options: _P.kwargs) -> tuple[_Result, int]:
            result = function(*args, **options)
            return result, size(result)

        self._name = f"{function.__module__}.{function.__qualname__}"
        self._is_key = [not name.startswith("_") for name in signature(function).parameters]
        self._cached = st.cache_resource(max_entries=max_entries, show_spinner=False)(sized)

    def __call__(self, *args: _P.args, **options: _P.kwargs) -> _Result:
        """The result, computed or cached."""
        result, size = self._cached(*args, **options)
        # Arguments outside the key may be e.g. a model, which the budget must not keep alive.
        keys = tuple(arg if is_key else None for arg, is_key in zip(args, self._is_key, strict=True))
        drop = partial(self._cached.clear, *keys)
        memory().use({(self._name, *keys): Entry(size, drop, can_return=True)})
        return result

    def clear(self) -> None:
        self._cached.clear()


def shared(
    max_entries: int, size: Callable[..., int] = size_of
) -> Callable[[Callable[_P, _Result]], Shared[_P, _Result]]:
    """Cache the results of a function for all sessions; callers must not modify a result.

    As with Streamlit's own caches, arguments whose name begins with an underscore are not part of the key. All
    arguments are positional.

    Parameters
    ----------
    max_entries : maximum number of results, newest kept; fewer if the server's memory is used up.
    size : bytes of a result.
    """

    def decorate(function: Callable[_P, _Result]) -> Shared[_P, _Result]:
        return Shared(function, max_entries, size)

    return decorate

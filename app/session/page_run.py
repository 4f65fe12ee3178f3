"""What each run of a page or fragment needs: a turn, time for patterns, quarantine marks for models from outside.

A fragment that runs again bypasses the frame of the page, so `fragment` replaces `st.fragment` here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, overload

import streamlit as st

from app.server.quarantine import quarantine
from app.server.turns import TURNS
from app.session.preparing import said_while_preparing
from app.texts.error_texts import error_text
from app.texts.i18n import language
from app.texts.plain import plain
from engine.corpus.pretokens.own_pattern import pattern_allowance
from engine.errors import InputError
from engine.interop.imported.step_budget import OVERDONE

_P = ParamSpec("_P")

# For visitors' own patterns.
_PATTERN_SECONDS = 5.0
# Prefixes of error codes that any page may meet.
_ON_ANY_PAGE = ("pattern.", *OVERDONE)

_is_running: ContextVar[bool] = ContextVar("is_running", default=False)


@contextmanager
def page_run(*, waits: bool = True) -> Iterator[None]:
    """Wait for a turn, and run; a fragment inside a page belongs to the page's run."""
    if _is_running.get():
        yield
        return
    token = _is_running.set(True)
    try:
        with TURNS.turn() if waits else nullcontext(), quarantine().page_run(), pattern_allowance(_PATTERN_SECONDS):
            yield
    finally:
        _is_running.reset(token)


@contextmanager
def said_of_input() -> Iterator[None]:
    """Show an error of a pattern, an imported tokenizer, or a text for a jamo model, unless it is handled inside."""
    try:
        yield
    except InputError as error:
        if not error.code.startswith(_ON_ANY_PAGE):
            raise
        st.error(plain(error_text(error, language())), icon=":material/error:")


@overload
def fragment(function: Callable[_P, None]) -> Callable[_P, None]: ...


@overload
def fragment(
    function: None = None, *, key: str | None = None, run_every: float | None = None, waits: bool = True
) -> Callable[[Callable[_P, None]], Callable[_P, None]]: ...


def fragment(
    function: Callable[_P, None] | None = None,
    *,
    key: str | None = None,
    run_every: float | None = None,
    waits: bool = True,
) -> Callable[_P, None] | Callable[[Callable[_P, None]], Callable[_P, None]]:
    """`st.fragment` whose every run is a `page_run`; one that follows the keys does not wait for its turn."""

    def decorate(function: Callable[_P, None]) -> Callable[_P, None]:
        @wraps(function)
        def run(*args: _P.args, **options: _P.kwargs) -> None:
            with page_run(waits=waits), said_while_preparing(), said_of_input():
                function(*args, **options)

        return st.fragment(run, key=key, run_every=run_every)

    return decorate if function is None else decorate(function)

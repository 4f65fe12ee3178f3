"""What each run of a page or fragment needs: a turn, time for patterns, quarantine marks for models from outside.

It shows a notice instead of what needs kernels which are still being compiled.

A fragment that runs again bypasses the frame of the page, so `fragment` replaces `st.fragment` here.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, overload

import streamlit as st

from app.server.quarantine import quarantine
from app.server.work.kernels import KernelsNotReadyError, kernels
from app.texts.catalogue import error_text
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.corpus.pretokens.own_pattern import pattern_allowance
from engine.errors import InputError
from engine.interop.imported.step_budget import OVERDONE

# Runs of the script take turns.
#
# Python runs one thread at a time, for up to 5 ms before it switches. If the runs of several visitors compete, all
# finish late, and the event loop, which needs a turn for every message it sends, suffers most. Run one after another,
# they finish sooner, and the loop competes with only one of them.

# Most runs take a fifth of this. Longer ones compute something for the first time, or wait.
_LEASE = 0.25


class Turns:
    """A queue of runs, first come, first served: the first runs, the others wait.

    After `lease` seconds (at most twice that) the next one starts even if the first has not ended, so that long work
    blocks nobody.
    """

    def __init__(self, lease: float) -> None:
        self._lease = lease
        self._lock = threading.Lock()
        self._line: deque[threading.Event] = deque()
        self._ends = 0.0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, and pass it on at the end."""
        mine = threading.Event()
        with self._lock:
            self._line.append(mine)
            if len(self._line) == 1:
                self._begin()
        while not mine.wait(self._lease):
            with self._lock:
                if time.monotonic() >= self._ends:
                    self._hand_on()
        try:
            yield
        finally:
            with self._lock:
                if self._line and self._line[0] is mine:
                    self._hand_on()

    def _hand_on(self) -> None:
        self._line.popleft()
        if self._line:
            self._begin()

    def _begin(self) -> None:
        self._ends = time.monotonic() + self._lease
        self._line[0].set()


TURNS = Turns(_LEASE)


_P = ParamSpec("_P")

_POLL_SECONDS = 0.5

# For visitors' own patterns.
_PATTERN_SECONDS = 5.0
# Prefixes of error codes that any page may meet.
_ON_ANY_PAGE = ("pattern.", *OVERDONE)

_is_running: ContextVar[bool] = ContextVar("is_running", default=False)
# Once a run: several fragments of a page may wait for the same kernel.
_is_notice_drawn: ContextVar[bool] = ContextVar("is_notice_drawn", default=False)


@contextmanager
def page_run(*, waits: bool = True) -> Iterator[None]:
    """Wait for a turn, and run; a fragment inside a page belongs to the page's run."""
    if _is_running.get():
        yield
        return
    token = _is_running.set(True)
    _is_notice_drawn.set(False)
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


@contextmanager
def said_while_preparing() -> Iterator[None]:
    """Replace the rest of the block by a notice if it needs a kernel that is not ready; it runs again by itself."""
    try:
        yield
    except KernelsNotReadyError:
        if not _is_notice_drawn.get():
            _is_notice_drawn.set(True)
            render_preparing()


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


@fragment(run_every=_POLL_SECONDS)
def rerun_when(is_ready: Callable[[], bool], meanwhile: Callable[[], object] = lambda: None) -> None:
    """Run the whole page again once it is ready; until then, show how far it is."""
    if is_ready():
        st.rerun()
    meanwhile()


def render_preparing(names: str = "") -> None:
    """How far the kernels are, or that they could not be compiled; `names` are of what is still missing on the page."""
    if kernels().failure:
        st.error(t("preparing.failed", reason=plain(kernels().failure)), icon=":material/error:")
    else:
        before = kernels().progress
        done = 0.0 if before is None else before[0] / before[1]
        # Perhaps this page has what it needs with every kernel more.
        rerun_when(
            lambda: before is None or kernels().progress != before, lambda: st.progress(done, preparing_text(names))
        )


def preparing_text(names: str = "") -> str:
    done, of = kernels().progress or (0, 1)
    what = "preparing.names" if names else "preparing.page"
    return t(what, done=done, of=of, names=names)

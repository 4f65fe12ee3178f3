"""What each run of a page or fragment needs: a turn, time for patterns, quarantine marks for models from outside.

It shows a notice instead of what needs kernels which are still being compiled.

A fragment that runs again bypasses the frame of the page, so `fragment` replaces `st.fragment` here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, overload

import streamlit as st

from app.server.http.metrics import PAGE_RUNS
from app.server.quarantine import quarantine
from app.server.work.kernels import KernelsNotReadyError, kernels
from app.server.work.turns import TURNS
from app.texts.catalogue import error_text
from app.texts.i18n import decided, language, t
from app.texts.plain import plain
from engine.corpus.pretokens.own_pattern import pattern_allowance
from engine.errors import InputError
from engine.interop.imported.step_budget import OVERDONE

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
        turn = TURNS.turn() if waits else nullcontext()
        with PAGE_RUNS.time(), turn, quarantine().page_run(), pattern_allowance(_PATTERN_SECONDS):
            yield
    finally:
        _is_running.reset(token)
        decided.set("")


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
                decided.set(language())
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

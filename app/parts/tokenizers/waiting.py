"""A result in progress: the page says so, and reruns when it is ready."""

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import TypeVar

import streamlit as st

from app.parts.problem import show_problem
from app.server.background import in_background
from app.session.page_run import fragment
from engine.errors import InputError

_Result = TypeVar("_Result")
_SECONDS = 0.7


def awaited(key: Hashable, make: Callable[[], _Result], waiting: str, failed: str) -> _Result | None:
    """The result of `make`, computed in the background; until it is ready, None and the text `waiting`.

    Parameters
    ----------
    key : identifies the result on this server, see `in_background`.
    failed : heading for an error that the user can fix.
    """
    future = in_background(key, make)
    if not future.done():
        _wait(future, waiting)
        return None
    try:
        return future.result()
    except InputError as error:
        show_problem(failed, error.again())
        return None


@fragment(run_every=_SECONDS)
def _wait(future: "Future[_Result]", waiting: str) -> None:
    if future.done():
        st.rerun()
    st.caption(waiting)

"""A result in progress: the page says so, and reruns when it is ready."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import TypeVar

import streamlit as st

from app.parts.problem import show_problem
from app.server.background import in_background
from app.session.page_run import rerun_when
from engine.errors import InputError

_Result = TypeVar("_Result")


def awaited(name: str, key: Hashable, make: Callable[[], _Result], waiting: str, failed: str) -> _Result | None:
    """The result of `make`, computed in the background; until it is ready, None and the text `waiting`.

    Parameters
    ----------
    name, key : identify the result on this server, see `in_background`.
    failed : heading for an error that the user can fix.
    """
    future = in_background(name, key, make)
    if not future.done():
        rerun_when(future.done, partial(st.caption, waiting))
        return None
    try:
        return future.result()
    except InputError as error:
        show_problem(failed, error.again())
        return None

"""Errors explained in the session's language, if the catalogue has a translation."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from app.server.limits import LimitError, limits, variable
from app.server.store.store import FullError, OwnerFullError
from app.server.work.jobs import JobView
from app.session.state import NOTICE
from app.texts.catalogue import error_text
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.errors import InputError

_P = ParamSpec("_P")


def reason(error: InputError) -> str:
    """The error as a sentence; user text in it is not escaped."""
    if isinstance(error, LimitError):
        return limit_text(error.name, error.value)
    if isinstance(error, OwnerFullError):
        return limit_text("library_mb_per_owner", limits().library_mb_per_owner)
    if isinstance(error, FullError):
        return limit_text("library_mb", limits().library_mb)
    return error_text(error, language())


def limit_text(name: str, value: int) -> str:
    return f"{t(f'limits.{name}', value=value)} {t('limits.change', variable=variable(name))}"


def job_reason(job: JobView) -> str:
    return "" if job.error is None else reason(job.error)


def attempt(action: Callable[[], object], done: str = "") -> None:
    """Run an action; its error, or `done` if given, is shown at the top of the next run. For callbacks."""
    try:
        action()
    except InputError as error:
        st.session_state[NOTICE] = plain(reason(error))
    else:
        if done:
            st.session_state[NOTICE] = plain(done)


def attempted(action: Callable[_P, object]) -> Callable[_P, None]:
    """A callback that runs as `attempt` does."""

    @wraps(action)
    def run(*args: _P.args, **options: _P.kwargs) -> None:
        attempt(lambda: action(*args, **options))

    return run


def show_problem(heading: str, error: InputError) -> None:
    """A heading, and the reason as plain text, since it may quote user input."""
    st.error(f"**{plain(heading)}**", icon=":material/error:")
    st.text(reason(error))

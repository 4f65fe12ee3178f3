"""What the browser keeps or does for every page, without a picture: a secret, answers, language, definitions."""

import json
import secrets
from collections.abc import Callable, Mapping

import streamlit as st

from app.components.component import as_bytes
from app.components.sources import loader
from app.session.page_run import fragment, rerun_when
from app.session.state import OWNER, PROJECTOR
from app.texts.i18n import language, t
from engine.errors import InputError

_REPLACE = "owner.replace"
_MIN, _MAX = 22, 64  # characters of a key
_MAX_PROGRESS = 20_000  # characters
_READ = "lessons.progress.read"

# Of each lesson, its answers and stage as they are in a link.
Progress = dict[str, dict[str, str]]

_browser = st.components.v2.component("browser", js=loader("browser"))
_focus = st.components.v2.component("focus", js=loader("focus"))
_progress = st.components.v2.component("progress", js=loader("progress"))


def focus_link(key: str, once: str) -> None:
    """Give the focus to the link in the container with this key, the first time that `once` is drawn."""
    _focus(key=f"focus.{key}", data=as_bytes({"key": key.replace(".", "-"), "once": once}))


def set_page_language() -> None:
    """Set the document's language, for screen readers and hyphenation, and texts that Streamlit has in English only."""
    _browser(key="browser", data=as_bytes({"ui_lang": language()}))


@fragment
def serve_browser() -> None:
    """Set the page's language, exchange the browser's secret and projector mode, and say what terms mean.

    The secret is read, or set: it identifies the owner of runs, survives a reload and is in no link. Its answer does
    not rerun the page; `awaited_key` polls for it. That the browser projects does, before a mode was chosen.

    Terms are links to the glossary in any text of a page; what they mean is shown with the pointer on them, by
    keyboard, or with a tap. The definitions come from `app.server.http.addresses` when the first is asked for.
    """
    known = st.session_state.setdefault(OWNER, "")
    is_projected = st.session_state.get(PROJECTOR)
    data = {
        "ui_lang": language(),
        "more": t("glossary.more"),
        "known": known,
        "replace": st.session_state.pop(_REPLACE, ""),
        "fresh": "" if known else secrets.token_urlsafe(24),
        "projector": is_projected,
    }
    answer = _browser(
        key="browser", data=as_bytes(data), on_secret_change=_take_secret, on_projector_change=lambda: None
    )
    if not known and is_key(answer.secret):
        st.session_state[OWNER] = answer.secret
    if is_projected is None and answer.projector is True:
        st.session_state[PROJECTOR] = True
        st.rerun()


def awaited_key() -> str:
    """The browser's secret; empty at first, then the page runs again once the browser has answered."""
    key = str(st.session_state.get(OWNER, ""))
    if not key:
        # The answer may arrive while the page is still running, before it starts to wait.
        rerun_when(lambda: bool(st.session_state.get(OWNER)))
    return key


def _take_secret() -> None:
    secret = st.session_state["browser"].secret
    if is_key(secret):
        st.session_state[OWNER] = secret


def use_key(key: str) -> None:
    """Adopt a key from another browser, from the next run on; InputError if it is not a key."""
    if not is_key(key):
        raise InputError("library.key")
    st.session_state[OWNER] = st.session_state[_REPLACE] = key


def is_key(value: object) -> bool:
    """Whether it has the format of a key."""
    return (
        isinstance(value, str)
        and _MIN <= len(value) <= _MAX
        and all(c.isascii() and (c.isalnum() or c in "-_") for c in value)
    )


def keep_progress(lesson: str, answers: Mapping[str, str], take: Callable[[Progress], None]) -> None:
    """Keep the answers of a student who works alone, and hand over what an earlier visit kept, once.

    Parameters
    ----------
    take : called before the next run with what the browser had.
    """

    def taken() -> None:
        st.session_state[_READ] = True
        take(read_progress(st.session_state["progress"].kept))

    data = {"answers": {lesson: dict(answers)} if answers else {}, "isRead": bool(st.session_state.get(_READ))}
    _progress(key="progress", data=as_bytes(data), on_kept_change=taken)


def read_progress(text: object) -> Progress:
    """What the browser sent; only texts by name, by lesson."""
    if not isinstance(text, str) or len(text) > _MAX_PROGRESS:
        return {}
    try:
        lessons = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(lessons, dict):
        return {}
    return {
        lesson: {name: value for name, value in answers.items() if isinstance(value, str)}
        for lesson, answers in lessons.items()
        if isinstance(answers, dict)
    }

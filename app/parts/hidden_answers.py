"""The switch of the Learn pages for guessing the next step before it is shown; and content shown on request."""

import streamlit as st

from app.texts.i18n import t


def hides_answers() -> bool:
    """The switch; `hide` in the URL, the same on every page."""
    return st.toggle(
        t("frame.hide_answers"),
        key="hide",
        bind="query-params",
        persist_state="session",
        help=t("frame.hide_answers_help"),
    )


def are_answers_asked_for() -> bool:
    """Whether a page may show its counts: if answers are hidden, only on request."""
    return not hides_answers() or on_request("counted", t("frame.show_counts"))


def on_request(key: str, label: str) -> bool:
    """Whether the visitor asks to see it; until then it is not rendered at all."""
    return st.toggle(label, key=key, bind="query-params", persist_state="session")

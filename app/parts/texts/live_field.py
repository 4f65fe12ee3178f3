"""The field of a text that the page follows while one types; the text is in the URL once one pauses."""

from collections.abc import Sequence

import streamlit as st

from app.components.component import BrowserEvent, RawText, draw
from app.session.url import UrlValue
from app.texts.catalogue import TEXT_LANGUAGE


def live_field(
    url: UrlValue[str],
    label: str,
    *,
    then: Sequence[str] = (),
    live: Sequence[str] = (),
    most: int | None = None,
    has_lines: bool = True,
    help: str | None = None,
) -> str:
    """Draw the field, in the fragment that draws what follows the text; returns the text.

    Parameters
    ----------
    url : of the text.
    label : accessible name of the field.
    then : keys of the fragments that run when the visitor pauses, one of which publishes `url`; this one if empty.
    live : keys of the fragments that follow the keys; this one if empty.
    most : characters that it takes.
    has_lines : whether Enter begins another line.
    help : what to write, after the label, which is visible only with it.
    """
    typing = f"{url.key}.typing"

    def note(text: str) -> None:
        url.set(text)
        st.session_state[typing] = True
        if live:
            st.rerun(live)

    def rest(_: bool) -> None:
        st.session_state[typing] = False
        if then:
            st.rerun(then)

    url.adopt()
    text = RawText(url.value)
    draw(
        "live_text",
        f"{url.key}.field",
        {"label": label, "help": help, "text": text, "most": most, "has_lines": has_lines, "lang": TEXT_LANGUAGE},
        typed=BrowserEvent(lambda value: value if isinstance(value, str) else None, note),
        rested=BrowserEvent(lambda _: True, rest),
    )
    if not then and not st.session_state.get(typing):
        url.publish(url.value)
    return url.value

"""Whether what decides on a training was chosen here, or came with the link: a link alone takes nobody's time.

A parameter that the session began with is the link's until the visitor changes it, or agrees to what it asks for.
"""

import streamlit as st

# Parameters of the link, and what they say once a page has read them; None until then.
_LINK = "session.link"


def begin_with_link() -> None:
    """Take note of the link, in the first run of the session."""
    st.session_state.setdefault(_LINK, dict.fromkeys(st.query_params))


def note_choice(param: str, value: str | None) -> None:
    """What a parameter says now; None for the page's own default. In every run of a page that has it."""
    link: dict[str, str | None] = st.session_state.get(_LINK, {})
    if param in link:
        if value is None or link[param] not in (None, value):
            del link[param]
        else:
            link[param] = value


def is_own(*params: str) -> bool:
    """Whether none of them is as the link says."""
    link: dict[str, str | None] = st.session_state.get(_LINK, {})
    return not any(param in link for param in params)


def agree_to_link() -> None:
    """The visitor was asked, and wants what the link says; for callbacks."""
    st.session_state[_LINK] = {}

"""Whether the parameters of a training were chosen here or came with the link: a link alone must not start one.

A parameter that the session started with belongs to the link until the visitor changes it or agrees to it.
"""

import streamlit as st

# Parameters of the link, and their values once a page has read them; None until then.
_LINK = "session.link"


def begin_with_link() -> None:
    st.session_state.setdefault(_LINK, dict.fromkeys(st.query_params))


def note_choice(param: str, value: str | None) -> None:
    """Record the current value of a parameter, None for the page's default; in every run of a page that has it."""
    link: dict[str, str | None] = st.session_state.get(_LINK, {})
    if param in link:
        if value is None or link[param] not in (None, value):
            del link[param]
        else:
            link[param] = value


def is_own(*params: str) -> bool:
    """Whether none of them still has the link's value."""
    link: dict[str, str | None] = st.session_state.get(_LINK, {})
    return not any(param in link for param in params)


def agree_to_link() -> None:
    """Accept the link's parameters after asking the visitor; for callbacks."""
    st.session_state[_LINK] = {}

"""Links to pages that carry data along, kept in the session until the link is followed."""

import streamlit as st

from app.parts.tokens.token_field import TOKEN
from app.texts.i18n import t

# The session key of the Lattice page's sentence.
LATTICE_TEXT = "lattice.text"
FROM = "from"  # in the URL of a link: identifies it among a page's links


def lattice_link(place: str, sentence: str, label: str) -> None:
    """A link to the lattice of a sentence; each of a page's links needs its own `place`."""
    st.session_state[f"{LATTICE_TEXT}.{place}"] = sentence
    st.page_link("views/lattice/page.py", label=label, icon=":material/account_tree:", query_params={FROM: place})


def take_linked_sentence() -> None:
    """On the Lattice page, before its field: adopt the sentence of the followed link, once."""
    place = st.query_params.get(FROM)
    if place is None:
        return
    del st.query_params[FROM]
    sentence = st.session_state.pop(f"{LATTICE_TEXT}.{place}", None)
    if sentence is not None:
        st.session_state[LATTICE_TEXT] = sentence


def token_link(token: str | None = None) -> None:
    """A link to the page of a token; by default, the session's current token."""
    if token is not None:
        TOKEN.set(token)
    st.page_link("views/token/page.py", label=t("token.open"), icon=":material/token:")

"""Links to pages that take something along, which waits in the session for whoever follows."""

import streamlit as st

from app.parts.tokens.token_field import TOKEN
from app.texts.i18n import t

# The Lattice page keeps its sentence here.
LATTICE_TEXT = "lattice.text"
_FROM = "from"  # in the URL of a link: which of a page's links it is


def lattice_link(place: str, sentence: str, label: str) -> None:
    """A link to the lattice of a sentence; a page may have several, each in a place of its own."""
    st.session_state[f"{LATTICE_TEXT}.{place}"] = sentence
    st.page_link("views/lattice/page.py", label=label, icon=":material/account_tree:", query_params={_FROM: place})


def take_linked_sentence() -> None:
    """On the Lattice page, before its field: the sentence of the link that was followed, once."""
    place = st.query_params.get(_FROM)
    if place is None:
        return
    del st.query_params[_FROM]
    sentence = st.session_state.pop(f"{LATTICE_TEXT}.{place}", None)
    if sentence is not None:
        st.session_state[LATTICE_TEXT] = sentence


def token_link(token: str | None = None) -> None:
    """A link to the page on a token; without one, on the token that the session has."""
    if token is not None:
        TOKEN.set(token)
    st.page_link("views/token/page.py", label=t("token.open"), icon=":material/token:")

"""Links to pages that take something along. A link carries no value, so it waits in the session for whoever follows."""

import streamlit as st

from app.parts.token_field import TOKEN
from app.texts.i18n import t

# The Lattice page keeps its sentence here.
LATTICE_TEXT = "lattice.text"


def lattice_link(sentence: str, label: str) -> None:
    """A link to the lattice of a sentence."""
    st.session_state[LATTICE_TEXT] = sentence
    st.page_link("views/lattice/page.py", label=label, icon=":material/account_tree:")


def token_link(token: str | None = None) -> None:
    """A link to the page on a token; without one, on the token that the session has."""
    if token is not None:
        TOKEN.set(token)
    st.page_link("views/token/page.py", label=t("token.open"), icon=":material/token:")

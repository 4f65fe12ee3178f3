"""Links to pages that carry data along, kept in the session until the link is followed."""

import streamlit as st

from app.parts.tokens.token_field import TOKEN
from app.texts.i18n import t

# The session keys of the Lattice page's sentence, and of the tokenizer that cuts it, if not the active model.
LATTICE_TEXT, LATTICE_UNDER = "lattice.text", "lattice.under"
FROM = "from"  # in the URL of a link: identifies it among a page's links


def lattice_link(place: str, sentence: str, label: str, under: str = "") -> None:
    """A link to the lattice of a sentence.

    Parameters
    ----------
    place : identifies the link on its page.
    under : reference to the tokenizer; by default the active model.
    """
    st.session_state[f"{LATTICE_TEXT}.{place}"] = sentence
    st.session_state[f"{LATTICE_UNDER}.{place}"] = under
    st.page_link("views/lattice/page.py", label=label, icon=":material/account_tree:", query_params={FROM: place})


def take_linked_sentence() -> None:
    """On the Lattice page, before its fields: adopt the sentence and the tokenizer of the followed link, once."""
    place = st.query_params.get(FROM)
    if place is None:
        return
    del st.query_params[FROM]
    for key in (LATTICE_TEXT, LATTICE_UNDER):
        value = st.session_state.pop(f"{key}.{place}", None)
        if value is not None:
            st.session_state[key] = value


def token_link(token: str | None = None) -> None:
    if token is not None:
        TOKEN.set(token)
    st.page_link("views/token/page.py", label=t("token.open"), icon=":material/token:")

"""The token that a page examines, in a text field and in the URL, and links to pages that carry data along."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.parts.tables.tokens import find_rows, is_id, removed_among, rows_containing
from app.session.models import ActiveTokenizer
from app.session.state import adopt_again, pack_text
from app.session.url import UrlValue
from app.texts.i18n import t
from app.texts.plain import plain
from engine.measure.layers import TOKENS, token_value
from engine.query.near import unit_query

TOKEN = UrlValue("find", "token", str, str, "")
LIFE = "token-life"
_MAX_SIMILAR = 24


def adopt_token() -> str:
    """The value of the field, possibly before it is drawn."""
    return TOKEN.adopt()


def choose_token(token: str) -> None:
    """Put a token into the field; for callbacks, which run before the field is drawn."""
    TOKEN.set(token)


def follow_token(token: str) -> None:
    """Put a token into the field of another fragment, the one with the key LIFE, and rerun that one."""
    choose_token(token)
    st.rerun(LIFE)


def typed_token() -> str:
    return TOKEN.value


def token_field(catalogue: pd.DataFrame, several: int = 1) -> list[int]:
    """The field; returns the rows of the tokens in it, at most `several` (separated by commas).

    If it matches none, tokens that contain the typed text are suggested.
    """
    adopt_token()
    typed = st.text_input(
        t("figure.token.label" if several == 1 else "figure.token.label_several", count=several),
        key=TOKEN.key,
        help=t("figure.token.help"),
        placeholder=t("figure.token.placeholder"),
        max_chars=120,
        icon=":material/search:",
        persist_state="session",
    )
    typed = typed or ""
    # With Streamlit's URL binding, a value set by a component's callback would be lost.
    TOKEN.publish(typed)
    # The whole text first: a token may contain a comma.
    whole = find_rows(catalogue, typed)
    if whole.size:
        return [int(whole[0])]
    parts = [part for part in (part.strip() for part in typed.split(",")) if part][:several]
    rows = list(dict.fromkeys(int(found[0]) for part in parts if (found := find_rows(catalogue, part)).size))
    if typed.strip() and not rows:
        _offer_similar(catalogue, typed.strip())
    return rows


def _offer_similar(catalogue: pd.DataFrame, typed: str) -> None:
    similar = catalogue["token"].iloc[rows_containing(catalogue, typed, _MAX_SIMILAR)].tolist()
    if not similar and is_id(typed):
        st.info(
            t("figure.token.no_id", token_id=typed[1:], last=int(catalogue["id"].max())), icon=":material/search_off:"
        )
        return
    if not similar:
        st.info(plain(t("figure.token.unknown", token=typed)), icon=":material/search_off:")
        return
    token_choice("similar", plain(t("figure.token.similar", token=typed)), similar, catalogue)


def token_choice(name: str, label: str, tokens: Sequence[str], catalogue: pd.DataFrame | None = None) -> None:
    """Tokens of which a click puts one into the field, and into the URL also where there is no field.

    With a `token_catalogue`, tokens outside the final vocabulary are marked.
    """
    TOKEN.publish(adopt_token())
    if not tokens:
        st.caption(label)
        return
    removed = frozenset() if catalogue is None else removed_among(catalogue, tokens)
    key = f"tokens.{name}"
    st.session_state[key] = TOKEN.value if TOKEN.value in tokens else None
    st.pills(
        label,
        tokens,
        key=key,
        format_func=lambda token: plain(token) + " †" * (token in removed),
        on_change=_take_token,
        args=(key,),
        wrap=True,
    )
    if removed:
        st.caption(t("figure.token.removed"))


def _take_token(key: str) -> None:
    choose_token(st.session_state[key] or "")


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


def follow_link(*params: str) -> bool:
    """Whether a link of another page led here; then the controls of these parameters look at the URL once more."""
    is_followed = FROM in st.query_params
    if is_followed:
        del st.query_params[FROM]
        adopt_again(*params)
    return is_followed


def occurrences_link(text: str, active: ActiveTokenizer, *, is_token: bool = True) -> None:
    """A link to the lines of its corpus where a token of the tokenizer is, with its cuts, or where a text is."""
    typed = unit_query(token_value(text), TOKENS).text if is_token else text.strip()
    options = {"unit": TOKENS, "cuts": "true", "cut": str(active.reference)} if is_token else {"match": "anywhere"}
    query = {FROM: "token", "view": "concordance", "files": active.text.id, "q": pack_text(typed) or "", **options}
    st.page_link("views/search/page.py", label=t("token.occurs"), icon=":material/notes:", query_params=query)


def token_link(token: str) -> None:
    query = {FROM: "token", "view": "token", TOKEN.param: token}
    st.page_link("views/token/page.py", label=t("token.open"), icon=":material/token:", query_params=query)

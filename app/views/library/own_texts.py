"""The texts that a visitor saved on the server for links: list, expiry, deletion."""

import streamlit as st

from app.parts.data_table import Columns
from app.server.library import library
from app.server.store.store import SavedText
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.library.own_runs import attempt
from app.views.library.run_table import id_choice, render_table, time_column
from app.views.library.tables import texts_table
from engine.pictures.showable import showable

_CHOSEN = "library.text"


def render_own_texts(owner: str) -> None:
    """The owner's texts, and a button that deletes one; draws nothing if there are none."""
    texts = library().texts.owned(owner)
    if not texts:
        return
    st.header(t("library.texts.heading"), anchor=False)
    st.caption(t("library.texts.note"))
    table = texts_table(texts)
    table["beginning"] = table["beginning"].map(showable)
    columns: Columns = {
        "beginning": t("library.column.beginning"),
        "kilobytes": st.column_config.NumberColumn(t("library.column.kilobytes"), format="%.1f"),
        "created": time_column(t("library.column.created"), "YYYY-MM-DD"),
        "expires": time_column(t("library.column.expires"), "YYYY-MM-DD"),
    }
    render_table(table, "library.texts", columns)
    text = _choice(texts)
    with st.popover(t("library.delete"), icon=":material/delete:"):
        st.markdown(t("library.texts.delete_note", beginning=plain(_name(text))))
        st.button(t("library.delete_sure"), key="library.delete_text", on_click=_delete, args=(text, owner))


def _choice(texts: list[SavedText]) -> SavedText:
    names = {text.id: f"{number}. {_name(text)}" for number, text in enumerate(texts, start=1)}
    chosen = id_choice(t("library.texts.choose"), names, _CHOSEN)
    return next(text for text in texts if text.id == chosen)


def _name(text: SavedText) -> str:
    return showable(text.beginning) + "…"


def _delete(text: SavedText, owner: str) -> None:
    attempt(lambda: library().texts.delete(text.id, owner), t("library.texts.deleted"))

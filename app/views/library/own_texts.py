"""The texts that a visitor keeps on the server for links: what is there, until when, and away with it."""

import streamlit as st

from app.components.shared.component import showable
from app.server.library import library
from app.server.store.store import SavedText
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.library.own_runs import attempt
from app.views.library.tables import texts_table

_CHOSEN = "library.text"


def render_own_texts(owner: str) -> None:
    """The owner's texts, and a button that deletes one; nothing where there are none."""
    texts = library().texts.owned(owner)
    if not texts:
        return
    st.header(t("library.texts.heading"), anchor=False)
    st.caption(t("library.texts.note"))
    table = texts_table(texts)
    table["beginning"] = table["beginning"].map(showable)
    column, zone = st.column_config, st.context.timezone or "UTC"
    st.dataframe(
        table,
        hide_index=True,
        height=min(38 + 35 * len(table), 320),
        key="library.texts",
        column_config={
            "beginning": column.TextColumn(t("library.column.beginning")),
            "kilobytes": column.NumberColumn(t("library.column.kilobytes"), format="%.1f"),
            "created": column.DatetimeColumn(t("library.column.created"), format="YYYY-MM-DD", timezone=zone),
            "expires": column.DatetimeColumn(t("library.column.expires"), format="YYYY-MM-DD", timezone=zone),
        },
    )
    text = _choice(texts)
    with st.popover(t("library.delete"), icon=":material/delete:"):
        st.markdown(t("library.texts.delete_note", beginning=plain(_name(text))))
        st.button(t("library.delete_sure"), key="library.delete_text", on_click=_delete, args=(text, owner))


def _choice(texts: list[SavedText]) -> SavedText:
    by_id = {text.id: text for text in texts}
    if st.session_state.get(_CHOSEN) not in by_id:
        st.session_state[_CHOSEN] = texts[0].id
    names = {text.id: f"{number}. {_name(text)}" for number, text in enumerate(texts, start=1)}
    chosen = st.selectbox(t("library.texts.choose"), list(by_id), format_func=names.__getitem__, key=_CHOSEN)
    return by_id[str(chosen)]


def _name(text: SavedText) -> str:
    return showable(text.beginning) + "…"


def _delete(text: SavedText, owner: str) -> None:
    attempt(lambda: library().texts.delete(text.id, owner), t("library.texts.deleted"))

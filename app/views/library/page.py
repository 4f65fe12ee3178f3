"""Library: save the active model with a name, open, share, rename and delete saved runs."""

from collections import Counter

import streamlit as st

from app.components.browser import awaited_key, use_key
from app.parts.data_table import draw_table, headings
from app.parts.layout import heading, layout
from app.parts.problem import reason, show_problem
from app.server.library import FOLDER_VARIABLE, library, opened
from app.server.store.store import SavedText
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.library.own_runs import attempt, render_own_runs, render_save
from app.views.library.run_table import TABLE_HEIGHT, id_choice, texts_table, time_column
from app.views.library.teacher_view import render_teacher_view
from engine.errors import InputError
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
    day = time_column("YYYY-MM-DD")
    columns = headings("library.column", beginning="", kilobytes="%.1f", created=day, expires=day)
    draw_table(table, columns, "library.texts", TABLE_HEIGHT)
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


_OTHER_KEY = "library.other_key"


def _stop_without_library() -> None:
    found = opened()
    if found.library is not None:
        return
    if found.error is None:
        st.info(t("library.off", variable=FOLDER_VARIABLE), icon=":material/bookmark_remove:")
    else:
        st.warning(t("library.broken", variable=FOLDER_VARIABLE), icon=":material/warning:")
        st.text(reason(found.error))
    st.stop()


def _render_key(owner: str) -> None:
    with st.expander(t("library.key.heading"), icon=":material/key:"):
        st.markdown(t("library.key.note"))
        st.code(owner, language=None)
        st.text_input(t("library.key.other"), key=_OTHER_KEY, max_chars=64, autocomplete="off")
        st.button(t("library.key.use"), key="library.use_key", on_click=_use_other_key)


def _use_other_key() -> None:
    attempt(lambda: use_key(st.session_state[_OTHER_KEY].strip()), t("library.key.used"))


heading("library")
view = layout(is_shared=False)
with view.picture:
    _stop_without_library()
    owner = awaited_key()
    if not owner:
        st.caption(t("library.key.waiting"))
        st.stop()
try:
    with view.picture:
        if library().set_aside:
            salvaged = Counter(library().salvaged)
            st.warning(
                t("library.set_aside", run=salvaged["run"], text=salvaged["text"], room=salvaged["room"]),
                icon=":material/build:",
            )
    try:
        with view.sections:
            render_save(owner)
    finally:  # the list as well where the page ends because the active model is still being trained
        render_own_runs(view, owner)
    with view.sections:
        render_own_texts(owner)
        _render_key(owner)
        render_teacher_view()
except InputError as error:
    with view.picture:
        show_problem(t("library.failed"), error)

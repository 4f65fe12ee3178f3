"""What the library keeps of a visitor: models, to open, share, rename and delete, and the long texts of links."""

from collections import Counter
from urllib.parse import urlsplit, urlunsplit

import pandas as pd
import streamlit as st

from app.components.browser import awaited_key, use_key
from app.parts.data_table import draw_table, headings
from app.parts.problem import attempt, reason, show_problem
from app.server.library import library, new_run, opened
from app.server.store.opening import LIBRARY_VARIABLE
from app.server.store.store import MAX_NAME, Run, SavedText
from app.session import state
from app.session.models import ActiveTokenizer, activate, model_file
from app.session.reference import RUN, ModelReference
from app.session.titles import text_title
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.train.run_table import TABLE_HEIGHT, as_times, forget_file, id_choice, render_run_choice, time_column
from app.views.train.teacher_view import render_teacher_view
from engine.errors import InputError
from engine.pictures.showable import showable

_NAME, _CHOSEN, _SAVED, _NEW_NAME = "library.name", "library.run", "library.saved", "library.new_name"
_KEEPS, _TEXT, _OTHER_KEY = "library.keeps_text", "library.text", "library.other_key"


def render_saved() -> str:
    """The visitor's models and texts; returns who owns them, empty if nothing can be saved here."""
    st.header(t("library.title"), anchor=False)
    found = opened()
    if found.library is None:
        if found.error is None:
            st.info(t("library.off", variable=LIBRARY_VARIABLE), icon=":material/bookmark_remove:")
        else:
            st.warning(t("library.broken", variable=LIBRARY_VARIABLE), icon=":material/warning:")
            st.text(reason(found.error))
        return ""
    owner = awaited_key()
    if not owner:
        st.caption(t("library.key.waiting"))
        return ""
    try:
        if library().set_aside:
            salvaged = Counter(library().salvaged)
            counts = {name: salvaged[name] for name in ("run", "text", "room")}
            st.warning(t("library.set_aside", **counts), icon=":material/build:")
        _render_runs(owner)
        _render_texts(owner)
        _render_key(owner)
        render_teacher_view()
    except InputError as error:
        show_problem(t("library.failed"), error)
        return ""
    return owner


def _render_runs(owner: str) -> None:
    """The models; below them open, share, rename and delete: a second click must not delete the next one."""
    runs = library().runs.owned(owner)
    if not runs:
        st.caption(t("library.own.none"))
        return
    if _SAVED in st.session_state:
        st.session_state[_CHOSEN] = st.session_state.pop(_SAVED)
    run = render_run_choice(runs, "library.own", _CHOSEN)
    with st.container(horizontal=True, gap="small", key="library.actions"):
        label = t("library.open")
        st.button(label, key="library.open", on_click=_open, args=(run,), icon=":material/folder_open:")
        with st.popover(t("library.share"), icon=":material/share:"):
            st.markdown(t("library.share_note"))
            st.code(_share_link(run.id), language=None, wrap_lines=True)
        with st.popover(t("library.rename"), icon=":material/edit:"):
            st.text_input(t("library.new_name"), key=_NEW_NAME, max_chars=MAX_NAME)
            st.button(t("library.rename"), key="library.rename", on_click=_rename, args=(run, owner))
        with st.popover(t("library.delete"), icon=":material/delete:", key=f"library.confirm.{run.id}"):
            st.markdown(t("library.delete_note", name=plain(run.name)))
            st.button(t("library.delete_sure"), key=f"library.delete.{run.id}", on_click=_delete, args=(run, owner))


def _share_link(run_id: str) -> str:
    here = urlsplit(st.context.url or "")
    folder = here.path.removesuffix("/").removesuffix("/train")
    return urlunsplit((here.scheme, here.netloc, f"{folder}/", f"{state.MODEL}={RUN}.{run_id}", ""))


def _open(run: Run) -> None:
    activate(ModelReference(f"{RUN}.{run.id}"))
    st.session_state[state.NOTICE] = plain(t("library.opened", name=run.name))


def _rename(run: Run, owner: str) -> None:
    name = st.session_state[_NEW_NAME]
    attempt(lambda: library().runs.rename(run.id, owner, name), t("library.renamed"))
    # Other pages must look up the title again.
    st.session_state.get(state.FILE_NAMES, {}).pop(f"{RUN}.{run.id}", None)


def _delete(run: Run, owner: str) -> None:
    attempt(lambda: library().runs.delete(run.id, owner), t("library.deleted", name=run.name))
    forget_file(run.id)


def render_save(active: ActiveTokenizer, owner: str) -> None:
    """A name for the active model, and the button that saves it."""
    with st.form("library.save", border=False):
        default = active.name[:MAX_NAME]
        st.text_input(t("library.save.name"), key=_NAME, max_chars=MAX_NAME, placeholder=default)
        is_own = active.source is not None and not active.source.is_builtin
        keeps_text = is_own and st.checkbox(t("library.save.text"), key=_KEEPS, help=t("library.save.text_help"))
        if not st.form_submit_button(t("library.save.button"), icon=":material/bookmark_add:"):
            st.caption(t("library.save.private"))
            return
    path = model_file(active.reference, active.source)
    if path is None:
        return
    name = st.session_state[_NAME].strip() or default
    corpus_id = active.source.id if active.source else active.reference.source_id
    corpus = text_title(corpus_id, active.source)
    run = new_run(name, corpus_id, corpus, active.model, path.read_bytes(), active.source, keeps_text)
    try:
        run_id = library().runs.save(run, owner)
    except InputError as error:
        st.error(plain(reason(error)), icon=":material/error:")
        return
    st.session_state[_SAVED] = run_id
    st.session_state[state.NOTICE] = plain(t("library.save.done", name=name))
    st.rerun()


def _render_texts(owner: str) -> None:
    """The texts, and a button that deletes one; draws nothing if there are none."""
    texts = {text.id: text for text in library().texts.owned(owner)}
    if not texts:
        return
    with st.expander(t("library.texts.heading"), icon=":material/link:"):
        st.caption(t("library.texts.note"))
        names = {id_: f"{number}. {_name(text)}" for number, (id_, text) in enumerate(texts.items(), start=1)}
        table = pd.DataFrame(
            {
                "beginning": [showable(text.beginning) for text in texts.values()],
                "kilobytes": [text.size / 1e3 for text in texts.values()],
                "created": as_times([text.created for text in texts.values()]),
                "expires": as_times([text.expires for text in texts.values()]),
            }
        )
        day = time_column("YYYY-MM-DD")
        columns = headings("library.column", beginning="", kilobytes="%,.1f", created=day, expires=day)
        draw_table(table, columns, "library.texts", TABLE_HEIGHT)
        text = texts[id_choice(t("library.texts.choose"), names, _TEXT)]
        with st.popover(t("library.delete"), icon=":material/delete:", key=f"library.confirm.{text.id}"):
            st.markdown(t("library.texts.delete_note", beginning=plain(_name(text))))
            st.button(
                t("library.delete_sure"),
                key=f"library.delete_text.{text.id}",
                on_click=_delete_text,
                args=(text, owner),
            )


def _name(text: SavedText) -> str:
    return showable(text.beginning) + "…"


def _delete_text(text: SavedText, owner: str) -> None:
    attempt(lambda: library().texts.delete(text.id, owner), t("library.texts.deleted"))


def _render_key(owner: str) -> None:
    with st.expander(t("library.key.heading"), icon=":material/key:"):
        st.markdown(t("library.key.note"))
        st.code(owner, language=None)
        st.text_input(t("library.key.other"), key=_OTHER_KEY, max_chars=64, autocomplete="off")
        st.button(t("library.key.use"), key="library.use_key", on_click=_use_other_key)


def _use_other_key() -> None:
    attempt(lambda: use_key(st.session_state[_OTHER_KEY].strip()), t("library.key.used"))

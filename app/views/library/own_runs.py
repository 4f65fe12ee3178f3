"""Saving the active model, and the owner's actions on saved runs."""

from collections.abc import Callable
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from app.parts.layout import Layout
from app.parts.problem import reason
from app.parts.tokenizers.active_model import active_tokenizer
from app.server.library import library, new_run
from app.server.store.store import MAX_NAME, Run
from app.server.work.jobs import registry
from app.session import state
from app.session.models import activate, model_file
from app.session.reference import RUN, ModelReference
from app.session.titles import text_title
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.library.run_table import render_run_table, run_choice
from engine.errors import InputError

_NAME, _CHOSEN, _NEW_NAME, _SURE = "library.name", "library.run", "library.new_name", "library.sure"
_KEEPS = "library.keeps_text"


def render_save(owner: str) -> None:
    """A name for the active model, and the button that saves it."""
    active = active_tokenizer()
    st.header(t("library.save.heading"), anchor=False)
    st.markdown(t("library.save.which", name=plain(active.name)))
    st.caption(t("library.save.private"))
    with st.form("library.save", border=False):
        st.text_input(t("library.save.name"), key=_NAME, max_chars=MAX_NAME, placeholder=active.name[:MAX_NAME])
        is_own = active.source is not None and not active.source.is_builtin
        keeps_text = is_own and st.checkbox(t("library.save.text"), key=_KEEPS, help=t("library.save.text_help"))
        if not st.form_submit_button(t("library.save.button"), type="primary", icon=":material/bookmark_add:"):
            return
    path = model_file(active.reference, active.source)
    if path is None:
        return
    name = st.session_state[_NAME].strip() or active.name[:MAX_NAME]
    corpus_id = active.source.id if active.source else active.reference.source_id
    corpus = text_title(corpus_id, active.source)
    try:
        run_id = library().runs.save(
            new_run(name, corpus_id, corpus, active.model, path.read_bytes(), active.source, keeps_text), owner
        )
    except InputError as error:
        st.error(plain(reason(error)), icon=":material/error:")
        return
    st.session_state[_CHOSEN] = run_id
    st.success(plain(t("library.save.done", name=name)), icon=":material/check_circle:")


def render_own_runs(view: Layout, owner: str) -> None:
    """The owner's runs; below them open, share, rename and delete."""
    runs = library().runs.owned(owner)
    with view.picture:
        if not runs:
            st.info(t("library.own.none"), icon=":material/bookmarks:")
            return
        render_run_table(runs, "library.own")
    with view.scrubber:
        run = run_choice(runs, _CHOSEN)
        with st.container(horizontal=True, gap="small", key="library.actions"):
            _render_actions(run, owner)


def _render_actions(run: Run, owner: str) -> None:
    st.button(
        t("library.open"),
        key="library.open",
        on_click=_open,
        args=(run,),
        type="primary",
        icon=":material/folder_open:",
    )
    with st.popover(t("library.share"), icon=":material/share:"):
        st.markdown(t("library.share_note"))
        st.code(share_link(run.id), language=None, wrap_lines=True)
    with st.popover(t("library.rename"), icon=":material/edit:"):
        st.text_input(t("library.new_name"), key=_NEW_NAME, max_chars=MAX_NAME)
        st.button(t("library.rename"), key="library.rename", on_click=_rename, args=(run, owner))
    with st.popover(t("library.delete"), icon=":material/delete:"):
        st.markdown(t("library.delete_note", name=plain(run.name)))
        st.button(t("library.delete_sure"), key="library.delete", on_click=_delete, args=(run, owner))


def share_link(run_id: str) -> str:
    here = urlsplit(st.context.url or "")
    folder = here.path.removesuffix("/").removesuffix("/library")
    return urlunsplit((here.scheme, here.netloc, f"{folder}/", f"{state.MODEL}={RUN}.{run_id}", ""))


def forget_file(run_id: str) -> None:
    registry().models.remove(f"{RUN}.{run_id}")


def attempt(action: Callable[[], None], done: str) -> None:
    """Run an action; its success or error is shown at the top of the next run. For callbacks."""
    try:
        action()
    except InputError as error:
        st.session_state[state.NOTICE] = plain(reason(error))
    else:
        st.session_state[state.NOTICE] = plain(done)


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

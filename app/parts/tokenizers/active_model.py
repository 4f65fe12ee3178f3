"""The session's model for a page: ready, or replaced by its progress or an explanation.

A page needs two calls:

    active = active_tokenizer()     # trains or explains if it has to; a returned model is ready
    active.model.encode("...")

A page about rounds or scores calls `active_model()` instead.
Other models to compare: `app.parts.tokenizers.tokenizer_set`.
"""

from typing import NoReturn

import streamlit as st

from app.parts.problem import show_problem
from app.parts.tokenizers.job_progress import render_training
from app.server.store.store import UnknownIdError
from app.server.work.jobs import Request
from app.session.figure import figure_alone, refuse
from app.session.models import (
    Active,
    ActiveModel,
    ActiveTokenizer,
    activate,
    current_reference,
    fetch_run,
    is_asked_for,
    note_known,
    ready_tokenizer,
)
from app.session.own_texts import held_texts
from app.session.reference import FILE, ModelReference, first_reference
from app.session.titles import algorithm_title, missing_note, reference_title, text_title
from app.share.facts import note_models
from app.texts.corpora import Text, held_digest
from app.texts.i18n import t
from app.texts.mixture import find_text
from app.texts.plain import plain
from engine.errors import InputError
from engine.tokenizer import Tokenizer


def active_model() -> ActiveModel:
    """The session's model, ready to use, with the history of its pruning rounds.

    Stops the page with progress or an explanation if it is not ready, or has no such history, e.g. because it was
    imported.
    """
    active = active_tokenizer()
    if active.model.pruning is None:
        explain_lack("no_rounds", active)
    return Active(active.reference, active.model.pruning, active.sha256, active.source)


def explain_lack(lack: str, active: ActiveTokenizer) -> NoReturn:
    """Say what a page needs that the model does not have, offer another, and stop the page."""
    st.info(t(f"model.{lack}", name=plain(active.name)), icon=":material/account_tree:")
    _offer_default()
    st.stop()


def active_tokenizer() -> ActiveTokenizer:
    """The session's model, ready to use. Stops the page with progress or an explanation if it is not ready."""
    reference = current_reference()
    source = find_text(reference.source_id, held_texts())
    active = ready_tokenizer(reference, source)
    if active is None:
        _train_first(reference, source)
        st.stop()
    note_models([active], by_default=True)
    return active


def _train_first(reference: ModelReference, source: Text | None) -> None:
    """Train the model of a link that is not available here, or say why that is impossible."""
    if source is None:
        _explain_missing(reference)
        _offer_default()
        return
    if figure_alone():
        refuse()
    if not is_asked_for(reference):
        _ask_first(reference)
        return
    is_default = reference == first_reference()
    intro = t("model.training_default") if is_default else t("model.training_first")
    if render_training(Request(source, reference.settings), intro) and not is_default:
        _offer_default()


def _ask_first(reference: ModelReference) -> None:
    """Show what the link would train, with a button to start it: a link alone must not take the server's time."""
    st.info(t("model.not_here", name=plain(reference_title(reference))), icon=":material/model_training:")
    with st.container(horizontal=True, gap="small", key="model.ask"):
        st.button(t("model.train"), on_click=note_known, args=(reference,), key="model.train", type="primary")
        _offer_default()


def _offer_default() -> None:
    """A button to switch from the link's model to the default one."""
    st.button(t("model.use_default"), on_click=activate, args=(first_reference(),), key="model.use_default")


def offer_builtin() -> None:
    st.button(t("model.use_builtin"), on_click=activate, args=(ModelReference("ko"),), key="model.use_builtin")


def _explain_missing(reference: ModelReference) -> None:
    if reference.is_public:
        st.warning(missing_note([reference.source_id]), icon=":material/link_off:")
        return
    if not reference.is_run:
        st.warning(_why_gone(reference), icon=":material/link_off:")
        return
    try:
        fetch_run(reference)
    except UnknownIdError:
        st.warning(t("model.run_gone"), icon=":material/link_off:")
    except InputError as error:
        show_problem(t("model.run_unusable"), error)


def _why_gone(reference: ModelReference) -> str:
    """Why a link's model, other than a run of the library, can neither be found nor trained here."""
    collection, _, fingerprint = reference.source_id.partition(".")
    if collection == FILE:
        return t("model.file_gone", fingerprint=plain(fingerprint[:8]))
    if held_digest(reference.source_id):
        return t("model.gone", fingerprint=plain(fingerprint[:8]))
    return t("model.no_corpus", name=plain(reference.source_id))


def render_text_note(active: Active[Tokenizer]) -> None:
    """A note on where sentences come from, if that is not the model's training text."""
    if active.source is None:
        st.caption(t("model.other_text", text=plain(text_title(active.text.id, active.text))))


def active_model_lines() -> list[str]:
    """A heading, the title of the session's model, and what is known of it without loading it; for the sidebar."""
    reference = current_reference()
    source = find_text(reference.source_id, held_texts())
    lines = [t("model.active"), text_title(reference.source_id, source)]
    if reference.is_shipped:
        lines.append(t("shipped.corpus"))
    if not reference.is_file:
        settings = reference.settings
        parts = [algorithm_title(settings), t("model.size", size=settings.vocab_size)]
        if settings.algorithm == "thunder-tok":
            parts.append(t("model.score", score=t(f"train.score.{settings.score}")))
        lines.append(" · ".join(parts))
    return lines

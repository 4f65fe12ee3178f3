"""Train: a line that starts a training, its progress, and the models that are there."""

import streamlit as st

from app.components.browser import focus_link
from app.parts.layout import heading, open_lines
from app.parts.problem import reason
from app.parts.texts.corpus_choice import choose_corpus, chosen_corpus
from app.parts.tokenizers.job_progress import render_curve, render_job_progress
from app.parts.tokenizers.tokenizer_set import put_beside
from app.server.limits import LimitError
from app.server.work.jobs import DONE, Request, registry
from app.session import state
from app.session.models import activate, current_reference
from app.session.own_texts import publish_own_texts
from app.session.reference import ModelReference, parse_reference
from app.session.titles import reference_title
from app.session.training import feasible_sizes, follow_probes
from app.session.url import UrlValue
from app.share.facts import render_commands
from app.texts.commands import train_command
from app.texts.corpora import Text
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.train.corpus_picker import choose_source, render_corpus_details
from app.views.train.fit import render_fit
from app.views.train.model_panel import render_model_panel
from app.views.train.saved import render_saved
from app.views.train.settings_form import (
    adopt_settings,
    begin_settings,
    chosen_settings,
    example_pieces,
    render_algorithm,
    render_effect,
    render_feasible,
    render_more_settings,
    render_size,
    suggest_size,
)
from engine.errors import InputError

_COMPARE = "train.compare"
_JOB: UrlValue[str | None] = UrlValue("job", "train.job", str, str, None)
_DRAFT: UrlValue[ModelReference | None] = UrlValue("draft", "train.draft", parse_reference, str, None)


def _adopt_url() -> None:
    """Adopt the settings and the running job in the URL."""
    _JOB.adopt()
    draft = _DRAFT.adopt()
    if draft is not None:
        _DRAFT.set(None)
        adopt_settings(draft.settings)
        if not choose_source(draft.source_id):
            st.info(t("train.draft_text_gone"), icon=":material/link_off:")


def _render_form() -> Text | None:
    """One line, the progress of what its button starts right below it, and everything else folded; returns the text."""
    begin_settings()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="train.line"):
        with st.container(key="train.corpus"):
            source = choose_corpus(is_linked=False)
        if source is not None:
            suggest_size(source)
        render_algorithm()
        render_size()
        place = st.container(width="content")
    progress = st.container(key="train.progress")
    request, is_feasible = _request(source)
    # Not a callback: it would miss the value of a field that is only left by this click.
    name, icon = t("train.start"), ":material/play_arrow:"
    if place.button(name, type="primary", icon=icon, key="train.start", disabled=not is_feasible) and request:
        _start(request)
    with progress:
        _render_job()
    with st.expander(t("train.settings.more"), icon=":material/tune:"):
        if source is not None and source.n_lines:
            render_corpus_details(source)
        render_more_settings(source)
        if request is not None:
            render_effect(request.source, request.settings)
            render_commands([train_command(request.source, request.settings)])
    return source


def _request(source: Text | None) -> tuple[Request | None, bool]:
    """What to train, and whether its size is feasible; None while something is missing or invalid, which is said."""
    if source is None or not source.n_lines:
        st.info(t("train.corpus.nothing"), icon=":material/edit_note:")
    try:
        settings = chosen_settings()
        if source is None or not source.n_lines:
            _publish(ModelReference(chosen_corpus(), settings))  # a link waits for its text
            return None, False
        feasible = feasible_sizes(source, settings)
        if feasible is None:
            follow_probes(source, settings)
        is_feasible = render_feasible(feasible)
        example_pieces(source, settings)  # refuses a pattern that is invalid or too slow
    except InputError as error:
        st.error(t("train.refused"), icon=":material/error:")
        st.text(reason(error))
        return None, False
    _publish(ModelReference(source.id, settings))
    return Request(source, settings), is_feasible


def _publish(draft: ModelReference) -> None:
    _DRAFT.publish(None if draft == ModelReference() else draft)
    publish_own_texts()


def _start(request: Request) -> None:
    try:
        job_id = registry().submit(request, state.visitor())
    except LimitError as error:
        st.toast(plain(reason(error)))
        return
    st.session_state[state.TRAINING] = request.source.id
    _JOB.set(job_id)
    _JOB.publish(job_id)


def _render_job() -> None:
    """The training, until it ends; then what came of it, and the way to it."""
    job_id = _JOB.value
    job = registry().view(job_id) if job_id else None
    if job_id and (job is None or job.state != DONE):
        render_job_progress(job_id)
        return
    active = current_reference()
    if job is None:
        if active.is_file and not active.is_shipped:
            st.success(plain(t("train.file.loaded", name=reference_title(active))), icon=":material/check_circle:")
        return
    trained = ModelReference(job.request.source.id, job.request.settings)
    if "job" in st.query_params:
        # Seen for the first time: all pages show it from now on, and the URL has the model instead of the job.
        _JOB.publish(None)
        activate(trained)
        put_beside(active)
        st.rerun()
    if trained != active:
        return
    # A cached model took no time.
    text = t("train.result.done", seconds=job.seconds) if job.seconds else t("train.result.there")
    st.success(text, icon=":material/check_circle:")
    with st.container(key=_COMPARE):
        st.page_link("views/explore/page.py", label=t("train.result.compare"), icon=":material/compare_arrows:")
    focus_link(_COMPARE, job.id)
    render_curve(job)


heading("train")
_adopt_url()
source = _render_form()
render_model_panel(render_saved())
if place := open_lines("train", {"fit": t("fit.heading")}).get("fit"):
    with place:
        render_fit(source)

"""Train: a corpus, settings, feasible sizes, progress by round, and the model file."""

import streamlit as st

from app.parts.layout import heading
from app.parts.problem import reason
from app.parts.texts.corpus_choice import chosen_corpus
from app.parts.tokenizers.job_progress import render_job_progress, render_rounds
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
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.train.corpus_picker import choose_source, render_corpus_picker
from app.views.train.model_panel import render_model_panel
from app.views.train.settings_form import (
    adopt_settings,
    chosen_settings,
    render_effect,
    render_settings_form,
    render_size,
    suggest_size,
)
from engine.errors import InputError

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


def _render_request() -> Request | None:
    """The form; returns what to train, None while something is missing or invalid."""
    st.header(t("train.corpus.heading"))
    source = render_corpus_picker()
    st.header(t("train.settings.heading"))
    st.caption(t("train.settings.how"))
    render_settings_form()
    if source is not None:
        suggest_size(source)
    try:
        settings = chosen_settings()
        feasible = feasible_sizes(source, settings) if source else None
        is_feasible = render_size(feasible, source is not None)
        if source is None:
            _publish(ModelReference(chosen_corpus(), settings))  # a link waits for its text
            return None
        if feasible is None:
            follow_probes(source, settings)
        request = Request(source, chosen_settings())
        render_effect(source, request.settings)
        render_commands([train_command(source, request.settings)])
    except InputError as error:
        st.error(t("train.refused"), icon=":material/error:")
        st.text(reason(error))
        return None
    _publish(ModelReference(request.source.id, request.settings))
    return request if is_feasible else None


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
    job_id = _JOB.value
    job = registry().view(job_id) if job_id else None
    if job_id and (job is None or job.state != DONE):
        render_job_progress(job_id)
        return
    trained = ModelReference(job.request.source.id, job.request.settings) if job else None
    if trained and "job" in st.query_params:
        # Seen for the first time: all pages show it from now on, and the URL has the model instead of the job.
        _JOB.publish(None)
        activate(trained)
        st.rerun()
    active = current_reference()
    if active.is_file:
        text = "train.result.shipped" if active.is_shipped else "train.file.loaded"
        st.success(plain(t(text, name=reference_title(active))), icon=":material/check_circle:")
    if job is None or trained != active:
        return
    # A cached model took no time.
    text = t("train.result.done", seconds=job.seconds) if job.seconds else t("train.result.there")
    st.success(text, icon=":material/check_circle:")
    if job.rounds:
        with st.expander(t("train.result.history"), icon=":material/table_rows:"):
            render_rounds(job)


heading("train")
_adopt_url()
form, result = st.columns([3, 2], gap="large")
with form:
    request = _render_request()
    # Not a callback: it would miss the value of a field that is only left by this click.
    is_clicked = st.button(
        t("train.start"), type="primary", icon=":material/play_arrow:", key="train.start", disabled=request is None
    )
    if is_clicked and request is not None:
        _start(request)
with result:
    st.header(t("train.result.heading"))
    _render_job()
    render_model_panel()

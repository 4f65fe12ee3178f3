"""Train: a corpus, settings, the feasible sizes, progress by round, and the model file."""

import streamlit as st

from app import state
from app.components.corpus_picker import adopt_source, render_corpus_picker
from app.components.job_progress import render_job_progress, render_rounds
from app.components.model_panel import render_model_panel
from app.components.settings_form import (
    adopt_settings,
    chosen_settings,
    render_effect,
    render_settings_form,
    render_size,
)
from app.corpora import Source
from app.feasible import feasible_sizes
from app.i18n import t
from app.jobs import DONE, QueueFullError, Request, registry
from app.models import activate
from app.reference import ModelReference, parse_reference
from engine.errors import InputError

_JOB, _DRAFT, _SOURCE, _DONE = "train.job", "train.draft", "train.source", "train.done"


def _adopt_url() -> None:
    """Take over the settings and the running job that the URL names."""
    state.adopt("job", _JOB, lambda job_id: job_id if registry().view(job_id) else None)
    state.adopt("draft", _DRAFT, parse_reference)
    draft: ModelReference | None = st.session_state.pop(_DRAFT, None)
    if draft is not None:
        adopt_settings(draft.settings)
        if not adopt_source(draft.source_id):
            st.info(t("train.draft_text_gone"), icon=":material/link_off:")


def _publish_draft(source: Source | None) -> None:
    """Keep what was chosen in the URL; half-typed settings stay out of it."""
    try:
        draft = ModelReference(source.id if source else ModelReference().source_id, chosen_settings())
    except InputError:
        return
    state.publish("draft", None if draft == ModelReference() else str(draft))

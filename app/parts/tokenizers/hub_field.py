"""A field for the id of a model on the Hugging Face hub, whose tokenizer is then used like an uploaded file."""

import streamlit as st

from app.parts.problem import show_problem
from app.server.limits import LimitError, check_size, limits
from app.server.work.fetching import Fetch
from app.server.work.jobs import CANCELLED, DONE, QUEUED, JobView, registry
from app.session import state
from app.session.models import store_file
from app.session.page_run import fragment
from app.session.reference import ModelReference
from app.texts.i18n import t
from engine.errors import InputError
from engine.public.hub import HubFile, checked_id, forget_file, hub_folder, is_hub_open, kept_file

_MODEL, _LOAD, _JOB, _PROBLEM = "hub.model", "hub.load", "hub.job", "hub.problem"
_POLL_SECONDS = 0.5


def render_hub_field() -> ModelReference | None:
    """The field; returns the tokenizer in the run in which it becomes available."""
    if not is_hub_open():
        return None
    with st.form("hub", border=False):
        model = st.text_input(t("hub.model"), key=_MODEL, placeholder="Qwen/Qwen3-8B", help=t("hub.model_help"))
        is_asked = st.form_submit_button(t("hub.load"), key=_LOAD, icon=":material/cloud_download:")
    found = None
    try:
        found = _ask(model) if is_asked else None
        found = found or _arrived()
    except InputError as error:
        st.session_state[_PROBLEM] = error.again()
    if _PROBLEM in st.session_state:
        show_problem(t("hub.refused"), st.session_state[_PROBLEM])
    return found


def _ask(model: str) -> ModelReference | None:
    """The tokenizer, if this server has downloaded it before; otherwise start the download."""
    st.session_state.pop(_PROBLEM, None)
    registry().cancel(st.session_state.pop(_JOB, ""))
    model = checked_id(model)
    kept = kept_file(model, hub_folder())
    if kept is not None:
        return _store(model, kept)
    st.session_state[_JOB] = registry().submit(Fetch(model), state.visitor())
    return None


def _arrived() -> ModelReference | None:
    """The tokenizer of a finished download; None while it is running, or if there is none."""
    job = registry().view(st.session_state.get(_JOB, ""))
    if job is None:
        return None
    if job.is_active:
        _follow(job.id)
        return None
    del st.session_state[_JOB]
    if job.state == CANCELLED:
        return None
    model = _model(job)
    kept = kept_file(model, hub_folder())
    if job.state != DONE or kept is None:
        raise _why(job)
    return _store(model, kept)


def _model(job: JobView) -> str:
    assert isinstance(job.payload, Fetch)
    return job.payload.model


def _store(model: str, kept: HubFile) -> ModelReference:
    check_size("upload_mb", len(kept.content))
    try:
        with st.spinner(t("hub.reading", model=model)):
            return store_file(kept.content, model)
    except InputError:
        forget_file(model, hub_folder())  # its next version may be different
        raise


def _why(job: JobView) -> InputError:
    if job.error is not None and job.error.code == "hub.large":
        return LimitError("upload_mb", limits().upload_mb)
    # Worker errors worded for trainings do not fit here.
    if job.error is None or job.error.code.startswith("job."):
        return InputError("hub.failed")
    return job.error


@fragment(run_every=_POLL_SECONDS)
def _follow(job_id: str) -> None:
    job = registry().view(job_id)
    if job is None or not job.is_active:
        st.rerun()
    if job.state == QUEUED:
        st.progress(0.0, t("job.queued", position=job.position))
    else:
        n_bytes, size = job.result.get("n_bytes", 0), job.result.get("size", 0)
        st.progress(min(1.0, n_bytes / (size or limits().upload_mb * 1_000_000)), _progress(_model(job), n_bytes, size))
    st.button(
        t("hub.cancel"), on_click=registry().cancel, args=(job_id,), key="hub.cancel", icon=":material/stop_circle:"
    )


def _progress(model: str, n_bytes: int, size: int) -> str:
    megabytes = {"read": n_bytes / 1_000_000, "size": size / 1_000_000}
    return t("hub.progress" if size else "hub.progress_open", model=model, **megabytes)

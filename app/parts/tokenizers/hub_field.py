"""A tokenizer that the visitor brings: as a file, or by the id of a model on the Hugging Face hub."""

from typing import Literal

import streamlit as st

from app.parts.choices import action_button
from app.parts.problem import show_problem
from app.parts.tokenizers.job_progress import follow_jobs
from app.server.limits import LimitError, check_size, limits
from app.server.work.jobs import CANCELLED, DONE, QUEUED, JobView, registry
from app.server.work.work_kinds import FETCHING, Errand
from app.session import state
from app.session.models import store_file
from app.session.reference import ModelReference
from app.texts.i18n import t
from app.texts.plain import plain
from engine.errors import InputError
from engine.public.catalogue import KOREAN_HUB_MODELS
from engine.public.hub import HubFile, checked_id, forget_file, hub_folder, hub_key, is_hub_open, kept_file

_MODEL, _LOAD, _JOB, _PROBLEM = "hub.model", "hub.load", "hub.job", "hub.problem"
_KOREAN, _PICKED = "hub.korean", "hub.picked"


def render_own_model(key: str, label: str, help_text: str | None = None) -> ModelReference | None:
    """Both fields; returns the tokenizer in the run in which it has come. Without a help text the label is hidden."""
    visibility: Literal["visible", "collapsed"] = "visible" if help_text else "collapsed"
    file = st.file_uploader(label, key=key, help=help_text, label_visibility=visibility)
    seen = f"{key}_seen"
    if file is None or file.file_id == st.session_state.get(seen):
        return _render_hub_field()
    try:
        reference = store_file(file.getvalue(), file.name)
    except InputError as error:
        show_problem(t("train.file.refused"), error)
        return _render_hub_field()
    st.session_state[seen] = file.file_id
    return reference


def _render_hub_field() -> ModelReference | None:
    """The field; returns the tokenizer in the run in which it is here."""
    if not is_hub_open():
        return None
    with st.form("hub", border=False):
        model = st.text_input(t("hub.model"), key=_MODEL, placeholder="Qwen/Qwen3-8B", help=t("hub.model_help"))
        is_asked = st.form_submit_button(t("hub.load"), key=_LOAD, icon=":material/cloud_download:")
    titles = {one.model: one.title if one.year is None else f"{one.title} ({one.year})" for one in KOREAN_HUB_MODELS}
    st.pills(
        t("hub.korean"),
        list(titles),
        format_func=titles.__getitem__,
        key=_KOREAN,
        help=_facts(),
        wrap=True,
        on_change=_pick,
    )
    model, is_asked = (picked, True) if (picked := st.session_state.pop(_PICKED, "")) else (model, is_asked)
    found = None
    try:
        found = _ask(model) if is_asked else None
        found = found or _arrived()
    except InputError as error:
        st.session_state[_PROBLEM] = error.again()
    if _PROBLEM in st.session_state:
        show_problem(t("hub.refused"), st.session_state[_PROBLEM])
    return found


def _pick() -> None:
    """One click fetches: nothing stays selected."""
    st.session_state[_PICKED] = st.session_state[_KOREAN]
    st.session_state[_KOREAN] = None


def _facts() -> str:
    """Id and licence, if known, of the models in the list, one a line."""
    lines = [", ".join(filter(None, (one.model, one.licence))) for one in KOREAN_HUB_MODELS]
    return "\n".join(f"- {plain(line)}" for line in lines)


def _ask(model: str) -> ModelReference | None:
    """The tokenizer, if this server has downloaded it before; otherwise start the download."""
    st.session_state.pop(_PROBLEM, None)
    registry().cancel(st.session_state.pop(_JOB, ""))
    model = checked_id(model)
    kept = kept_file(model, hub_folder())
    if kept is not None:
        return _store(model, kept)
    request = {"model": model, "folder": str(hub_folder()), "max_bytes": limits().upload_mb * 1_000_000}
    download = Errand(FETCHING, request, f"hub-{hub_key(model)}")  # its result: `n_bytes` of `size` so far
    st.session_state[_JOB] = registry().submit(download, state.visitor())
    return None


def _arrived() -> ModelReference | None:
    """The tokenizer of a finished download; None while it is running, or if there is none."""
    job = registry().view(st.session_state.get(_JOB, ""))
    if job is None:
        return None
    if job.is_active:
        follow_jobs([job.id], _render_fetching)
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
    assert isinstance(job.payload, Errand)
    return str(job.payload.request["model"])


def _store(model: str, kept: HubFile) -> ModelReference:
    check_size("upload_mb", len(kept.content))
    try:
        with st.spinner(t("hub.reading", model=plain(model))):
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


def _render_fetching(job: JobView) -> None:
    if job.state == QUEUED:
        st.progress(0.0, t("job.queued", position=job.position))
    else:
        n_bytes, size = job.result.get("n_bytes", 0), job.result.get("size", 0)
        st.progress(min(1.0, n_bytes / (size or limits().upload_mb * 1_000_000)), _progress(_model(job), n_bytes, size))
    action_button(t("hub.cancel"), "hub.cancel", ":material/stop_circle:", registry().cancel, job.id)


def _progress(model: str, n_bytes: int, size: int) -> str:
    megabytes = {"read": n_bytes / 1_000_000, "size": size / 1_000_000}
    return t("hub.progress" if size else "hub.progress_open", model=model, **megabytes)

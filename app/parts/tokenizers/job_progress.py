"""Results in progress; and a training: its place in the queue, how far it is, what goes, and a button to stop it."""

import math
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import TypeVar

import pandas as pd
import streamlit as st

from app.parts.choices import action_button
from app.parts.figures.rounds import round_curve_figure
from app.parts.layout import render_figure
from app.parts.problem import job_reason, reason, show_problem
from app.parts.tables.units import UNITS
from app.server.background import in_background
from app.server.limits import LimitError
from app.server.work.jobs import CANCELLED, DONE, FAILED, QUEUED, JobView, Request, registry
from app.server.work.kernels import kernels
from app.session.page_run import fragment, preparing_text, rerun_when
from app.session.training import ensure_trained, forget_training
from app.texts.i18n import language, t
from app.texts.plain import plain, visible_space
from engine.config import N_BYTES, UNIGRAM_ALGORITHMS
from engine.errors import InputError

_POLL_SECONDS = 0.5

# Fraction of the progress bar at which each stage begins; the rounds fill it up to "save".
_STAGE_BEGINS = {"start": 0.0, "read": 0.02, "seed": 0.05, "rounds": 0.2, "save": 0.97}


def render_training(request: Request, intro: str = "") -> bool:
    """Train: progress under the sentence `intro`, or a way to begin anew. False where a limit stops it, which is said.

    Further models beside others: `app.parts.tokenizers.tokenizer_set`.
    """
    try:
        job = ensure_trained(request)
    except LimitError as error:
        st.warning(plain(reason(error)), icon=":material/hourglass_disabled:")
        return False
    if intro:
        st.markdown(intro)
    render_job_progress(job.id)
    offer_again(job)
    return True


def render_job_progress(job_id: str) -> None:
    """Show a job until it ends; then the whole page runs again, once. Of one without a model, why it ended."""
    job = registry().view(job_id)
    if job is None:
        st.warning(t("job.unknown"), icon=":material/link_off:")
    elif job.is_active or job.state == DONE:  # done since the page looked for the model: it runs again at once
        follow_jobs([job_id], _render_active)
    elif job.state == CANCELLED:
        st.info(t("job.cancelled"), icon=":material/stop_circle:")
    else:
        st.error(t("job.failed"), icon=":material/error:")
        st.text(job_reason(job))


@fragment(run_every=_POLL_SECONDS)
def follow_jobs(job_ids: Sequence[str], render: Callable[..., None]) -> None:
    jobs = [job for job_id in job_ids if (job := registry().view(job_id))]
    if not jobs or not all(job.is_active for job in jobs):
        st.rerun()
    render(*jobs)


def _render_active(job: JobView) -> None:
    with st.container(key="job", gap="small"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            if job.state == QUEUED:
                wait = "" if job.wait is None else " " + t("job.wait", seconds=max(1, math.ceil(job.wait)))
                st.progress(0.0, t("job.queued", position=job.position) + wait)
            else:
                st.progress(fraction_done(job), _stage_text(job))
            action_button(t("job.cancel"), "job.cancel", ":material/stop_circle:", registry().cancel, job.id)
        if kernels().progress:
            st.caption(preparing_text())
        if job.removed:
            tokens = " ".join(f":gray-badge[{plain(visible_space(token))}]" for token in job.removed)
            st.markdown(f"{t('job.removed')} {tokens}")
        render_curve(job)


def _stage_text(job: JobView) -> str:
    """What the job does, how far it is, and for how long it will go on."""
    stage = t(f"job.stage.{job.stage}")
    if job.result:
        return f"{stage} · {t('job.resample', done=job.result['n_done'], count=job.result['n_resamples'])}"
    if job.stage != "rounds" or not job.rounds:
        return stage
    now, settings, done = job.rounds[-1], job.request.settings, fraction_done(job)
    if _prunes(job):
        size = now.vocab_size - now.n_removed
        left = math.log((size - N_BYTES) / max(1, settings.vocab_size - N_BYTES)) / -math.log1p(-settings.shrink)
        last = now.number + (not now.is_last) + max(0, math.ceil(left))
        text = t("job.round", number=now.number, last=last, size=size)
    else:
        text = t("job.merge", number=now.number, size=now.vocab_size, target=settings.vocab_size)
    share = (done - _STAGE_BEGINS["rounds"]) / (_STAGE_BEGINS["save"] - _STAGE_BEGINS["rounds"])
    seconds = job.stage_seconds * (1 / share - 1) if share > 0 else 0
    return f"{text} · {t('job.left', seconds=math.ceil(seconds))}" if seconds else text


def fraction_done(job: JobView) -> float:
    """Fraction of the work done, 0 to 1; rounds shrink the vocabulary geometrically, merges add one token each."""
    if job.result:  # resamples
        return float(job.result["n_done"] / job.result["n_resamples"])
    begins = _STAGE_BEGINS.get(job.stage, 0.0)
    if job.stage != "rounds" or not job.rounds:
        return begins
    first, target = job.rounds[0].vocab_size, job.request.settings.vocab_size
    now = job.rounds[-1].vocab_size - job.rounds[-1].n_removed
    if not _prunes(job):
        done = 1.0 if first >= target else (now - first) / (target - first)
        return begins + (_STAGE_BEGINS["save"] - begins) * min(1.0, done)
    done = 1.0 if first <= target else math.log(first / max(now, target)) / math.log(first / target)
    return begins + (_STAGE_BEGINS["save"] - begins) * done


def _prunes(job: JobView) -> bool:
    return job.request.settings.algorithm in UNIGRAM_ALGORITHMS


def render_curve(job: JobView) -> None:
    """The vocabulary over the rounds so far."""
    if job.rounds and _prunes(job):
        table, score = pd.DataFrame(job.rounds), job.request.settings.score
        figure = round_curve_figure(table, "vocab_size", score, UNITS[0], language())
        render_figure(figure, "job.curve", t("rounds.curve.vocab_size"), is_flat=True)


def offer_again(job: JobView) -> None:
    """A button to restart a training that ended without a model."""
    if job.state in (CANCELLED, FAILED):
        key = job.request.key
        st.button(t("job.again"), key=f"job.again.{key}", on_click=forget_training, args=(key,))


_Result = TypeVar("_Result")


def awaited(name: str, key: Hashable, make: Callable[[], _Result], waiting: str, failed: str) -> _Result | None:
    """The result of `make`, computed in the background; until it is ready, None and the text `waiting`.

    Parameters
    ----------
    name, key : identify the result on this server, see `in_background`.
    failed : heading for an error that the user can fix.
    """
    future = in_background(name, key, make)
    if not future.done():
        rerun_when(future.done, partial(st.caption, waiting))
        return None
    try:
        return future.result()
    except InputError as error:
        show_problem(failed, error.again())
        return None

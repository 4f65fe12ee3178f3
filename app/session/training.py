"""The one way to get a result from a worker: started if necessary, with its progress.

    job = ensure_trained(Request(source, settings))

A page calls it in every run. The session remembers its jobs by key, so each is started once.
"""

import streamlit as st

from app.server.limits import LimitError
from app.server.work.jobs import CANCELLED, DONE, JobView, Request, registry
from app.server.work.work_kinds import KINDS
from app.session import state
from app.session.figure import figure_alone
from engine.errors import InputError


def ensure_trained(request: Request, *, asks_to_cancel: bool = True) -> JobView:
    """The session's job for a request, by its state:

    - none, or one that the server has forgotten: it is started;
    - queued, running: it continues;
    - done: it stays; if the model file is gone, it is started again;
    - failed: it stays, because the same text and settings would fail again, except one dropped from a full queue, which
      is started again;
    - cancelled: it stays, because the visitor cancelled it. Without a cancel button it was only unwatched for a while
      (e.g. the browser slept), and it is started again.

    Parameters
    ----------
    asks_to_cancel : whether the page shows a button that cancels it.

    Raises
    ------
    InputError : it would start, but the session shows a figure alone.
    app.server.limits.LimitError : it would start, but a limit of the server prevents it.
    """
    jobs = _jobs()
    job = registry().view(jobs.get(request.key, ""))
    if job is None or _is_gone(job) or _gave_way(job) or (job.state == CANCELLED and not asks_to_cancel):
        if figure_alone():
            raise InputError("alone.training")
        jobs[request.key] = registry().submit(request, state.visitor())
        job = registry().view(jobs[request.key])
        assert job is not None  # the server forgets only old jobs
    return job


def forget_training(key: str) -> None:
    """Let the next `ensure_trained` with this key start again, however the last one ended."""
    _jobs().pop(key, None)


def _jobs() -> dict[str, str]:
    jobs: dict[str, str] = st.session_state.setdefault(state.JOBS, {})
    return jobs


def _gave_way(job: JobView) -> bool:
    """Whether it was only dropped from a full queue; starting again reports it if the queue is still full."""
    return isinstance(job.error, LimitError) and job.error.name == "queued"


def _is_gone(job: JobView) -> bool:
    """Whether its file was made and no longer exists; the result of a probe is in the job itself."""
    makes_file = KINDS[job.payload.kind].makes_file
    return job.state == DONE and makes_file and registry().models.find(job.payload.key) is None

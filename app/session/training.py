"""The one way to what a worker has to make, a model or an answer: begun where need be, and how far it is.

    job = ensure_trained(Request(source, settings))

A page calls it in every run. The session remembers its jobs by the key of the model, so that it begins each once.
"""

import streamlit as st

from app.server.limits import LimitError
from app.server.work.jobs import CANCELLED, DONE, JobView, Request, registry
from app.server.work.work_kinds import KINDS
from app.session import state


def ensure_trained(request: Request, *, asks_to_cancel: bool = True) -> JobView:
    """The session's job for a request as it stands now; what happens by its state:

    - none yet, or one that the server has forgotten: it begins;
    - queued, running: it goes on;
    - done: it stays; where the model file is gone again, it begins anew;
    - failed: it stays, for the same text and settings would fail again, except one that only gave way in a full
      queue, which begins anew;
    - cancelled: it stays, for the visitor said so. Where nobody was asked, it was only that nobody looked for a while
      (the browser slept, say), and it begins anew.

    Parameters
    ----------
    asks_to_cancel : whether the page shows a button that cancels it.

    Raises
    ------
    app.server.limits.LimitError : it would begin, and a limit of the server stops it.
    """
    jobs = _jobs()
    job = registry().view(jobs.get(request.key, ""))
    if job is None or _is_gone(job) or _gave_way(job) or (job.state == CANCELLED and not asks_to_cancel):
        jobs[request.key] = registry().submit(request, state.visitor())
        job = registry().view(jobs[request.key])
        assert job is not None  # the server forgets old jobs only
    return job


def forget_training(key: str) -> None:
    """Have the next `ensure_trained` of that key begin anew, whatever became of the last one."""
    _jobs().pop(key, None)


def _jobs() -> dict[str, str]:
    jobs: dict[str, str] = st.session_state.setdefault(state.JOBS, {})
    return jobs


def _gave_way(job: JobView) -> bool:
    """Whether it failed for no reason of its own; to begin anew says so where the queue is still full."""
    return isinstance(job.error, LimitError) and job.error.name == "queued"


def _is_gone(job: JobView) -> bool:
    """Whether the file was made and is not there any more; the answer of a probe stands in the job."""
    makes_file = KINDS[job.payload.kind].makes_file
    return job.state == DONE and makes_file and registry().models.find(job.payload.key) is None

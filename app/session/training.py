"""The one way to get a result from a worker, and the vocabulary sizes that a corpus and settings allow."""

import streamlit as st

from app.server.limits import LimitError
from app.server.remember import keep_sizes, prepared_sizes, remember
from app.server.work.jobs import CANCELLED, DONE, JobView, Request, registry
from app.server.work.work_kinds import KINDS
from app.session import state
from app.session.figure import figure_alone
from app.session.page_run import rerun_when
from app.session.reference import DEFAULT_SETTINGS
from app.texts.corpora import Text
from engine.config import TrainingSettings, size_probe
from engine.errors import InputError
from engine.training import start_training


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


# Characters per token of a suitable vocabulary; sizes double from the default: 5 MB of Korean get 8,000, the shipped
# models' 25 MB get 32,000.
_CHARS_A_TOKEN, _LARGEST_SUGGESTED = 250, 32_000

# Up to this length the sizes take up to 0.2 s and are computed in the server; above, by a worker.
_MAX_CHARS_HERE = 500_000


def suggested_size(n_chars: int) -> int:
    size = DEFAULT_SETTINGS.vocab_size
    while size < _LARGEST_SUGGESTED and 2 * size * _CHARS_A_TOKEN <= n_chars:
        size *= 2
    return size


def feasible_sizes(source: Text, settings: TrainingSettings) -> tuple[int, int] | None:
    """Smallest and largest feasible vocabulary size; None while a worker computes them.

    Raises
    ------
    InputError : the corpus or a setting cannot be used at all.
    """
    # Trainings with equal probes have equal sizes, so each probe runs once.
    probe = size_probe(settings)
    request = Request(source, probe, probe=True)
    if source.n_chars <= _MAX_CHARS_HERE:
        return _count(request)
    return _ask_worker(request)


def prepare_sizes(source: Text, settings: TrainingSettings) -> None:
    """Compute and save the feasible sizes, for servers started later.

    Raises
    ------
    InputError : the corpus or a setting cannot be used at all.
    """
    request = Request(source, size_probe(settings), probe=True)
    if prepared_sizes(request.key) is None:
        keep_sizes(request.key, _count(request))


def _count(request: Request) -> tuple[int, int]:
    def count() -> tuple[int, int]:
        return prepared_sizes(request.key) or start_training(request.source.lines(), request.settings).feasible

    return remember("sizes", request.key, count, 500, is_shared=True)


def _ask_worker(request: Request) -> tuple[int, int] | None:
    try:
        job = ensure_trained(request, asks_to_cancel=False)
    except LimitError:
        return None
    if job.error is not None:
        raise job.error.again()
    return job.feasible


def follow_probes(source: Text, *wanted: TrainingSettings) -> None:
    """Run the page again as soon as the worker has the sizes of one of them."""
    rerun_when(lambda: any(_is_answered(source, settings) for settings in wanted))


def _is_answered(source: Text, settings: TrainingSettings) -> bool:
    try:
        return feasible_sizes(source, settings) is not None
    except InputError:  # the page shows it
        return True

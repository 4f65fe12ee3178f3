"""Which vocabulary sizes a corpus and settings allow, before anything is trained."""

import streamlit as st

from app.server.limits import LimitError
from app.server.prepared import keep_sizes, prepared_sizes
from app.server.work.jobs import Request
from app.session.page_run import fragment
from app.session.training import ensure_trained
from app.texts.corpora import Text
from engine.config import TrainingSettings, size_probe
from engine.training import start_training

# Up to here the answer takes up to 0.2 s and is found in the server; above, a worker looks for it.
_MAX_CHARS_HERE = 500_000


def feasible_sizes(source: Text, settings: TrainingSettings) -> tuple[int, int] | None:
    """Smallest and largest feasible vocabulary size; None while a worker looks for them.

    Raises
    ------
    InputError : the corpus or a setting cannot be used at all.
    """
    # Trainings of equal probes have equal sizes: each is then looked at once.
    probe = size_probe(settings)
    request = Request(source, probe, probe=True)
    if source.n_chars <= _MAX_CHARS_HERE:
        return _count(request.key, request)
    return _ask_worker(request)


def prepare_sizes(source: Text, settings: TrainingSettings) -> None:
    """Find the feasible sizes now, for every server that starts later.

    Raises
    ------
    InputError : the corpus or a setting cannot be used at all.
    """
    request = Request(source, size_probe(settings), probe=True)
    if prepared_sizes(request.key) is None:
        keep_sizes(request.key, _count(request.key, request))


@st.cache_data(max_entries=500, show_spinner=False)
def _count(key: str, _request: Request) -> tuple[int, int]:
    return prepared_sizes(key) or start_training(_request.source.lines(), _request.settings).feasible


def _ask_worker(request: Request) -> tuple[int, int] | None:
    try:
        job = ensure_trained(request, asks_to_cancel=False)
    except LimitError:
        return None
    if job.error is not None:
        raise job.error.again()
    return job.feasible


def follow_probe(source: Text, settings: TrainingSettings) -> None:
    """Run the page again as soon as the worker has the answer."""
    _poll(source, settings)


@fragment(run_every=0.5)
def _poll(source: Text, settings: TrainingSettings) -> None:
    if feasible_sizes(source, settings) is not None:
        st.rerun()

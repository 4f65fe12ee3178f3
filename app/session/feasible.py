"""Which vocabulary sizes a corpus and settings allow, before anything is trained."""

import streamlit as st

from app.server.jobs import Request
from app.server.limits import LimitError
from app.session.training import ensure_trained
from app.texts.corpora import Source
from engine.config import MERGE_ALGORITHMS, N_BYTES, UNIGRAM_ALGORITHMS, TrainingSettings
from engine.training import start_training

# Up to here the answer takes up to 0.2 s and is found in the server; above, a worker looks for it.
_MAX_CHARS_HERE = 500_000
_LARGEST = 2_000_000


def feasible_sizes(source: Source, settings: TrainingSettings) -> tuple[int, int] | None:
    """Smallest and largest feasible vocabulary size; None while a worker looks for them.

    Raises
    ------
    InputError : the corpus or a setting cannot be used at all.
    """
    # Everything that does not touch the answer, at a fixed value: it is then found once. A unigram model can always be
    # as small as the bytes; how small a merge model can be is not known yet, so its probe is large.
    is_merges = settings.algorithm in MERGE_ALGORITHMS
    probe = TrainingSettings(
        algorithm="thunder-tok" if settings.algorithm in UNIGRAM_ALGORITHMS else settings.algorithm,
        vocab_size=_LARGEST if is_merges else N_BYTES + len(settings.special_tokens),
        pretokenizer=settings.pretokenizer,
        seed_vocabulary=settings.seed_vocabulary,
        min_count=settings.min_count,
        max_token_bytes=settings.max_token_bytes,
        max_seed=settings.max_seed,
        special_tokens=settings.special_tokens,
        normalization=settings.normalization,
        sentencepiece_safe=settings.sentencepiece_safe,
        partial_characters=settings.partial_characters,
    )
    if source.n_chars <= _MAX_CHARS_HERE:
        return _count(source.digest, probe, source)
    return _ask_worker(Request(source, probe, probe=True))


@st.cache_data(max_entries=500, show_spinner=False)
def _count(digest: str, probe: TrainingSettings, _source: Source) -> tuple[int, int]:
    return start_training(_source.lines(), probe).feasible


def _ask_worker(request: Request) -> tuple[int, int] | None:
    try:
        job = ensure_trained(request, asks_to_cancel=False)
    except LimitError:
        return None
    if job.error is not None:
        raise job.error.again()
    return job.feasible


def follow_probe(source: Source, settings: TrainingSettings) -> None:
    """Run the page again as soon as the worker has the answer."""
    _poll(source, settings)


@st.fragment(run_every=0.5)
def _poll(source: Source, settings: TrainingSettings) -> None:
    if feasible_sizes(source, settings) is not None:
        st.rerun()

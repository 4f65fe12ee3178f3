"""The active model of a session, and how it gets into memory.

A page needs two calls:

    active = active_tokenizer()     # trains or explains where it has to, so what comes back is ready
    active.model.encode("...")

A page about lattices, rounds or scores asks for `active_model()` instead: a Thunder-Tok or Unigram model. Other models
beside the active one: `app.components.tokenizer_set`.

Model files come from three places: the registry (trained or loaded on this server), the prepared default model in
the cache folder (`python -m app.prepare`), or a training that starts when a link asks for a built-in corpus.
"""

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import streamlit as st

from app import state
from app.comparison import digit_policy
from app.components.job_progress import render_job_progress
from app.components.problem import reason, show_problem
from app.corpora import HeldTexts, Source, find_source, held_digest, text_budget
from app.i18n import t
from app.jobs import DONE, Request, registry
from app.library import library
from app.limits import LimitError
from app.mixture import MIX
from app.prepare import prepared_file
from app.recognized import recognize
from app.reference import FILE, RUN, ModelReference, parse_reference
from app.text import plain
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.library.store import UnknownIdError
from engine.model_files import tokenizer_from_bytes
from engine.pretokenization import PRETOKENIZERS
from engine.tokenizer import Tokenizer
from engine.unigram.model import Model

# Models in memory, for all sessions together: a class of 30 mostly looks at the same few.
_MAX_LOADED = 24
_MAX_KNOWN = 20

_AnyModel = TypeVar("_AnyModel")


class Active(NamedTuple, Generic[_AnyModel]):
    """A model that a session looks at. `model` is shared by sessions: never change it."""

    reference: ModelReference
    model: _AnyModel
    sha256: str  # of the model file
    source: Source | None  # what it was trained on; None where that is not known, or a text that is not held here

    @property
    def title(self) -> str:
        """The algorithm in the session's language; of a file, the file's name. For legends and strips."""
        if self.reference.is_file:
            return source_title(self.reference.source_id, None)
        return algorithm_title(self.reference.settings)

    @property
    def name(self) -> str:
        """Algorithm, corpus and size in the session's language, for headings."""
        model: Any = self.model
        is_file = self.reference.is_file
        return t(
            "model.name",
            algorithm=model.name if is_file else self.title,
            corpus=source_title(self.reference.source_id, None if is_file else self.source),
            size=model.vocab_size,
        )


# A model with a lattice: Thunder-Tok or the Unigram LM, trained here.
ActiveModel = Active[Model]
# Any tokenizer, whatever trained it or whichever file it came from.
ActiveTokenizer = Active[Tokenizer]


def algorithm_title(settings: TrainingSettings) -> str:
    """What to call an algorithm in the session's language. BPE over morphemes has a name of its own."""
    if settings.algorithm in ("bpe", "byte-bpe") and settings.pretokenizer == "mecab":
        return t("train.algorithm.bpe-mecab")
    policy = digit_policy(settings.pretokenizer)
    if settings.algorithm == "byte-bpe" and policy:
        return t(f"train.algorithm.{policy}")
    name = t(f"train.algorithm.{settings.algorithm}")
    return t("model.own_pattern", name=name) if settings.pretokenizer not in PRETOKENIZERS else name


def source_title(source_id: str, source: Source | None) -> str:
    """What to call a corpus in the session's language."""
    if source is not None and source.name:
        return source.name
    collection, *names = source_id.split(".")
    if collection == RUN:
        return _run_name(source_id) or t("model.file")
    if collection == FILE:
        return str(st.session_state.get(state.FILE_NAMES, {}).get(source_id, t("model.file")))
    if collection == "text":
        return t("model.own_text")
    if collection == MIX:
        return t("model.mix", alpha=int(names[0]) / 100, languages=", ".join(names[1:]))
    if source is None:
        return source_id  # of a link that was typed by hand
    titles = [t(f"corpora.{collection}.{name}") for name in names]
    return t(f"corpora.{collection}.title") + (f" ({', '.join(titles)})" if titles else "")


def reference_title(reference: ModelReference) -> str:
    """Algorithm, corpus and size, or a file's name, without loading anything."""
    source = find_source(reference.source_id, held_sources())
    corpus = source_title(reference.source_id, source)
    if reference.is_file:
        return corpus
    settings = reference.settings
    return t("model.name", algorithm=algorithm_title(settings), corpus=corpus, size=settings.vocab_size)


def remember(reference: ModelReference) -> None:
    """Keep a model that the session trained or loaded in the lists that other pages choose from."""
    known: dict[str, ModelReference] = st.session_state.setdefault(state.KNOWN, {})
    known.pop(str(reference), None)
    known[str(reference)] = reference
    while len(known) > _MAX_KNOWN:
        del known[next(iter(known))]


def current_reference() -> ModelReference:
    """Which model the session looks at."""
    return parse_reference(st.session_state.get(state.MODEL, "")) or ModelReference()


def activate(reference: ModelReference) -> None:
    """Make it the session's model, and part of the URL, from the next run on."""
    remember(reference)
    state.set_in_url(state.MODEL, "" if reference == ModelReference() else str(reference))


def active_model() -> ActiveModel:
    """The session's model, ready to use, where it is one with a lattice.

    Stops the page, with progress or an explanation, where there is none yet, or where it is BPE, say.
    """
    active = active_tokenizer()
    if not isinstance(active.model, Model):
        st.info(t("model.no_lattice", name=plain(active.name)), icon=":material/account_tree:")
        st.button(t("model.use_default"), on_click=activate, args=(ModelReference(),), key="model.use_default")
        st.stop()
    return Active(active.reference, active.model, active.sha256, active.source)


def active_tokenizer() -> ActiveTokenizer:
    """The session's model, ready to use. Stops the page, with progress or an explanation, where there is none yet."""
    reference = current_reference()
    source = find_source(reference.source_id, held_sources())
    path = model_file(reference, source)
    active = None if path is None else _active(reference, source, path)
    if active is None:
        _train_first(reference, source)
        st.stop()
    return active


def ready_tokenizer(reference: ModelReference, source: Source | None) -> ActiveTokenizer | None:
    """Another model than the session's own, if it is there already."""
    path = model_file(reference, source)
    return None if path is None else _active(reference, source, path)


def ready_model(reference: ModelReference, source: Source | None) -> ActiveModel | None:
    """Another model with a lattice than the session's own, if it is there already."""
    found = ready_tokenizer(reference, source)
    return Active(found.reference, found.model, *found[2:]) if found and isinstance(found.model, Model) else None


def _active(reference: ModelReference, source: Source | None, path: Path) -> ActiveTokenizer | None:
    """The model in a file; None for a file that was damaged or cleaned up, which is then forgotten."""
    try:
        model, sha256 = _load(path.stem, path)
    except OSError:
        registry().models.remove(path.stem)
        return None
    except InputError:
        registry().models.remove(path.stem)
        with suppress(OSError):  # a prepared one can be made again
            path.unlink(missing_ok=True)
        return None
    return Active(reference, model, sha256, _trained_on(reference, model) if reference.is_file else source)


def _trained_on(reference: ModelReference, model: Any) -> Source | None:
    """The corpus of a run or of a model file, where it is one that this session has."""
    named, fingerprint = _run_corpus(reference) if reference.is_run else ("", "")
    return recognize(
        getattr(model, "corpus_fingerprint", fingerprint),
        getattr(getattr(model, "settings", None), "normalization", "none"),
        named,
        held_sources(),
        st.session_state.setdefault(state.FINGERPRINTS, {}),
    )


def _run_corpus(reference: ModelReference) -> tuple[str, str]:
    """Id and fingerprint of a run's corpus, looked up once in a session; empty where there is no such run."""
    known: dict[str, tuple[str, str]] = st.session_state.setdefault(state.RUN_CORPORA, {})
    if reference.run_id not in known:
        try:
            run = library().find(reference.run_id)
        except InputError:
            return "", ""
        known[reference.run_id] = run.corpus_id, run.corpus_fingerprint
    return known[reference.run_id]


def held_sources() -> dict[str, Source]:
    """The texts of the session's own."""
    held: HeldTexts = st.session_state.setdefault(state.CORPORA, HeldTexts())
    if held:
        text_budget().touch(held)
    return held


def model_file(reference: ModelReference, source: Source | None) -> Path | None:
    """The file of a model that was trained, prepared or loaded already."""
    if reference.is_run:
        return _run_file(reference)
    digest = source.digest if source else held_digest(reference.source_id)
    key = reference.key(digest)
    prepared = prepared_file(key)
    return registry().models.find(key) or (prepared if prepared.exists() else None)


def _run_file(reference: ModelReference) -> Path | None:
    """The model file of a run, out of the library where this server has not opened it yet."""
    path = registry().models.find(reference.source_id)
    if path is not None:
        return path
    with suppress(InputError):
        _fetch_run(reference)
    return registry().models.find(reference.source_id)


def _fetch_run(reference: ModelReference) -> None:
    """Copy the model of a run out of the library; InputError for whatever is wrong with it."""
    content = library().model(reference.run_id)
    tokenizer_from_bytes(content)
    registry().models.write(reference.source_id, content)


def _run_name(source_id: str) -> str:
    """Name of a run, looked up once in a session; empty where there is no such run."""
    names = st.session_state.setdefault(state.FILE_NAMES, {})
    if source_id not in names:
        try:
            names[source_id] = library().find(source_id.partition(".")[2]).name
        except InputError:
            return ""
    return str(names[source_id])


def store_file(data: bytes, name: str) -> ModelReference:
    """Keep a model file that the user brought; returns how to refer to it.

    Raises
    ------
    engine.errors.ModelFileError : it is damaged, of another kind, or from a newer version.
    """
    source_id = f"{FILE}.{hashlib.sha256(data).hexdigest()[:24]}"
    models = registry().models
    if models.find(source_id) is None:
        tokenizer_from_bytes(data)
        models.write(source_id, data)
    st.session_state.setdefault(state.FILE_NAMES, {})[source_id] = name
    reference = ModelReference(source_id)
    remember(reference)
    return reference


@st.cache_resource(max_entries=_MAX_LOADED, show_spinner=False)
def _load(key: str, _path: Path) -> tuple[Any, str]:
    """The model, and the SHA-256 of its file."""
    data = _path.read_bytes()
    return tokenizer_from_bytes(data), hashlib.sha256(data).hexdigest()


def _train_first(reference: ModelReference, source: Source | None) -> None:
    """The model of a link is not here: train it, or say why that cannot be."""
    if source is None:
        _explain_missing(reference)
        st.button(t("model.use_default"), on_click=activate, args=(ModelReference(),), key="model.use_default")
        return
    request = Request(source, reference.settings)
    jobs: dict[str, str] = st.session_state.setdefault(state.JOBS, {})
    job = registry().view(jobs.get(request.key, ""))
    if job is None or (job.state == DONE and model_file(reference, source) is None):
        try:
            jobs[request.key] = registry().submit(request, state.visitor())
        except LimitError as error:
            st.warning(plain(reason(error)), icon=":material/hourglass_disabled:")
            return
    is_default = reference == ModelReference()
    st.markdown(t("model.training_default") if is_default else t("model.training_first"))
    render_job_progress(jobs[request.key])
    if not is_default:
        st.button(t("model.use_default"), on_click=activate, args=(ModelReference(),), key="model.use_default")


def _explain_missing(reference: ModelReference) -> None:
    if not reference.is_run:
        st.warning(_why_gone(reference), icon=":material/link_off:")
        return
    try:
        _fetch_run(reference)
    except UnknownIdError:
        st.warning(t("model.run_gone"), icon=":material/link_off:")
    except InputError as error:
        show_problem(t("model.run_unusable"), error)


def _why_gone(reference: ModelReference) -> str:
    """Why a model of a link, not one of the library's, can neither be found nor trained here."""
    collection, _, fingerprint = reference.source_id.partition(".")
    if collection == FILE:
        return t("model.file_gone", fingerprint=plain(fingerprint[:8]))
    if held_digest(reference.source_id):
        return t("model.gone", fingerprint=plain(fingerprint[:8]))
    return t("model.no_corpus", name=plain(reference.source_id))


def render_active_model() -> None:
    """The session's model in a few lines, for the sidebar. Loads nothing."""
    reference = current_reference()
    source = find_source(reference.source_id, held_sources())
    with st.container(border=True, key="active_model"):
        st.caption(t("model.active"))
        st.markdown(f"**{plain(source_title(reference.source_id, source))}**")
        if not reference.is_file:
            settings = reference.settings
            parts = [algorithm_title(settings), t("model.size", size=settings.vocab_size)]
            if settings.algorithm == "thunder-tok":
                parts.append(t(f"train.score.{settings.score}"))
            st.caption(" · ".join(parts))

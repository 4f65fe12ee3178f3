"""The models of a session: which ones it uses, where their files are, and how they are loaded.

A page asks `app.parts.tokenizers.active_model` for the session's own model, and `app.parts.tokenizers.tokenizer_set`
for others to compare it with.

Model files come from four places: the registry (trained or loaded on this server), the models prepared in the cache
folder (`python -m app.prepare`), the library, or a training started by `app.session.training`. Shipped models and
tokenizers of public models are read by `engine.shipped` and `engine.public`.
"""

import hashlib
from collections.abc import Iterable, Mapping, MutableMapping
from contextlib import nullcontext, suppress
from functools import lru_cache
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import streamlit as st
from cachetools import FIFOCache

from app.server.library import library
from app.server.quarantine import quarantine
from app.server.remember import prepared_file, remember
from app.server.store.store import Run
from app.server.stored_texts import checked_text, hold
from app.server.work.jobs import registry
from app.server.work.kernels import in_plain_python
from app.server.work.reading import try_model
from app.session import state
from app.session.own_texts import held_texts
from app.session.reference import DEFAULT_SOURCE, FILE, ModelReference, first_reference, parse_reference
from app.session.state import note_choice
from app.session.titles import algorithm_title, text_title
from app.texts.corpora import Text, builtin_corpus, corpus_fingerprint, held_digest, registers
from app.texts.i18n import t
from app.texts.mixture import find_text
from engine.corpus.pretokens.own_pattern import USED_UP
from engine.errors import InputError
from engine.model_files import tokenizer_from_bytes
from engine.pretokenization import PRETOKENIZERS
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.public.load import is_available, load_public
from engine.shipped.catalogue import SHIPPED, find_shipped, load_shipped, shipped_content, shipped_models
from engine.tokenizer import LatticeTokenizer, PrunedTokenizer, Tokenizer

_COLLECTIONS = ("ko", "multi", "web", "all")


# Models in memory, for all sessions together: a class of 30 mostly uses the same few.
_MAX_LOADED = 24
_MAX_KNOWN = 20
_MAX_ASKED = 200

_WORD = "안녕하세요"
_TOY = "toy"  # the collection of the lessons' corpora, of a few words each

_AnyModel = TypeVar("_AnyModel", bound=Tokenizer, covariant=True)


class Active(NamedTuple, Generic[_AnyModel]):
    """A model in use by a session. `model` is shared between sessions: never modify it."""

    reference: ModelReference
    model: _AnyModel
    sha256: str  # of the model file; for a public model, of its name
    source: Text | None  # its training text; None if unknown or not stored in this session

    @property
    def title(self) -> str:
        """The algorithm in the session's language; for a file, the file's name. For legends and strips."""
        if self.reference.is_file:
            return text_title(self.reference.source_id, None)
        return algorithm_title(self.reference.settings)

    @property
    def name(self) -> str:
        """Algorithm, corpus and size in the session's language, for headings."""
        is_file = self.reference.is_file
        if self.reference.is_shipped:
            return t("model.name", algorithm=self.title, corpus=t("shipped.corpus"), size=self.model.vocab_size)
        return t(
            "model.name",
            algorithm=self.model.name if is_file else self.title,
            corpus=text_title(self.reference.source_id, None if is_file else self.source),
            size=self.model.vocab_size,
        )

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the training text, from the model file or from the text itself; empty if neither has it."""
        text = self.model.training_text
        if text and text.fingerprint:
            return text.fingerprint
        return corpus_fingerprint(self.source, self.model.normalization) if self.source else ""

    @property
    def lacks_text(self) -> bool:
        """Whether its training text is a visitor's own that is not available here; no other text can replace it."""
        return self.source is None and bool(held_digest(self.reference.source_id))

    @property
    def is_korean_only(self) -> bool:
        """Whether it is known to be trained on Korean and nothing else."""
        return self.reference.is_shipped or (self.source is not None and self.source.collection == DEFAULT_SOURCE)

    @property
    def text(self) -> Text:
        """The text that pages take sentences from: its training text, or else the built-in corpus."""
        return self.source or builtin_corpus()


# A model with the history of its pruning rounds: Thunder-Tok or the Unigram LM, trained here.
ActiveModel = Active[PrunedTokenizer]
# A tokenizer whose tokens have probabilities: such a model, or an imported Unigram file.
ActiveLattice = Active[LatticeTokenizer]
# Any tokenizer.
ActiveTokenizer = Active[Tokenizer]


def note_known(reference: ModelReference) -> None:
    """Add a model that the session trained or loaded to the lists that other pages choose from."""
    known: FIFOCache[str, ModelReference] = st.session_state.setdefault(state.KNOWN, FIFOCache(_MAX_KNOWN))
    known.pop(str(reference), None)
    known[str(reference)] = reference


def ask_for(references: Iterable[ModelReference]) -> None:
    """Allow these to be trained: the visitor or the page itself has chosen them."""
    asked: dict[str, bool] = st.session_state.setdefault(state.REQUESTED, FIFOCache(_MAX_ASKED))
    asked.update((str(reference), True) for reference in references)


def is_asked_for(reference: ModelReference) -> bool:
    """Whether a model may be trained without a click: the default, one of a toy corpus, or one chosen here.

    Any other may come from somebody else's link, and training it takes the server's time.
    """
    is_toy = reference.source_id.partition(".")[0] == _TOY and reference.settings.pretokenizer in PRETOKENIZERS
    chosen = (st.session_state.get(key, {}) for key in (state.KNOWN, state.REQUESTED))
    return is_toy or reference == first_reference() or any(str(reference) in each for each in chosen)


def current_reference() -> ModelReference:
    return parse_reference(st.session_state.get(state.MODEL, "")) or first_reference()


def note_model() -> None:
    """Record whether the session's model was chosen here, see `app.session.state`."""
    reference = current_reference()
    note_choice(state.MODEL, None if is_asked_for(reference) else str(reference))


def activate(reference: ModelReference) -> None:
    """Make it the session's model, and part of the URL, from the next run on."""
    note_known(reference)
    state.set_in_url(state.MODEL, "" if reference == first_reference() else str(reference))


def ready_tokenizer(reference: ModelReference, source: Text | None, waiting: str = "") -> ActiveTokenizer | None:
    """A model, if it is available without training; `waiting` is said while a shipped or public one is loaded."""
    name = reference.source_id.partition(":")[2]
    if reference.is_public:
        sha256 = hashlib.sha256(reference.source_id.encode()).hexdigest()
        return Active(reference, _load_public(name, waiting), sha256, None) if is_available(name) else None
    if reference.is_shipped:
        return Active(reference, _load_shipped(name, waiting), find_shipped(name).sha256, None)
    path = model_file(reference, source)
    return None if path is None else _active(reference, source, path)


def ready_model(reference: ModelReference, source: Text | None) -> ActiveModel | None:
    """A model with pruning rounds, if it is available without training."""
    found = ready_tokenizer(reference, source)
    pruned = found and found.model.pruning
    return Active(found.reference, pruned, found.sha256, found.source) if found and pruned else None


def _active(reference: ModelReference, source: Text | None, path: Path) -> ActiveTokenizer | None:
    """The model in a file; None for a file that was damaged or cleaned up, which is then forgotten."""
    try:
        model, sha256, _ = _load(path.stem, path)
    except OSError:
        registry().models.remove(path.stem)
        return None
    except InputError as error:
        if error.code in USED_UP:  # by this page: the next one may have more time left for its patterns
            raise
        registry().models.remove(path.stem)
        with suppress(OSError):  # a prepared model can be made again
            path.unlink(missing_ok=True)
        return None
    return Active(reference, model, sha256, _trained_on(reference, model) if reference.is_file else source)


def _trained_on(reference: ModelReference, model: Tokenizer) -> Text | None:
    """The training text of a run or of a model file, if this session has it."""
    run = _run(reference) if reference.is_run else None
    fingerprint = (model.training_text and model.training_text.fingerprint) or (run.corpus_fingerprint if run else "")
    named = run.corpus_id if run else ""
    known = st.session_state.setdefault(state.FINGERPRINTS, {})
    found = recognize(fingerprint, model.normalization, named, held_texts(), known)
    if found is None and run and run.corpus_size:
        _fetch_corpus(run)
        found = recognize(fingerprint, model.normalization, named, held_texts(), known)
    if found is not None:
        st.session_state.setdefault(state.RECOGNIZED, {})[reference.source_id] = found.id
    return found


def _run(reference: ModelReference) -> Run | None:
    """A run, looked up once per session; None if there is none."""
    known: dict[str, Run] = st.session_state.setdefault(state.RUNS, {})
    if reference.run_id not in known:
        with suppress(InputError):
            known[reference.run_id] = library().runs.find(reference.run_id)
    return known.get(reference.run_id)


def _fetch_corpus(run: Run) -> None:
    """Add a run's text to the session's own, if the library has it."""
    with suppress(InputError):
        text = library().runs.corpus(run.id)
        if text is not None:
            hold(checked_text(text, run.corpus_name), held_texts())


def model_file(reference: ModelReference, source: Text | None) -> Path | None:
    """The file of a model that was trained, prepared, loaded or shipped; None if there is none."""
    if reference.is_run:
        return _run_file(reference)
    if reference.is_shipped:
        return _shipped_file(reference)
    digest = source.digest if source else held_digest(reference.source_id)
    key = reference.key(digest)
    prepared = prepared_file(key)
    return registry().models.find(key) or (prepared if prepared.exists() else None)


def _shipped_file(reference: ModelReference) -> Path | None:
    name = reference.source_id.removeprefix(SHIPPED)
    models, key = registry().models, find_shipped(name).sha256
    if models.find(key) is None:
        models.write(key, shipped_content(name))
    return models.find(key)


def _run_file(reference: ModelReference) -> Path | None:
    """The model file of a run, copied from the library if this server has not opened it yet."""
    path = registry().models.find(reference.source_id)
    if path is not None:
        return path
    with suppress(InputError):
        fetch_run(reference)
    return registry().models.find(reference.source_id)


def fetch_run(reference: ModelReference) -> None:
    """Copy a run's model from the library.

    Raises
    ------
    engine.errors.InputError : there is no library, no such run, or the model is damaged.
    """
    content = library().runs.model(reference.run_id)
    try_model(content, state.visitor())
    registry().models.write(reference.source_id, content)


def store_file(data: bytes, name: str) -> ModelReference:
    """Store a model file from the visitor; returns a reference to it.

    Raises
    ------
    engine.errors.ModelFileError : it is damaged, of another kind, or from a newer version.
    """
    source_id = f"{FILE}.{hashlib.sha256(data).hexdigest()[:24]}"
    models = registry().models
    if models.find(source_id) is None:
        try_model(data, state.visitor())
        models.write(source_id, data)
    st.session_state.setdefault(state.FILE_NAMES, {})[source_id] = name
    reference = ModelReference(source_id)
    note_known(reference)
    return reference


def _used(tokenizer: Tokenizer) -> Tokenizer:
    tokenizer.encode(_WORD)
    return tokenizer


def _load_public(name: str, waiting: str) -> Tokenizer:
    def size(tokenizer: Tokenizer) -> int:
        return 350 * tokenizer.vocab_size  # measured: 170 to 450 bytes per id

    def load() -> Tokenizer:
        return load_public(name)

    limit = len(PUBLIC_TOKENIZERS)
    # Remembered before it is used: it is loaded once, even while its kernels are not compiled yet.
    return _used(remember("models.public", name, load, limit, is_shared=True, waiting=waiting, size=size))


def _load_shipped(name: str, waiting: str) -> Tokenizer:
    def load() -> Tokenizer:
        with in_plain_python():
            return _used(load_shipped(name))

    def size(model: Tokenizer) -> int:
        # Measured: 180 bytes per row, including rows removed before the last round.
        return 200 * (model.pruning.ids.size if model.pruning else model.vocab_size)

    return remember("models.shipped", name, load, len(shipped_models()), is_shared=True, waiting=waiting, size=size)


def _load(key: str, path: Path) -> tuple[Tokenizer, str, int]:
    def load() -> tuple[Tokenizer, str, int]:
        data = path.read_bytes()
        sha256 = hashlib.sha256(data).hexdigest()
        with quarantine().first_use(sha256) if ModelReference(key).is_file else nullcontext():
            return tokenizer_from_bytes(data), sha256, len(data)

    # In memory a model takes two to six times the size of its file.
    return remember("models.file", key, load, _MAX_LOADED, is_shared=True, size=lambda loaded: 6 * int(loaded[2]))


@lru_cache(maxsize=4)
def _builtin(normalization: str) -> Mapping[str, str]:
    """Ids of the built-in corpora, whole ones and single registers, by fingerprint."""
    sources = [builtin_corpus(collection) for collection in _COLLECTIONS]
    sources += [builtin_corpus(part, (name,)) for part in ("ko", "multi", "web", "toy") for name in registers(part)]
    return {corpus_fingerprint(source, normalization): source.id for source in sources}


def recognize(
    fingerprint: str, normalization: str, named: str, held: Mapping[str, Text], known: MutableMapping[str, str]
) -> Text | None:
    """The corpus with this fingerprint; None if the session has none.

    Parameters
    ----------
    named : id of the corpus stored with the run, or empty; finds mixtures and combinations of registers.
    held : the session's own texts.
    known : cache of text fingerprints by id.
    """
    if not fingerprint:
        return None
    builtin = _builtin(normalization).get(fingerprint)
    if builtin is not None:
        return find_text(builtin, {})
    candidate = find_text(named, {}) if named else None
    for source in (*([candidate] if candidate else []), *held.values()):
        key = f"{source.id} {normalization}"
        if key not in known:
            known[key] = corpus_fingerprint(source, normalization)
        if known[key] == fingerprint:
            return source
    return None

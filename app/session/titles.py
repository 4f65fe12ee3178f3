"""Titles of algorithms, corpora and models in the session's language."""

from collections.abc import Iterable
from dataclasses import replace

import streamlit as st

from app.server.library import library
from app.session import state
from app.session.comparison import digit_policy
from app.session.own_texts import held_texts, own_text_of
from app.session.reference import FILE, RUN, ModelReference
from app.texts.corpora import Text
from app.texts.i18n import t
from app.texts.mixture import MIX, find_text
from engine.config import TrainingSettings
from engine.corpus.files import CorpusFiles
from engine.corpus.normalize import JAMO
from engine.errors import InputError
from engine.pictures.showable import showable
from engine.pretokenization import PRETOKENIZERS
from engine.public.catalogue import PUBLIC, PUBLIC_TOKENIZERS
from engine.shipped.catalogue import SHIPPED

# Stands for a column: its values are the names under which sub-corpora are saved.
SAVED = "@"
_COLUMNS = ("file", "register", "year", "speaker", "collection")


def algorithm_title(settings: TrainingSettings) -> str:
    """Title of an algorithm in the session's language. BPE over morphemes has its own."""
    if settings.normalization == JAMO:
        return t("model.of_jamo", name=algorithm_title(replace(settings, normalization="none")))
    if settings.algorithm in ("bpe", "byte-bpe") and settings.pretokenizer == "mecab":
        return t("train.algorithm.bpe-mecab")
    policy = digit_policy(settings.pretokenizer)
    if settings.algorithm == "byte-bpe" and policy:
        return t(f"train.algorithm.{policy}")
    name = t(f"train.algorithm.{settings.algorithm}")
    return t("model.own_pattern", name=name) if settings.pretokenizer not in PRETOKENIZERS else name


def missing_note(names: Iterable[str]) -> str:
    titles: dict[str, list[str]] = {}
    for facts in (PUBLIC_TOKENIZERS[name.removeprefix(PUBLIC)] for name in names):
        titles.setdefault(facts.package, []).append(facts.title)
    return " ".join(t("set.no_package", package=one, names=", ".join(of)) for one, of in titles.items())


def text_title(source_id: str, source: Text | None) -> str:
    """Title of a corpus in the session's language."""
    if source is not None and source.name:
        return source.name
    if source_id.startswith(PUBLIC):
        return PUBLIC_TOKENIZERS[source_id.removeprefix(PUBLIC)].title
    if source_id.startswith(SHIPPED):
        return t(f"shipped.{source_id.removeprefix(SHIPPED)}")
    collection, *names = source_id.split(".")
    if collection == RUN:
        return _run_name(source_id) or t("model.file")
    if collection == FILE:
        return str(st.session_state.get(state.FILE_NAMES, {}).get(source_id, t("model.file")))
    if collection == "text":
        return own_text_of(source_id).name or t("model.own_text")
    if collection == MIX:
        return t("model.mix", alpha=int(names[0]) / 100, languages=", ".join(names[1:]))
    if source is None:
        return source_id  # from a link typed by hand
    titles = [t(f"corpora.{collection}.{name}") for name in names]
    return t(f"corpora.{collection}.title") + (f" ({', '.join(titles)})" if titles else "")


def titled_files(text: Text) -> CorpusFiles:
    """The files of a text, those of built-in corpora under their titles in the session's language."""
    files = text.files()
    if not text.paths or len(files) < 2:
        return files
    return replace(files, names=tuple(t(f"corpora.{name}") for name in files.names))


def column_title(column: str) -> str:
    """What is known of files: the usual columns in the session's language, others as they are called."""
    if column == SAVED:
        return t("search.saved")
    return t(f"files.column.{column}") if column in _COLUMNS else showable(column)


def reference_title(reference: ModelReference) -> str:
    """Algorithm, corpus and size, or a file's name; loads no model."""
    source = find_text(reference.source_id, held_texts())
    corpus = text_title(reference.source_id, source)
    if reference.is_file:
        return corpus
    settings = reference.settings
    return t("model.name", algorithm=algorithm_title(settings), corpus=corpus, size=settings.vocab_size)


def _run_name(source_id: str) -> str:
    """Name of a run, looked up once per session; empty if there is no such run."""
    names = st.session_state.setdefault(state.FILE_NAMES, {})
    if source_id not in names:
        try:
            names[source_id] = library().runs.find(source_id.partition(".")[2]).name
        except InputError:
            return ""
    return str(names[source_id])

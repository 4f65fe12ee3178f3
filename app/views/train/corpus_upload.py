"""A corpus from files: any encoding, compressed or not, texts or columns of tables, joined in order of their names."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from app.parts.problem import show_problem
from app.parts.texts.missing_texts import joined_text
from app.server.limits import LimitError, check_size, limits
from app.server.stored_texts import checked_text, hold
from app.server.work.reading import ReadCorpus, read_corpus_file
from app.session import state
from app.session.stored_texts import held_texts
from app.texts.corpora import Text
from app.texts.i18n import t
from app.texts.plain import plain
from engine.corpus.reading.read import ENCODINGS
from engine.corpus.reading.tables import KINDS
from engine.errors import InputError
from engine.pictures.showable import showable

UPLOADED = "train.uploaded"
_FILE, _ENCODING, _COLUMN, _SEEN = "train.file", "train.encoding", "train.column", "train.seen"
_REFUSED = "train.refused"

_TYPES = ["txt", *(ending[1:] for ending in KINDS), "gz", "zst"]
_PREVIEW_ROWS = 5
_MAX_FILES = 50  # each is read by a separate process


class _Seen(NamedTuple):
    """The last uploaded files, cached so that they are opened only once."""

    key: tuple[tuple[str, ...], str]  # the files, and the requested encoding
    files: tuple[ReadCorpus, ...]  # without their texts
    source_id: str = ""


def render_upload() -> Text | None:
    """The widgets; returns the text of the files, None if there is none yet or one cannot be read."""
    left, right = st.columns([3, 1])
    with right:
        st.session_state.setdefault(_ENCODING, "auto")
        names = {"auto": t("train.corpus.encoding_auto")} | {name: name.upper() for name in ENCODINGS}
        encoding = st.selectbox(
            t("train.corpus.encoding"),
            list(names),
            format_func=names.__getitem__,
            key=_ENCODING,
            persist_state="session",
        )
    with left:
        files = st.file_uploader(
            t("train.corpus.file"),
            type=_TYPES,
            key=_FILE,
            max_upload_size=limits().upload_mb,
            help=t("train.corpus.file_help"),
            accept_multiple_files=True,
        )
    if files:
        try:
            st.session_state[UPLOADED] = _read(sorted(files, key=lambda file: file.name), str(encoding)).id
        except InputError as error:
            st.session_state.pop(UPLOADED, None)
            show_problem(t("train.file.refused"), error)
            return None
    st.caption(t("train.corpus.private"))
    return held_texts().get(st.session_state.get(UPLOADED, ""))


def _read(files: Sequence[Any], encoding: str) -> Text:
    seen: _Seen | None = st.session_state.get(_SEEN)
    read: list[ReadCorpus] = []
    key = (tuple(file.file_id for file in files), encoding)
    if seen is None or seen.key != key:
        read = _open(files, encoding, ("",) * len(files))
        seen = _Seen(key, tuple(one._replace(text="") for one in read))
        st.session_state.update({_column(place): one.suggested for place, one in enumerate(read) if one.names})
    columns = tuple(_choose_column(place, one) if one.names else "" for place, one in enumerate(seen.files))
    source = held_texts().get(seen.source_id)
    if source is None or columns != tuple(one.column for one in seen.files):
        if columns != tuple(one.column for one in read):
            read = _open(files, encoding, columns)
        source = _source(read, [file.name for file in files])
        seen = _Seen(key, tuple(one._replace(text="") for one in read), source.id)
    st.session_state[_SEEN] = seen
    _render_notes(seen.files, [file.name for file in files])
    return source


def _open(files: Sequence[Any], encoding: str, columns: Sequence[str]) -> list[ReadCorpus]:
    """The texts of the files; refused ones are not read again in every run."""
    key = (tuple(file.file_id for file in files), encoding, columns)
    refused: tuple[object, InputError] | None = st.session_state.get(_REFUSED)
    if refused is not None and refused[0] == key:
        raise refused[1].again()
    try:
        if len(files) > _MAX_FILES:
            raise InputError("upload.files", count=len(files), most=_MAX_FILES)
        check_size("upload_mb", sum(file.size for file in files))
        read: list[ReadCorpus] = []
        for file, column in zip(files, columns, strict=True):
            read.append(_open_one(file, encoding, column, len(files) > 1))
            check_size("corpus_mb", sum(one.n_bytes for one in read))
        return read
    except InputError as error:
        st.session_state[_REFUSED] = (key, error.again())
        raise


def _open_one(file: Any, encoding: str, column: str, is_one_of_many: bool) -> ReadCorpus:
    try:
        known = None if encoding == "auto" else encoding
        return read_corpus_file(file.getvalue(), file.name, known, column or None, state.visitor())
    except LimitError:
        raise
    except InputError as error:
        if not is_one_of_many:
            raise
        raise InputError("file.named", path=file.name, cause=error.again()) from None


def _source(read: Sequence[ReadCorpus], names: Sequence[str]) -> Text:
    """The texts joined into one, stored in the session."""
    name = names[0] if len(names) == 1 else f"{names[0]} + {len(names) - 1}"
    source = checked_text(joined_text(read), name)
    hold(source, held_texts())
    return source


def _column(place: int) -> str:
    """Key of the column choice for one of the files."""
    return f"{_COLUMN}.{place}" if place else _COLUMN


def _choose_column(place: int, read: ReadCorpus) -> str:
    if st.session_state.get(_column(place)) not in read.names:
        st.session_state[_column(place)] = read.suggested
    shown = {name: showable(name) for name in read.names}
    column = str(st.selectbox(t("train.corpus.column"), read.names, format_func=shown.__getitem__, key=_column(place)))
    rows = [[showable(cell) for cell in row] for row in read.head[:_PREVIEW_ROWS]]
    st.dataframe(pd.DataFrame(rows, columns=[shown[name] for name in read.names]), hide_index=True)
    st.caption(t("train.corpus.column_note", count=len(rows)))
    return column


def _render_notes(files: Sequence[ReadCorpus], names: Sequence[str]) -> None:
    if len(files) > 1:
        counts = ("n_lines", "n_words", "n_chars")
        table = pd.DataFrame({"file": [showable(name) for name in names]})
        table = table.assign(**{count: [getattr(one, count) for one in files] for count in counts})
        titles = [t(f"train.corpus.{name}") for name in ("name", "lines", "words", "characters")]
        st.dataframe(table.set_axis(titles, axis=1), hide_index=True, height="content", key="train.files")
    for one, name in zip(files, names, strict=True):
        sentences = [t("train.corpus.decoded", name=name, encoding=one.used.upper() or "Parquet")]
        sentences += [t("train.corpus.line_ends")] * (one.has_windows_ends and not one.names)
        for key, count in (("cells", one.n_cells), ("cells_empty", one.n_empty), ("surrogates", one.n_surrogates)):
            sentences += [t(f"train.corpus.{key}", count=count)] * (count > 0)
        st.caption(plain(" ".join(sentences)))

"""A corpus out of a file: any encoding, packed or not, a text or a column of a table."""

from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from app.components.shared.component import showable
from app.parts.problem import show_problem
from app.server.held_texts import checked_text, hold
from app.server.limits import check_size, limits
from app.server.work.reading import ReadCorpus, read_corpus_file
from app.session import state
from app.session.held_texts import held_texts
from app.texts.corpora import Text
from app.texts.i18n import t
from app.texts.plain import plain
from engine.corpus.read import ENCODINGS
from engine.corpus.tables import KINDS
from engine.errors import InputError

UPLOADED = "train.uploaded"
_FILE, _ENCODING, _COLUMN, _SEEN = "train.file", "train.encoding", "train.column", "train.seen"
_REFUSED = "train.refused"

_TYPES = ["txt", *(ending[1:] for ending in KINDS), "gz", "zst"]
_PREVIEW_ROWS = 5


class _Seen(NamedTuple):
    """What is known of the file that was uploaded last: it is opened once, not in every run."""

    key: tuple[str, str]  # the file, and the encoding that was asked for
    used: str  # the encoding that it was read in
    names: tuple[str, ...] = ()  # columns, where it is a table
    head: tuple[tuple[str, ...], ...] = ()
    suggested: str = ""
    column: str = ""  # that the text was read from
    source_id: str = ""
    notes: tuple[str, ...] = ()  # keys and counts of what was changed, as "key count"


def render_upload() -> Text | None:
    """The widgets; returns the text of the file, None where there is none yet or it cannot be read."""
    left, right = st.columns([3, 1])
    with right:
        st.session_state.setdefault(_ENCODING, "auto")
        names = {"auto": t("train.corpus.encoding_auto")} | {name: name.upper() for name in ENCODINGS}
        encoding = st.selectbox(
            t("train.corpus.encoding"), list(names), format_func=names.__getitem__, key=_ENCODING,
            persist_state="session",
        )  # fmt: skip
    with left:
        file = st.file_uploader(
            t("train.corpus.file"), type=_TYPES, key=_FILE, max_upload_size=limits().upload_mb,
            help=t("train.corpus.file_help"),
        )  # fmt: skip
    if file is not None:
        try:
            st.session_state[UPLOADED] = _read(file, str(encoding)).id
        except InputError as error:
            st.session_state.pop(UPLOADED, None)
            show_problem(t("train.file.refused"), error)
            return None
    st.caption(t("train.corpus.private"))
    return held_texts().get(st.session_state.get(UPLOADED, ""))


def _read(file: Any, encoding: str) -> Text:
    seen: _Seen | None = st.session_state.get(_SEEN)
    read: ReadCorpus | None = None
    if seen is None or seen.key != (file.file_id, encoding):
        read = _open(file, encoding, None)
        seen = _Seen((file.file_id, encoding), read.used, read.names, read.head, read.suggested)
        if read.names:
            st.session_state[_COLUMN] = read.suggested
    column = _choose_column(seen) if seen.names else ""
    source = held_texts().get(seen.source_id)
    if source is None or seen.column != column:
        if read is None or read.column != column:
            read = _open(file, encoding, column)
        source, notes = _source(read, file.name)
        seen = seen._replace(column=column, source_id=source.id, notes=notes)
    st.session_state[_SEEN] = seen
    _render_notes(seen, file.name)
    return source


def _open(file: Any, encoding: str, column: str | None) -> ReadCorpus:
    """The text of the file; one that was refused is not read again in every run."""
    check_size("upload_mb", file.size)
    key = (file.file_id, encoding, column)
    refused: tuple[object, InputError] | None = st.session_state.get(_REFUSED)
    if refused is not None and refused[0] == key:
        raise refused[1].again()
    try:
        known = None if encoding == "auto" else encoding
        return read_corpus_file(file.getvalue(), file.name, known, column, state.visitor())
    except InputError as error:
        st.session_state[_REFUSED] = (key, error.again())
        raise


def _source(read: ReadCorpus, name: str) -> tuple[Text, tuple[str, ...]]:
    """The text, held by the session, and notes on what was changed."""
    notes: list[str] = []
    text = read.text
    if read.names:
        notes.append(f"cells {read.n_cells}")
        notes += [f"cells_empty {read.n_empty}"] * (read.n_empty > 0)
        notes += [f"surrogates {read.n_surrogates}"] * (read.n_surrogates > 0)
    else:
        # A file from Windows would otherwise give every last word of a line a token with a carriage return.
        text = text.replace("\r\n", "\n")
        notes += ["line_ends 0"] * (len(text) < len(read.text))
    source = checked_text(text, name)
    hold(source, held_texts())
    return source, tuple(notes)


def _choose_column(seen: _Seen) -> str:
    if st.session_state.get(_COLUMN) not in seen.names:
        st.session_state[_COLUMN] = seen.suggested
    shown = {name: showable(name) for name in seen.names}
    column = str(st.selectbox(t("train.corpus.column"), seen.names, format_func=shown.__getitem__, key=_COLUMN))
    rows = [[showable(cell) for cell in row] for row in seen.head[:_PREVIEW_ROWS]]
    st.dataframe(pd.DataFrame(rows, columns=[shown[name] for name in seen.names]), hide_index=True)
    st.caption(t("train.corpus.column_note", count=len(rows)))
    return column


def _render_notes(seen: _Seen, name: str) -> None:
    sentences = [t("train.corpus.decoded", name=name, encoding=seen.used.upper() or "Parquet")]
    for note in seen.notes:
        key, _, count = note.partition(" ")
        sentences.append(t(f"train.corpus.{key}", count=int(count)))
    st.caption(plain(" ".join(sentences)))

"""A corpus from files: any encoding, compressed or not, texts or columns of tables, joined in order of their names."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.parts.problem import reason, show_problem
from app.parts.texts.upload import render_file_field
from app.server.limits import LimitError, check_size, limits
from app.server.stored_texts import checked_text, hold
from app.server.work.reading import ReadCorpus, read_corpus_file, read_metadata_file
from app.session import state
from app.session.own_texts import held_texts
from app.session.titles import column_title
from app.texts.corpora import Text, joined_name
from app.texts.i18n import t
from app.texts.plain import plain
from engine.corpus.files import CorpusFiles
from engine.corpus.metadata import MetadataTable, described, different_names, is_metadata
from engine.corpus.reading.encodings import ENCODINGS
from engine.corpus.reading.lines import split_lines, with_line_feeds
from engine.corpus.reading.tables import KINDS
from engine.errors import InputError
from engine.pictures.showable import showable


def joined_corpus(
    read: Mapping[str, ReadCorpus], table: MetadataTable | None = None, pattern: str = ""
) -> tuple[Text, tuple[InputError, ...]]:
    """The texts of files, joined in order, and what is odd about their metadata.

    Parameters
    ----------
    read : by the names of the files.
    table, pattern : say more about the files, see `engine.corpus.metadata.described`.

    Raises
    ------
    app.server.limits.LimitError : they are too long together.
    InputError : see `described`.
    """
    # A Windows file would otherwise give the last word of every line a token with a carriage return.
    texts = [one.text if one.names else with_line_feeds(one.text) for one in read.values()]
    ended = [text if not text or text.endswith("\n") else f"{text}\n" for text in texts[:-1]]
    n_lines = [len(split_lines(text)) for text in texts]
    files, odd = described(CorpusFiles.of(dict(zip(read, n_lines, strict=True))), table, pattern)
    return checked_text("".join([*ended, texts[-1]]), joined_name(files.names), files), odd


def table_among(read: Mapping[str, ReadCorpus]) -> str | None:
    """The name of the file that says more about the others; None without one.

    Raises
    ------
    InputError : several do.
    """
    tables = [name for name, one in read.items() if is_metadata(one.names)] if len(read) > 1 else []
    if len(tables) > 1:
        raise InputError("files.tables", names=", ".join(tables))
    return tables[0] if tables else None


FILE = "upload.file"
_ENCODING, _COLUMN, _SEEN = "upload.encoding", "upload.column", "upload.seen"
_REFUSED, _PATTERN = "upload.refused", "upload.name_pattern"

_TYPES = ["txt", *(ending[1:] for ending in KINDS), "gz", "zst"]
_PREVIEW_ROWS = 5
_MAX_ROWS, _MAX_PATTERN = 15, 100
_MAX_FILES = 50  # each is read by a separate process


class _Seen(NamedTuple):
    """The last uploaded files, cached so that they are opened only once."""

    key: tuple[tuple[str, ...], str]  # the files, and the requested encoding
    files: dict[str, ReadCorpus]  # by name, without their texts
    table: MetadataTable | None  # about the files
    made: tuple[object, ...] = ()  # columns and pattern that the text was made with
    source_id: str = ""
    odd: tuple[InputError, ...] = ()  # about the metadata


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
    below = st.container()

    def read(files: Sequence[UploadedFile]) -> str:
        with below:
            return _read(sorted(files, key=lambda file: file.name), str(encoding)).id

    try:
        with left:
            upload = render_file_field(
                t("train.corpus.file"),
                FILE,
                read,
                is_valid=lambda _: False,  # columns and encoding may change; `_read` opens the same files only once
                type=_TYPES,
                max_upload_size=limits().upload_mb,
                help=t("train.corpus.file_help"),
                accept_multiple_files=True,
            )
    except InputError as error:
        show_problem(t("train.file.refused"), error)
        return None
    st.caption(t("train.corpus.private"))
    return held_texts().get(upload.content) if upload else None


def _read(files: Sequence[UploadedFile], encoding: str) -> Text:
    seen: _Seen | None = st.session_state.get(_SEEN)
    read: dict[str, ReadCorpus] = {}
    key = (tuple(file.file_id for file in files), encoding)
    if seen is None or seen.key != key:
        read, table = _open(files, encoding, {})
        seen = _Seen(key, {name: one._replace(text="") for name, one in read.items()}, table)
        st.session_state.update({_column(i): one.suggested for i, one in enumerate(read.values()) if one.names})
    columns = {name: _choose_column(i, one) for i, (name, one) in enumerate(seen.files.items()) if one.names}
    pattern = _name_pattern() if len(seen.files) > 1 else ""
    source = held_texts().get(seen.source_id)
    if source is None or (tuple(columns.values()), pattern) != seen.made:
        if not read or any(read[name].column != column for name, column in columns.items()):
            read, _ = _open(files, encoding, columns)
        source, odd = joined_corpus(read, seen.table, pattern)
        hold(source, held_texts())
        counts = {name: one._replace(text="") for name, one in read.items()}
        seen = seen._replace(files=counts, made=(tuple(columns.values()), pattern), source_id=source.id, odd=odd)
    st.session_state[_SEEN] = seen
    _render_notes(seen.files, source.files())
    for error in seen.odd:
        st.warning(plain(reason(error)), icon=":material/rule:")
    return source


def _open(
    files: Sequence[UploadedFile], encoding: str, columns: Mapping[str, str]
) -> tuple[dict[str, ReadCorpus], MetadataTable | None]:
    """The texts of the files by name, and the table about them; refused ones are not read again in every run."""
    key = (tuple(file.file_id for file in files), encoding, tuple(columns.items()))
    refused: tuple[object, InputError] | None = st.session_state.get(_REFUSED)
    if refused is not None and refused[0] == key:
        raise refused[1].again()
    try:
        if len(files) > _MAX_FILES:
            raise InputError("upload.files", count=len(files), most=_MAX_FILES)
        check_size("upload_mb", sum(file.size for file in files))
        different_names([file.name for file in files])
        read: dict[str, ReadCorpus] = {}
        for file in files:
            read[file.name] = _open_one(file, encoding, columns.get(file.name, ""), len(files) > 1)
            check_size("corpus_mb", sum(one.n_bytes for one in read.values()))
        about = table_among(read)
        if about is None:
            return read, None
        del read[about]
        data = next(file.getvalue() for file in files if file.name == about)
        return read, read_metadata_file(data, about, state.visitor())
    except InputError as error:
        st.session_state[_REFUSED] = (key, error.again())
        raise


def _open_one(file: UploadedFile, encoding: str, column: str, is_one_of_many: bool) -> ReadCorpus:
    try:
        known = None if encoding == "auto" else encoding
        return read_corpus_file(file.getvalue(), file.name, known, column or None, state.visitor())
    except LimitError:
        raise
    except InputError as error:
        if not is_one_of_many:
            raise
        raise InputError("file.named", path=file.name, cause=error.again()) from None


def _name_pattern() -> str:
    """What the parts of the files' names are."""
    return st.text_input(
        t("train.corpus.pattern"),
        key=_PATTERN,
        max_chars=_MAX_PATTERN,
        placeholder="{register}_{year}_{speaker}",
        help=t("train.corpus.pattern_help"),
        persist_state="session",
    )


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


def _render_notes(read: Mapping[str, ReadCorpus], files: CorpusFiles) -> None:
    if len(read) > 1:
        table = pd.DataFrame({t("train.corpus.name"): [showable(name) for name in read]})
        for count, title in (("n_lines", "lines"), ("n_words", "words"), ("n_chars", "characters")):
            table[t(f"train.corpus.{title}")] = [getattr(one, count) for one in read.values()]
        for column, values in files.telling.items():
            table.insert(len(table.columns), column_title(column), [showable(value) for value in values], True)
        st.dataframe(table, hide_index=True, height="content" if len(table) < _MAX_ROWS else 400, key="upload.files")
    for name, one in read.items():
        sentences = [t("train.corpus.decoded", name=name, encoding=one.used.upper() or "Parquet")]
        sentences += [t("train.corpus.line_ends")] * (one.has_windows_ends and not one.names)
        for key, n in (("cells", one.n_cells), ("cells_empty", one.n_empty), ("surrogates", one.n_surrogates)):
            sentences += [t(f"train.corpus.{key}", count=n)] * (n > 0)
        st.caption(plain(" ".join(sentences)))

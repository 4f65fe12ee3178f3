"""A corpus from files: texts, tables, archives of them, joined in order, each with what is known of it.

The rows of a table are parts of it where columns such as register or year have few values: `reviews.csv: chat, 2014`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.corpus.files import CorpusFiles
from engine.corpus.metadata import MetadataTable, described, different_names, is_metadata, open_metadata
from engine.corpus.reading.archives import MOST_FILES, is_archive, is_hidden, read_archive
from engine.corpus.reading.lines import split_lines, with_line_feeds
from engine.corpus.reading.read import FilePart, named, open_corpus, table_parts
from engine.corpus.reading.tables import TextTable
from engine.corpus.reading.unpack import DEFAULT_MAX_BYTES, SizeError
from engine.errors import InputError


class Reading(NamedTuple):
    """How files are read.

    Attributes
    ----------
    encoding : one of ENCODINGS; None to find it out.
    columns : of the text, by the names of tables; found out for others.
    split : whether the values of other columns make parts.
    pattern : of the names, see `engine.corpus.metadata.described`.
    max_bytes : of everything together, in UTF-8.
    """

    encoding: str | None = None
    columns: Mapping[str, str] = {}
    split: bool = True
    pattern: str = ""
    max_bytes: int = DEFAULT_MAX_BYTES


class ReadTable(NamedTuple):
    """A table among the files: its columns that may have the text, its first rows, and the column that was read."""

    names: tuple[str, ...]
    choices: tuple[str, ...]
    head: tuple[tuple[str, ...], ...]
    column: str


class JoinedFiles(NamedTuple):
    """What was read.

    Attributes
    ----------
    encodings : by the name of a file; empty for Parquet.
    refused : why files were left out, with their names.
    odd : what is odd about the metadata.
    counts : of `cells` and `cells_empty` of tables, and of lone `surrogates` and Windows' `line_ends`, all replaced.
    """

    text: str
    files: CorpusFiles
    tables: dict[str, ReadTable]
    encodings: dict[str, str]
    refused: tuple[InputError, ...]
    odd: tuple[InputError, ...]
    counts: dict[str, int]


def join_files(given: Iterable[tuple[str, bytes]], how: Reading) -> JoinedFiles:
    """Read files in order of their names; those that cannot be read are left out.

    Raises
    ------
    SizeError : they are too large together.
    InputError : none can be read or has text, two have one name, there are too many, or see `described`.
    """
    data, refused = _unpacked(sorted(given), how)
    if len(data) > MOST_FILES:
        raise InputError("archive.files", count=len(data), most=MOST_FILES)
    table, about = _table_about(data, how)
    texts: list[str] = []
    parts: list[FilePart] = []
    left = how.max_bytes
    joined = JoinedFiles("", CorpusFiles.of({}), {}, {}, (), (), Counter())
    for name, content in data.items():
        if name == about:
            continue
        try:
            text, own = _read(name, content, how._replace(max_bytes=left), joined)
        except SizeError:
            raise
        except InputError as error:
            refused.append(named(error, name))
            continue
        if texts and texts[-1] and not texts[-1].endswith("\n"):
            texts[-1] += "\n"
        texts.append(text)
        parts += own
        left -= len(text.encode("utf-8", "surrogatepass"))
    if not texts:
        raise refused[0] if refused else InputError("file.kind", what="empty_zip")
    if not joined.counts["cells"] and not any(map(str.strip, texts)):  # of a table, another column may have text
        raise InputError("corpus.empty")
    files, odd = described(filed(parts), table, how.pattern)
    return joined._replace(text="".join(texts), files=files, refused=tuple(refused), odd=odd)


def _unpacked(given: Sequence[tuple[str, bytes]], how: Reading) -> tuple[dict[str, bytes], list[InputError]]:
    """The files, those in archives too, and why others were left out."""
    different_names([name for name, _ in given])
    data: dict[str, bytes] = {}
    refused: list[InputError] = []
    for name, content in given:
        if not is_archive(content):
            if len(given) == 1 or not is_hidden(name):
                data[name] = content
            continue
        try:
            entries = read_archive(content, how.max_bytes)
        except SizeError:
            raise
        except InputError as error:
            refused.append(named(error, name))
            continue
        refused += entries.refused
        before = "" if len(given) == 1 else f"{name}/"
        data |= {before + entry: entries.files[entry] for entry in sorted(entries.files)}
    return data, refused


def _table_about(data: Mapping[str, bytes], how: Reading) -> tuple[MetadataTable | None, str]:
    """The table that says more about the other files, and its name; InputError if several do."""
    names = []
    for name, content in data.items() if len(data) > 1 else ():
        try:
            opened, _ = open_corpus(content, name, how.encoding, how.max_bytes)
        except InputError:
            continue
        if isinstance(opened, TextTable) and is_metadata(opened.names):
            names.append(name)
    if len(names) > 1:
        raise InputError("files.tables", names=", ".join(names))
    return (open_metadata(data[names[0]], names[0], how.encoding), names[0]) if names else (None, "")


def _read(name: str, data: bytes, how: Reading, joined: JoinedFiles) -> tuple[str, list[FilePart]]:
    """The text of a file and its parts; the rest is noted in `joined`."""
    content, joined.encodings[name] = open_corpus(data, name, how.encoding, how.max_bytes)
    if isinstance(content, str):
        joined.counts["line_ends"] += "\r" in content
        text = with_line_feeds(content)
        return text, [FilePart(name, len(split_lines(text)), {})]
    column = how.columns.get(name, "")
    column = column if column in content.names else content.suggested
    split = content.splitting(column, how.max_bytes) if how.split else ()
    cells = content.read(column, how.max_bytes, split)
    joined.tables[name] = ReadTable(content.names, content.choices(split), content.head, column)
    joined.counts.update({"cells": cells.n_cells, "cells_empty": cells.n_empty, "surrogates": cells.n_surrogates})
    return cells.text, table_parts(name, cells.n_lines, split)


def filed(parts: Sequence[FilePart]) -> CorpusFiles:
    """The parts as files, with their metadata; InputError if two have one name."""
    different_names([part.name for part in parts])
    columns = dict.fromkeys(column for part in parts for column in part.metadata)
    metadata = {column: tuple(part.metadata.get(column, "") for part in parts) for column in columns}
    return CorpusFiles.of({part.name: part.n_lines for part in parts}, metadata)

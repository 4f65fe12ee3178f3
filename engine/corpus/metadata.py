"""What is known of the files of a corpus: from a table with a column `file`, or from their names.

A name such as `novel_1998_kim.txt` says register, year and speaker; a pattern such as `{speaker}-{register}` says what
the parts of other names are.
"""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engine.corpus.files import FILE, CorpusFiles
from engine.corpus.normalize import composed
from engine.corpus.reading.read import named, open_corpus
from engine.corpus.reading.tables import USUAL_NAMES, TextTable
from engine.errors import InputError
from engine.machine.atomic_file import read_file

# Register, then perhaps a year and a speaker: `news`, `news_1998`, `novel_1998_kim`.
_USUAL_NAME = re.compile(r"(?P<register>.+?)(?:[_-](?P<year>\d{4})(?:[_-](?P<speaker>.+))?)?")
_ENDINGS = (".gz", ".zst", ".txt", ".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_FIELD = re.compile(r"\{([^{}]+)\}")
_FILE_COLUMNS = (FILE, "filename", "file_name", "파일", "파일명")
_MAX_ROWS, _MAX_COLUMNS, _MAX_CELL = 10_000, 50, 200
_MAX_BYTES = 20_000_000
_MAX_NAMED = 5  # files that a sentence names


class MetadataTable(NamedTuple):
    """Rows about files.

    Attributes
    ----------
    files : the names of files in its column `file`.
    columns : the other columns by name, a cell per row.
    """

    files: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]


def is_metadata(names: Sequence[str]) -> bool:
    """Whether a table with these columns describes other files: one is called `file`, and none like a text."""
    return _file_column(names) is not None and not {composed(name).strip().lower() for name in names} & set(USUAL_NAMES)


def open_metadata(data: bytes, name: str, encoding: str | None = None) -> MetadataTable:
    """The table in a file: CSV, TSV or any other table that is read.

    Raises
    ------
    InputError : it is not a table, has no column `file`, too many rows, or two rows about one file.
    """
    content, _ = open_corpus(data, name, encoding, _MAX_BYTES)
    column = _file_column(content.names) if isinstance(content, TextTable) else None
    if not isinstance(content, TextTable) or column is None:
        raise InputError("files.no_column", name=name)
    files = tuple(cell.strip() for cell in content.cells(column, _MAX_BYTES))
    if len(files) > _MAX_ROWS:
        raise InputError("files.rows", count=len(files), most=_MAX_ROWS)
    if repeated := [one for one, count in Counter(map(composed, files)).items() if one and count > 1]:
        raise InputError("files.twice", name=repeated[0])
    others = [other for other in content.names[:_MAX_COLUMNS] if other != column]
    cells = {other: content.cells(other, _MAX_BYTES) for other in others}
    return MetadataTable(
        files, {other: tuple(" ".join(c.split())[:_MAX_CELL] for c in cells[other]) for other in others}
    )


def read_metadata(path: str | Path) -> MetadataTable:
    """`open_metadata` of a file."""
    try:
        return open_metadata(read_file(path), Path(path).name)
    except InputError as error:
        raise named(error, path) from None


def described(
    files: CorpusFiles, table: MetadataTable | None = None, pattern: str = ""
) -> tuple[CorpusFiles, tuple[InputError, ...]]:
    """The files with more metadata, and what is odd about it: sentences to show, not reasons to stop.

    Parameters
    ----------
    table : its rows name files by their whole name, or by the last part of a path, with or without the extension.
    pattern : of the names; by default `{register}_{year}_{speaker}`, without a table.

    Raises
    ------
    InputError : the pattern is none, or no row of the table is about one of the files.
    """
    metadata = dict(files.metadata)
    odd: list[InputError] = []
    if pattern or (table is None and not files.metadata):
        own = [name_fields(name, pattern) for name in files.names]
        if unnamed := [name for name, found in zip(files.names, own, strict=True) if not found]:
            odd.append(InputError("files.unnamed", names=_first(unnamed), count=len(unnamed)))
        metadata |= {key: tuple(found.get(key, "") for found in own) for found in own for key in found}
    if table is not None:
        row_of = _rows(files.names, table)
        if unknown := [name for name in files.names if name not in row_of]:
            odd.append(InputError("files.undescribed", names=_first(unknown), count=len(unknown)))
        if absent := [name for row, name in enumerate(table.files) if name and row not in row_of.values()]:
            odd.append(InputError("files.absent", names=_first(absent), count=len(absent)))
        for column, cells in table.columns.items():
            metadata[column] = tuple(cells[row_of[name]] if name in row_of else "" for name in files.names)
    return CorpusFiles(files.names, files.line_ptr, metadata), tuple(odd)


def name_fields(name: str, pattern: str = "") -> dict[str, str]:
    """What a file's name says, by column; empty if it does not follow the pattern.

    Examples
    --------
    >>> name_fields("novel_1998_kim.txt")
    {'register': 'novel', 'year': '1998', 'speaker': 'kim'}
    >>> name_fields("book_reviews.txt.zst")
    {'register': 'book_reviews'}
    >>> name_fields("S01-chat.txt", "{speaker}-{register}")
    {'speaker': 'S01', 'register': 'chat'}
    """
    stem, pattern = _stem(name), composed(pattern)
    if not pattern:
        match = _USUAL_NAME.fullmatch(stem)
        return {key: value for key, value in match.groupdict().items() if value} if match else {}
    first, *parts = _FIELD.split(pattern)
    keys, literals = parts[::2], parts[1::2]
    if not keys or not all(literals[:-1]) or len(set(keys)) < len(keys):
        raise InputError("files.pattern", pattern=pattern, example="{register}_{year}")
    if not stem.startswith(first):
        return {}
    found, rest = {}, stem[len(first) :]
    for key, literal in zip(keys[:-1], literals[:-1], strict=True):
        found[key], is_there, rest = rest.partition(literal)
        if not is_there:
            return {}
    last = literals[-1]
    if not rest.endswith(last):
        return {}
    return {**found, keys[-1]: rest.removesuffix(last)}


def different_names(names: Sequence[str]) -> None:
    """InputError if two files have one name."""
    if repeated := [name for name, count in Counter(names).items() if count > 1]:
        raise InputError("files.same_name", name=repeated[0])


def _rows(names: Sequence[str], table: MetadataTable) -> dict[str, int]:
    """Index of the row of every file that has one."""
    found: dict[str, int] = {}
    # A shortened name says which file is meant only if no other shortens to it.
    for shortened in (composed, _last_part, _stem):
        files, rows = Counter(map(shortened, names)), Counter(map(shortened, table.files))
        row_of = {shortened(name): row for row, name in enumerate(table.files) if name}
        for name in names:
            short = shortened(name)
            if short in row_of and files[short] == 1 and rows[short] == 1:
                found.setdefault(name, row_of[short])
    if not found:
        raise InputError("files.unrelated", name=table.files[0] if table.files else "")
    return found


def _last_part(name: str) -> str:
    return Path(composed(name)).name


def _stem(name: str) -> str:
    stem = _last_part(name)
    while stem.lower().endswith(_ENDINGS) and Path(stem).stem:
        stem = Path(stem).stem
    return stem


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:_MAX_NAMED]) + (", ..." if len(names) > _MAX_NAMED else "")


def _file_column(names: Sequence[str]) -> str | None:
    return next((name for name in names if composed(name).strip().lower() in _FILE_COLUMNS), None)

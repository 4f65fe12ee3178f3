"""Tables with a text column: the column names, a preview of the first rows, and the text of one column."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple
from unicodedata import normalize

from engine.corpus.normalize import composed
from engine.corpus.reading.jsonl import jsonl_cells, jsonl_rows, list_fields
from engine.corpus.reading.lines import split_lines, with_line_feeds
from engine.corpus.reading.unpack import DEFAULT_MAX_BYTES, SizeError
from engine.errors import InputError

MAGIC = b"PAR1"

_ROWS_AT_ONCE = 4096

# Empty rows take no space in the file, but time to read.
_MAX_ROWS = 100_000_000


def parquet_columns(data: bytes) -> list[str]:
    """Names of the columns that contain text; InputError if the file is damaged, or no column contains text."""
    import pyarrow

    schema = _open(data).schema_arrow
    names = [field.name for field in schema if _is_text(field.type, pyarrow.types)]
    if not names:
        raise InputError("parquet.no_text", names=", ".join(schema.names)[:200])
    return names


def parquet_cells(data: bytes, column: str, max_bytes: int) -> Iterator[str | None]:
    """Cells of one column; None for a missing value.

    Raises
    ------
    SizeError : the column contains more than `max_bytes` of text.
    InputError : the file is damaged.
    """
    import pyarrow
    from pyarrow import compute

    file = _open(data, column)
    _check_size(file, column, max_bytes)
    size = 0
    try:
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=[column], use_threads=False):
            # Still dictionary-encoded, so the size is known before repeated texts are expanded.
            cells = batch.column(0)
            size += compute.sum(compute.binary_length(cells.dictionary).take(cells.indices)).as_py() or 0
            if size > max_bytes:
                raise SizeError(max_bytes, column=column)
            yield from cells.dictionary_decode().to_pylist()
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError("parquet.damaged", detail=_first_line(error)) from None


def _open(data: bytes, column: str | None = None) -> Any:
    import pyarrow
    from pyarrow import parquet

    try:
        return parquet.ParquetFile(
            pyarrow.BufferReader(data),
            read_dictionary=None if column is None else [column],
            thrift_string_size_limit=10_000_000,
            thrift_container_size_limit=1_000_000,
        )
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise InputError("parquet.other", detail=_first_line(error)) from None


def _check_size(file: Any, column: str, max_bytes: int) -> None:
    """Reject a column that is too large by the file's footer; a forged one is noticed as the column is read."""
    if file.metadata.num_rows > _MAX_ROWS:
        raise InputError("parquet.rows", rows=file.metadata.num_rows, most=_MAX_ROWS)
    if file.schema_arrow.get_field_index(column) < 0:
        raise InputError("parquet.column", column=column)
    number = next(i for i in range(file.metadata.num_columns) if file.schema.column(i).path == column)
    chunks = [file.metadata.row_group(i).column(number) for i in range(file.metadata.num_row_groups)]
    if sum(chunk.total_uncompressed_size for chunk in chunks) > max_bytes:
        raise SizeError(max_bytes, column=column)


def _is_text(kind: Any, types: Any) -> bool:
    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200] or type(error).__name__


_DELIMITERS = ",;\t|"

# The csv module's default limit, 131,072 characters, is less than a chapter.
_MAX_CELL = 1 << 30


# By file extension, which .gz or .zst may follow.
KINDS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}

_HEAD_ROWS = 20
_MAX_COLUMNS = 1000

# Columns that split a table into parts: so many are looked at, with so many values of so many characters, which make at
# most so many parts.
_MAX_SPLITTING, _MAX_VALUES, _MAX_LABEL, _MAX_PARTS = 50, 40, 100, 400

# Usual names of the text column.
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
USUAL_NAMES = ("text", "document", "sentence", "content", "본문", "문장", "내용", "텍스트", "문서")


class ColumnText(NamedTuple):
    """The text of a column, one cell per line; a multi-line cell is several lines."""

    text: str
    n_cells: int  # cells with text
    n_empty: int  # cells without, omitted
    n_surrogates: int  # lone surrogates, omitted
    n_lines: dict[tuple[str, ...], int]  # by the values of the columns that split it, in order of the text


@dataclass(frozen=True)
class TextTable:
    """A table with a column to be read.

    Parameters
    ----------
    kind : csv, tsv, jsonl or parquet.
    names : unique column names.
    head : the first rows, one cell per column.
    known : the column that is known to contain the text; empty if it is not.
    has_names : whether the first row of a CSV or TSV file is the names.
    """

    kind: str
    names: tuple[str, ...]
    head: tuple[tuple[str, ...], ...]
    content: str | bytes = field(repr=False)
    known: str = ""
    has_names: bool = True

    @property
    def suggested(self) -> str:
        """The most likely text column: one with a usual name, else the one with the most characters in `head`."""
        for name in self.names:
            if name == self.known or name.strip().lower() in USUAL_NAMES:
                return name
        lengths = [sum(len(row[i]) for row in self.head if not _is_number(row[i])) for i in range(len(self.names))]
        return self.names[lengths.index(max(lengths))]

    def splitting(self, column: str, max_bytes: int = DEFAULT_MAX_BYTES) -> tuple[str, ...]:
        """The columns besides the text that split it into parts: few values, each in several rows."""
        names = [name for name in self.names if name not in (column, self.suggested)][:_MAX_SPLITTING]
        if not names:
            return ()
        seen: dict[int, set[str | None]] = {i: set() for i in range(len(names))}
        n_rows = 0
        for row in self._rows(names, max_bytes):
            n_rows += 1
            for i in list(seen):
                if row[i] not in seen[i]:
                    seen[i].add(row[i])
                    if len(seen[i]) > _MAX_VALUES or len(row[i] or "") > _MAX_LABEL:
                        del seen[i]
        parts, chosen = 1, []
        for i, values in seen.items():
            if 2 <= len(values) <= n_rows / 2 and parts * len(values) <= _MAX_PARTS:
                parts *= len(values)
                chosen.append(names[i])
        return tuple(chosen)

    def choices(self, split: Sequence[str]) -> tuple[str, ...]:
        """The columns that may contain the text: not those that split it, and none of nothing but numbers."""
        if self.known:
            return (self.known,)
        is_text = [any(not _is_number(row[i]) for row in self.head if row[i]) for i in range(len(self.names))]
        return tuple(name for name, has in zip(self.names, is_text, strict=True) if has and name not in split)

    def read(self, column: str, max_bytes: int = DEFAULT_MAX_BYTES, split: Sequence[str] = ()) -> ColumnText:
        """Text of a column; rows with the same values of the columns of `split` are one after the other.

        Raises
        ------
        SizeError : the text exceeds `max_bytes` of UTF-8.
        InputError : there is no such column, or a row cannot be read.
        """
        if self.kind == "jsonl" and isinstance(self.content, str) and column in list_fields(self.content):
            raise InputError("jsonl.lists", names=column)
        groups: dict[tuple[str | None, ...], list[str]] = {}
        n_empty = n_surrogates = size = 0
        for cell, *values in self._rows([column, *split], max_bytes):
            if not cell or not cell.strip():
                n_empty += 1
                continue
            try:
                size += len(cell.encode()) + 1
            except UnicodeEncodeError:
                cell, n_lost = _without_surrogates(cell)
                n_surrogates += n_lost
                size += len(cell.encode()) + 1
            if size > max_bytes:
                raise SizeError(max_bytes, column=column)
            groups.setdefault(tuple(values), []).append(with_line_feeds(cell))
        labelled: dict[tuple[str, ...], list[str]] = {}
        for key, cells in groups.items():
            labelled.setdefault(tuple(map(_label, key)), []).extend(cells)
        text = "".join(f"{cell}\n" for cells in labelled.values() for cell in cells)
        n_lines = {label: sum(cell.count("\n") + 1 for cell in cells) for label, cells in labelled.items()}
        return ColumnText(text, sum(map(len, labelled.values())), n_empty, n_surrogates, n_lines)

    def cells(self, column: str, max_bytes: int = DEFAULT_MAX_BYTES) -> list[str]:
        """All cells of a column, including empty ones; without lone surrogates."""
        return [_without_surrogates(cell or "")[0] for (cell,) in self._rows([column], max_bytes)]

    def _rows(self, columns: Sequence[str], max_bytes: int) -> Iterator[tuple[str | None, ...]]:
        """The cells of some columns, row by row."""
        columns = [self._name(column) for column in columns]
        if isinstance(self.content, bytes):
            content = self.content
            return zip(*(parquet_cells(content, column, max_bytes) for column in columns), strict=True)
        if self.kind == "jsonl":
            return jsonl_cells(self.content, columns)
        return self._delimited_rows([self.names.index(column) for column in columns], self.content)

    def _name(self, column: str) -> str:
        """The name of a column, however its syllables are composed."""
        if column in self.names:
            return column
        for name in self.names:
            if normalize("NFC", name) == normalize("NFC", column).strip():
                return name
        raise InputError("table.column", column=column, choices=", ".join(self.names)[:500])

    def _delimited_rows(self, indices: Sequence[int], content: str) -> Iterator[tuple[str | None, ...]]:
        n_cells = 0
        for number, row in enumerate(_delimited(self.kind, content), 1):
            n_cells = n_cells or len(row)
            if any(cell.strip() for cell in row[n_cells:]):
                raise InputError("table.cells", number=number, cells=len(row), names=n_cells)
            if number > self.has_names:
                yield tuple(row[i] if i < len(row) else None for i in indices)


def table_kind(name: str, data: bytes) -> str | None:
    """Kind of table in a file with this name and (uncompressed) content; None for plain text."""
    if data.startswith(MAGIC) and data.endswith(MAGIC):
        return "parquet"
    stem = name.lower().removesuffix(".gz").removesuffix(".zst")
    return next((kind for ending, kind in KINDS.items() if stem.endswith(ending)), None)


def open_table(kind: str, content: str | bytes, max_bytes: int = DEFAULT_MAX_BYTES) -> TextTable:
    """Read the column names and the first rows of a table.

    Parameters
    ----------
    kind : from `table_kind`.
    content : decoded text; the bytes of the file for parquet.
    max_bytes : maximum size of a column's text.

    Raises
    ------
    InputError : the table cannot be read, or has no columns.
    """
    has_names = True
    if isinstance(content, bytes):
        names = parquet_columns(content)[:_MAX_COLUMNS]
        columns = [list(islice(parquet_cells(content, name, max_bytes), _HEAD_ROWS)) for name in names[:20]]
        n_rows = max(map(len, columns))
        head = [[_cut(column[i]) for column in columns] + [""] * (len(names) - len(columns)) for i in range(n_rows)]
    elif kind == "jsonl":
        rows = list(islice(jsonl_rows(content), _HEAD_ROWS))
        keys = list(dict.fromkeys(key for row in rows for key in row))
        has_text = (key for key in keys if any(row.get(key) is not None for row in rows))
        names = [key for key in has_text if not _without_surrogates(key)[1]][:_MAX_COLUMNS]
        head = [[_cut(row.get(name)) for name in names] for row in rows]
    else:
        listed = list(islice(_delimited(kind, content), _HEAD_ROWS + 1)) or [[]]
        has_names = _has_names(listed)
        names = _different([name if has_names else "" for name in listed[0][:_MAX_COLUMNS]])
        head = [[_cut(row[i] if i < len(row) else "") for i in range(len(names))] for row in listed[has_names:]]
    if not names and isinstance(content, str) and kind == "jsonl" and (lists := list_fields(content)):
        raise InputError("jsonl.lists", names=", ".join(lists)[:500])
    if not names:
        raise InputError("table.no_text")
    return TextTable(kind, tuple(names), tuple(map(tuple, head[:_HEAD_ROWS])), content, has_names=has_names)


def _has_names(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row has the names of the columns: not if it is sentences, or looks like the rows below it."""
    first, *rest = [[cell.strip() for cell in row] for row in rows]
    is_numbered = first == [*map(str, range(len(first)))] or first[:1] == [""]  # by pandas; an index has no name
    if is_numbered or {*map(str.lower, first)} & {*USUAL_NAMES}:
        return True
    if all(map(_is_sentence, first)) and (len(first) == 1 or not rest or any(all(map(_is_sentence, r)) for r in rest)):
        return False
    is_like_others = False
    for i, cell in enumerate(first):
        below = [row[i] for row in rest if len(row) > i and row[i]]
        shapes = {*map(_shape, below)}
        shape = shapes.pop() if len(shapes) == 1 else ""
        if cell and _shape(cell) == shape != "":
            is_like_others = True
        elif cell and shape and not re.search(r"[^\W\d_]", shape):  # all below are numbers or dates
            return True
        elif cell in below and first not in rest:
            is_like_others = True
    return not is_like_others


def _shape(cell: str) -> str:
    """What numbers, dates and ids of one kind have in common; empty for a cell without digits."""
    return "0" if _is_number(cell) else re.sub(r"\d+", "0", cell) if re.search(r"\d", cell) else ""


def _is_sentence(cell: str) -> bool:
    """Whether a cell is text rather than the name of a column."""
    return len(cell.split()) > 2 or cell.endswith(_SENTENCE_ENDS)


def _delimited(kind: str, text: str) -> Iterator[list[str]]:
    return csv_rows(text) if kind == "csv" else tsv_rows(text)


def _label(cell: str | None) -> str:
    """A cell as the value of a part."""
    return composed(" ".join(_without_surrogates(cell or "")[0].split())[:_MAX_LABEL])


def _cut(cell: str | None) -> str:
    return _without_surrogates(cell or "")[0][:500]


def _different(names: list[str]) -> list[str]:
    """Make column names non-empty and unique."""
    seen: set[str] = set()
    for i, name in enumerate(names, 1):
        name = base = _without_surrogates(name.strip())[0][:100] or f"#{i}"
        number = 1
        while name in seen:
            number += 1
            name = f"{base} ({number})"
        seen.add(name)
        names[i - 1] = name
    return names


def _is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).replace("-", "", 1).strip().isdigit()


def _without_surrogates(text: str) -> tuple[str, int]:
    """`text` without lone surrogates, and how many were removed; whole pairs become their character."""
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    n_pairs = sum(1 for char in joined if ord(char) > 0xFFFF) - sum(1 for char in text if ord(char) > 0xFFFF)
    return joined, len(text) - len(joined) - n_pairs


def csv_rows(text: str) -> Iterator[list[str]]:
    """Rows of a CSV file, the header first; empty lines are skipped.

    Raises
    ------
    InputError : the file is not valid CSV, e.g. a quotation mark is never closed.
    """
    text = with_line_feeds(text)
    first_line, _, rest = text.partition("\n")
    named = re.fullmatch(r'"?sep=(.)"?', first_line)  # a spreadsheet's own note, not a row
    if named:
        text = rest
    delimiter = named[1] if named else max(_DELIMITERS, key=first_line.count)
    csv.field_size_limit(_MAX_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError("csv.broken", number=reader.line_num, detail=str(error)) from None
        if row:
            yield row


def tsv_rows(text: str) -> Iterator[list[str]]:
    """Rows of a TSV file, the header first; empty lines are skipped."""
    for line in split_lines(text):
        if line:
            yield [_unquoted(cell) for cell in line.split("\t")]


def _unquoted(cell: str) -> str:
    if len(cell) < 2 or cell[0] != '"' or cell[-1] != '"':
        return cell
    inside = cell[1:-1]
    # If an inner quotation mark is not doubled, the outer ones belong to the text.
    return cell if '"' in inside.replace('""', "") else inside.replace('""', '"')

"""Parquet: string columns, read in batches, since a small file can describe a huge table."""

from collections.abc import Iterator
from typing import Any

from engine.corpus.reading.unpack import SizeError
from engine.errors import InputError

_UNCOMPRESSED, _COMPRESSED = 2, 3
_MAX_DEPTH = 8


MAGIC = b"PAR1"

_ROWS_AT_ONCE = 4096

# Empty rows take no space in the file, but time to read.
_MAX_ROWS = 100_000_000


def parquet_columns(data: bytes) -> list[str]:
    """Names of the columns that contain text.

    Raises
    ------
    InputError : the file is damaged, or no column contains text.
    """
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
    _check_size(file, data, column, max_bytes)
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


def _check_size(file: Any, data: bytes, column: str, max_bytes: int) -> None:
    """Reject a column that is too large by the file's footer or, as the footer may be forged, by its page headers."""
    if file.metadata.num_rows > _MAX_ROWS:
        raise InputError("parquet.rows", rows=file.metadata.num_rows, most=_MAX_ROWS)
    if file.schema_arrow.get_field_index(column) < 0:
        raise InputError("parquet.column", column=column)
    number = next(i for i in range(file.metadata.num_columns) if file.schema.column(i).path == column)
    chunks = [file.metadata.row_group(i).column(number) for i in range(file.metadata.num_row_groups)]
    if sum(chunk.total_uncompressed_size for chunk in chunks) > max_bytes:
        raise SizeError(max_bytes, column=column)
    total = 0
    for chunk in chunks:
        begin = min(at for at in (chunk.dictionary_page_offset, chunk.data_page_offset) if at)
        total += unpacked_page_sizes(data, begin, begin + chunk.total_compressed_size, max_bytes - total)
        if total > max_bytes:
            raise SizeError(max_bytes, column=column)


def _is_text(kind: Any, types: Any) -> bool:
    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200] or type(error).__name__


def unpacked_page_sizes(data: bytes, begin: int, end: int, max_bytes: int) -> int:
    """Uncompressed bytes of the pages between two file offsets; stops counting above `max_bytes`.

    Raises
    ------
    InputError : the headers cannot be read.
    """
    total, at = 0, begin
    try:
        while at < end and total <= max_bytes:
            header, at = _struct(data, at, 0)
            if header[_UNCOMPRESSED] < 0 or header[_COMPRESSED] < 0:
                raise ValueError("a negative size")
            total += header[_UNCOMPRESSED]
            at += header[_COMPRESSED]
    except (IndexError, KeyError, ValueError):
        raise InputError("parquet.page") from None
    return total


def _struct(data: bytes, at: int, depth: int) -> tuple[dict[int, int], int]:
    """Integer fields of a struct by field id, and its end offset; other fields are skipped."""
    if depth > _MAX_DEPTH:
        raise ValueError("structures too deep")
    integers: dict[int, int] = {}
    field = 0
    while data[at]:
        kind, delta = data[at] & 15, data[at] >> 4
        at += 1
        if delta:
            field += delta
        else:
            number, at = _varint(data, at)
            field = _signed(number)
        if kind in (4, 5, 6):
            number, at = _varint(data, at)
            integers[field] = _signed(number)
        elif kind not in (1, 2):  # a Boolean field has its value in the type
            at = _skip(data, at, kind, depth)
    return integers, at + 1


def _skip(data: bytes, at: int, kind: int, depth: int) -> int:
    if kind in (1, 2, 3):
        return at + 1
    if kind in (4, 5, 6):
        return _varint(data, at)[1]
    if kind == 7:
        return at + 8
    if kind == 8:
        size, at = _varint(data, at)
        return at + size
    if kind in (9, 10):
        size, inner = data[at] >> 4, data[at] & 15
        at += 1
        if size == 15:
            size, at = _varint(data, at)
        for _ in range(size):
            at = _skip(data, at, inner, depth + 1)
            data[at]  # IndexError if a huge size runs past the end of the file
        return at
    if kind == 12:
        return _struct(data, at, depth + 1)[1]
    raise ValueError(f"type {kind}")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while data[at] & 128:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if shift > 63:
            raise ValueError("a number too long")
    return value | data[at] << shift, at + 1


def _signed(number: int) -> int:
    """Decode a zigzag-encoded integer."""
    return (number >> 1) ^ -(number & 1)

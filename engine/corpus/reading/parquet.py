"""Parquet: string columns, read in batches, since a small file can describe a huge table."""

from collections.abc import Iterator
from typing import Any

from engine.corpus.reading.unpack import SizeError
from engine.errors import InputError

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

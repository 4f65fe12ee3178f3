"""The uncompressed size of a Parquet column, read from its page headers.

The file's footer has it too, but may be forged, and a reader allocates the size in the page header. Page headers are
Thrift structs in the compact protocol (apache/thrift, doc/specs/thrift-compact-protocol.md) with the fields 2,
uncompressed_page_size, and 3, compressed_page_size (apache/parquet-format, parquet.thrift).
"""

from engine.errors import InputError

_UNCOMPRESSED, _COMPRESSED = 2, 3
_MAX_DEPTH = 8


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

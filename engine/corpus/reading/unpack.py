"""Unpacking .gz and .zst without trusting them: a few kB can unpack to many GB.

Files are told apart by their first bytes, never by their names. The unpacked size is counted first, piece by piece
and without keeping anything, so a bomb costs the memory of one piece and the time up to the limit.
"""

import gzip
import io
import zlib
from typing import IO, Any

from engine.errors import InputError

# For whoever sets no limit of their own, as on the command line.
DEFAULT_MAX_BYTES = 2 << 30

_PIECE = 1 << 18
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"

# Containers that hold several files, or text only by way of another program.
_OTHERS = {
    b"PK\x03\x04": "a zip archive or an Office document; unpack it, or save it as text or CSV",
    b"PK\x05\x06": "an empty zip archive; choose a text file",
    b"BZh": "packed with bzip2; unpack it, or pack it with gzip or zstd",
    b"\xfd7zXZ\x00": "packed with xz; unpack it, or pack it with gzip or zstd",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive; unpack it first",
    b"Rar!\x1a\x07": "a rar archive; unpack it first",
    b"%PDF-": "a PDF; copy its text into a text file",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old Office document; save it as text or CSV",
}


class SizeError(InputError):
    """A text is larger than the limit.

    Parameters
    ----------
    max_bytes : the limit.
    what : is so large, where it is no column of a table.
    column : name of the column that is.
    """

    def __init__(self, max_bytes: int, what: str = "the file", column: str = "") -> None:
        too_much = "holds more than {megabytes:,.0f} MB, which is the limit; use a smaller part of it"
        if column:
            values = {"column": column, "megabytes": max_bytes / 1e6}
            super().__init__("the column {column!r} " + too_much, code="file.large_column", **values)
        else:
            super().__init__("{what} " + too_much, code="file.large", what=what, megabytes=max_bytes / 1e6)
        self.max_bytes = max_bytes


def is_packed(data: bytes) -> bool:
    """Whether the content is that of a .gz or .zst file."""
    return data.startswith((_GZIP, _ZSTD))


def unpack(data: bytes, max_bytes: int = DEFAULT_MAX_BYTES) -> bytes:
    """Content of a .gz or .zst file; any other content as it is.

    Parameters
    ----------
    data : the whole file.
    max_bytes : most bytes that may come out.

    Raises
    ------
    SizeError : more than `max_bytes` would come out (or are there already).
    InputError : it is damaged or cut off, packed twice, or an archive of another kind.
    """
    if not is_packed(data):
        _refuse_others(data)
        if len(data) > max_bytes:
            raise SizeError(max_bytes)
        return data
    size = _unpacked_size(data, max_bytes)
    content = bytearray(size)
    with _open(data) as stream:
        view, at = memoryview(content), 0
        while at < size:
            piece = stream.read(min(_PIECE, size - at))
            view[at : at + len(piece)] = piece
            at += len(piece)
        view.release()
    return bytes(content)


def _unpacked_size(data: bytes, max_bytes: int) -> int:
    size = 0
    try:
        with _open(data) as stream:
            while piece := stream.read(_PIECE):
                if size == 0 and is_packed(piece):
                    raise InputError("the file is packed twice; unpack it once", code="packed.twice")
                if size == 0:
                    _refuse_others(piece)
                size += len(piece)
                if size > max_bytes:
                    raise SizeError(max_bytes, "the unpacked file")
    except (OSError, EOFError, zlib.error):
        raise InputError(
            "the packed file is damaged or cut off; copy or download it again", code="packed.damaged"
        ) from None
    return size


def _open(data: bytes) -> IO[bytes] | Any:
    if data.startswith(_GZIP):
        return gzip.GzipFile(fileobj=io.BytesIO(data))
    import pyarrow  # takes a while to load, and few files need it

    return pyarrow.CompressedInputStream(pyarrow.BufferReader(data), "zstd")


def _refuse_others(data: bytes) -> None:
    for magic, what in _OTHERS.items():
        if data.startswith(magic):
            raise InputError("the file is {what}", code="file.kind", what=what)

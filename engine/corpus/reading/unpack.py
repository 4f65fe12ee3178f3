"""Safe decompression of .gz and .zst: a few kB can expand to many GB.

Files are recognized by their first bytes, never by their names. A first pass counts the decompressed size without
keeping anything, so a bomb costs one buffer and the time to reach the limit.
"""

import gzip
import io
import zlib
from typing import IO, Any

from engine.errors import InputError

# Default limit, used on the command line.
DEFAULT_MAX_BYTES = 2 << 30

_PIECE = 1 << 18
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"

# Unsupported formats: archives, other compressors and documents.
_OTHERS = {
    b"HWP Document File": "hwp",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "empty_zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "rar",
    b"%PDF-": "pdf",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "old_office",
}
# What tells one document from others in the same container.
_INSIDE = {b"HWP Document File": "hwp", b"application/hwp+zip": "hwp", b"application/epub+zip": "epub"}


class SizeError(InputError):
    """A text is larger than the limit.

    Parameters
    ----------
    max_bytes : the limit.
    what : `file` or `unpacked_file`, the key of a phrase in the catalogue.
    column : the column that is too large, if it is not a file.
    """

    def __init__(self, max_bytes: int, what: str = "file", column: str = "") -> None:
        megabytes = max_bytes / 1e6
        if column:
            super().__init__("file.large_column", column=column, megabytes=megabytes)
        else:
            super().__init__("file.large", what=what, megabytes=megabytes)


def is_packed(data: bytes) -> bool:
    """Whether `data` is a .gz or .zst file."""
    return data.startswith((_GZIP, _ZSTD))


def unpack(data: bytes, max_bytes: int = DEFAULT_MAX_BYTES) -> bytes:
    """Decompress a .gz or .zst file; any other content is returned unchanged.

    Parameters
    ----------
    data : the whole file.
    max_bytes : maximum size of the result.

    Raises
    ------
    SizeError : the result would exceed `max_bytes`.
    InputError : the file is damaged, truncated, compressed twice, or in an unsupported format.
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
                    raise InputError("packed.twice")
                if size == 0:
                    _refuse_others(piece)
                size += len(piece)
                if size > max_bytes:
                    raise SizeError(max_bytes, "unpacked_file")
    except (OSError, EOFError, zlib.error):
        raise InputError("packed.damaged") from None
    return size


def _open(data: bytes) -> IO[bytes] | Any:
    if data.startswith(_GZIP):
        return gzip.GzipFile(fileobj=io.BytesIO(data))
    import pyarrow  # slow to load, and few files need it

    return pyarrow.CompressedInputStream(pyarrow.BufferReader(data), "zstd")


def _refuse_others(data: bytes) -> None:
    for magic, what in _OTHERS.items():
        if data.startswith(magic):
            inside = (name for mark, name in _INSIDE.items() if mark in data)
            raise InputError("file.kind", what=next(inside, what))

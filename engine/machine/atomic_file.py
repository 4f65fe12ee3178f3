"""Files that several processes use: atomic reading and writing, and locks."""

import errno
import os
import sys
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from engine.errors import InputError

STDIN = "-"  # as a path, on the command line

# ValueError: an invalid path, for example with a lone surrogate.
_FAILURES = (OSError, ValueError)


def standard_input() -> bytes:
    """All of it: it can be read only once, and a command may open a file several times."""
    return _content(sys.stdin.buffer)


@lru_cache(maxsize=1)
def _content(stream: BinaryIO) -> bytes:
    return stream.read()


@lru_cache(maxsize=8)
def _of_pipe(path: Path, _number: int) -> bytes:
    """As `standard_input`, of `<(command)` in a shell; the number tells one pipe from another of this path."""
    return path.read_bytes()


def read_file(path: str | Path, kind: type[InputError] = InputError) -> bytes:
    """Content of the file, or of standard input (STDIN); raises `kind` if it cannot be read."""
    try:
        if path == STDIN:
            return standard_input()
        path = Path(path)
        return _of_pipe(path, path.stat().st_ino) if path.is_fifo() else path.read_bytes()
    except _FAILURES as error:
        raise kind("file.unreadable", path=path, detail=_detail(error)) from None


def write_whole(path: str | Path, data: bytes | Iterable[bytes]) -> None:
    """Write `data` (bytes or chunks of them) to a temporary file beside `path`, then rename it.

    No reader sees a partial file, and a failure keeps the old one. A link stays one. A device or a pipe (/dev/null,
    /dev/stdout) is no file to replace: it is written to.

    Raises
    ------
    InputError : the file cannot be written, or whatever the chunks raise.
    """
    part: Path | None = None
    try:
        path, target = Path(path), _target(path)
        part = target and target.with_name(f"{target.name}.{uuid.uuid4().hex}.part")  # unique: two threads may write
        with (part or path).open("wb") as file:
            file.writelines((data,) if isinstance(data, bytes) else data)
        if part and target:
            part.replace(target)
    except _FAILURES as error:
        with suppress(*_FAILURES):  # unlink fails on a read-only disk
            if part is not None:
                part.unlink(missing_ok=True)
        if isinstance(error, InputError):  # of what makes the data
            raise
        raise InputError("file.unwritable", path=path, detail=_detail(error)) from None


def check_writable(path: str | Path) -> None:
    """Refuse a path to which nothing can be written, before work for it begins: InputError."""
    try:
        if Path(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if target := _target(path):
            tempfile.TemporaryFile(dir=target.parent).close()
    except _FAILURES as error:
        raise InputError("file.unwritable", path=path, detail=_detail(error)) from None


def _target(path: str | Path) -> Path | None:
    """The file that a new one replaces, at the end of a link; None for a device or a pipe."""
    path = Path(path)
    is_stream = path.exists() and not path.is_file() and not path.is_dir()
    return None if is_stream else Path(os.path.realpath(path))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path`, once no other process does. A process that is killed frees its locks.

    Where no such file can be made or locked, nothing is locked.
    """
    descriptor = -1
    with suppress(ImportError, OSError):  # Windows; a full or read-only disk; a file system without locks
        import fcntl

        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _detail(error: Exception) -> object:
    return getattr(error, "strerror", None) or error

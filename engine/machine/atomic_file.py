"""Files that several processes use: atomic reading and writing, and locks."""

import os
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import InputError

# ValueError: an invalid path, for example with a lone surrogate.
_FAILURES = (OSError, ValueError)


def read_file(path: str | Path, kind: type[InputError] = InputError) -> bytes:
    """Content of the file; raises `kind` if it cannot be read."""
    try:
        return Path(path).read_bytes()
    except _FAILURES as error:
        raise kind("file.unreadable", path=path, detail=_detail(error)) from None


def write_whole(path: str | Path, data: bytes | Iterable[bytes]) -> None:
    """Write `data` (bytes or chunks of them) to a temporary file beside `path`, then rename it.

    No reader sees a partial file, and a failure keeps the old one.

    Raises
    ------
    InputError : the file cannot be written.
    """
    part: Path | None = None
    try:
        path = Path(path)
        part = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")  # unique: two threads may write at once
        with part.open("wb") as file:
            file.writelines((data,) if isinstance(data, bytes) else data)
        part.replace(path)
    except _FAILURES as error:
        with suppress(*_FAILURES):  # unlink fails on a read-only disk
            if part is not None:
                part.unlink(missing_ok=True)
        raise InputError("file.unwritable", path=path, detail=_detail(error)) from None


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

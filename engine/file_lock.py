"""Locks between processes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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

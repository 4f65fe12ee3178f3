"""Models from outside are marked before their first use here; the mark of one that crashed the server stays.

A mark is an empty file named by the SHA-256 of the model file, locked for as long as its server lives. An unlocked mark
was left by a server that died: that model is not opened again.
"""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from engine.errors import InputError
from engine.machine.folders import safe_cache_folder

_log = logging.getLogger(__name__)
_N_DIGITS = 16

# Marks to clear when the run of a page ends; None outside of one.
_begun: ContextVar[list[str] | None] = ContextVar("begun", default=None)


class Quarantine:
    """The marks in a folder that outlives the server."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, int] = {}  # descriptors of this process's marks
        self._used: set[str] = set()

    def check(self, sha256: str) -> None:
        """InputError if the server died on the first use of this model."""
        path = self._path(sha256)
        if sha256 not in self._held and _is_left(path):
            raise InputError("reading.quarantined", mark=path.name)

    @contextmanager
    def page_run(self) -> Iterator[None]:
        """Models first used inside keep their marks until the end."""
        token = _begun.set([])
        try:
            yield
        finally:
            for sha256 in _begun.get() or []:
                self._clear(sha256)
            _begun.reset(token)

    @contextmanager
    def first_use(self, sha256: str) -> Iterator[None]:
        """Mark a model while it is used; inside `page_run`, until that ends."""
        if sha256 in self._used:
            yield
            return
        self._mark(sha256)
        begun = _begun.get()
        try:
            yield
        finally:
            if begun is None:
                self._clear(sha256)
            else:
                begun.append(sha256)

    def _path(self, sha256: str) -> Path:
        return self._folder / sha256[:_N_DIGITS]

    def _mark(self, sha256: str) -> None:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self._path(sha256), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:  # a full disk must not stop anyone from working
            _log.warning("a model could not be marked: %s", type(error).__name__)
            return
        _lock(descriptor)
        other = self._held.setdefault(sha256, descriptor)
        if other != descriptor:  # another visitor marked it first
            os.close(descriptor)

    def _clear(self, sha256: str) -> None:
        self._used.add(sha256)
        descriptor = self._held.pop(sha256, None)
        if descriptor is not None:
            with suppress(OSError):
                self._path(sha256).unlink(missing_ok=True)
            os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Try to take the lock; True if this process now holds it."""
    try:
        import fcntl
    except ImportError:  # Windows: another server's mark counts as abandoned
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_left(path: Path) -> bool:
    """Whether there is a mark that no living server holds."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        # Its server may have removed it at this very moment.
        return _lock(descriptor) and path.exists()
    finally:
        os.close(descriptor)


def quarantine() -> Quarantine:
    return _server_quarantine()


@cache
def _server_quarantine() -> Quarantine:
    return Quarantine(safe_cache_folder("quarantine"))

"""Changes that arrive at the same moment share a transaction: one wait for the disk instead of one each."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from app.server.store.sqlite.database import stay_open, transaction
from app.server.store.store import LibraryError

T = TypeVar("T")


class _Change(Generic[T]):
    """A change that waits for its transaction, and what came of it."""

    def __init__(self, change: Callable[[sqlite3.Connection], T]) -> None:
        self._change = change
        self._result: list[T] = []
        self.error: BaseException | None = None
        self.is_over = False

    def attempt(self, db: sqlite3.Connection) -> None:
        """Change, or record why not; then nothing of it is left in the transaction."""
        db.execute("SAVEPOINT one")
        try:
            self._result = [self._change(db)]
        except LibraryError as error:
            self.error = error
            db.execute("ROLLBACK TO one")
        db.execute("RELEASE one")

    def result(self) -> T:
        """What the change returned; raises what it raised."""
        if self.error is not None:
            raise self.error
        return self._result[0]


class Together:
    """Runs changes of the file at `path`, from any thread.

    Whoever comes while a transaction is being written waits for the next one, which takes everybody who waits. From the
    first change on a connection stays open: copying SQLite's log into the file after each one would take longer than
    writing it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writing, self._joining = threading.Lock(), threading.Lock()
        self._waiting: list[_Change[Any]] = []
        self._open: sqlite3.Connection | None = None

    def run(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Run the change; once this returns, what it returned is on the disk.

        Raises
        ------
        LibraryError : of the change, which changed nothing then, or of the transaction.
        """
        own = _Change(change)
        with self._joining:
            self._waiting.append(own)
        with self._writing:
            if not own.is_over:  # else somebody took it along
                self._write()
        return own.result()

    def _write(self) -> None:
        with self._joining:
            together, self._waiting = self._waiting, []
        try:
            with transaction(self._path) as db:
                self._open = self._open or stay_open(self._path)
                for one in together:
                    one.attempt(db)
        except BaseException as error:
            for one in together:
                one.error = error
            raise
        finally:
            for one in together:
                one.is_over = True

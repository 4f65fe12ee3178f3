"""Changes that arrive at the same moment share a transaction: one wait for the disk instead of one each."""

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from app.server.store.sqlite.database import stay_open, transaction
from app.server.store.store import LibraryError

T = TypeVar("T")


class Together:
    """Runs changes of the file at `path`, from any thread.

    Whoever comes while a transaction is being written waits for the next one, which takes everybody who waits. From the
    first change on a connection stays open: copying SQLite's log into the file after each one would take longer than
    writing it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writing, self._joining = threading.Lock(), threading.Lock()
        self._waiting: list[tuple[Callable[[sqlite3.Connection], Any], Future[Any]]] = []
        self._open: sqlite3.Connection | None = None

    def run(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Run the change; once this returns, what it returned is on the disk.

        Raises
        ------
        LibraryError : of the change, which changed nothing then, or of the transaction.
        """
        result: Future[T] = Future()
        with self._joining:
            self._waiting.append((change, result))
        with self._writing:
            if not result.done():  # else somebody took it along
                self._write()
        return result.result()

    def _write(self) -> None:
        with self._joining:
            together, self._waiting = self._waiting, []
        results: list[Any] = []
        try:
            with transaction(self._path) as db:
                self._open = self._open or stay_open(self._path)
                results += [_attempt(db, change) for change, _ in together]
        except BaseException as error:
            results = [error] * len(together)
            raise
        finally:
            for (_, future), result in zip(together, results, strict=True):
                if isinstance(result, BaseException):
                    future.set_exception(result)
                else:
                    future.set_result(result)


def _attempt(db: sqlite3.Connection, change: Callable[[sqlite3.Connection], T]) -> T | LibraryError:
    """What the change returned, or why it was not made; then nothing of it is left in the transaction."""
    db.execute("SAVEPOINT one")
    try:
        return change(db)
    except LibraryError as error:
        db.execute("ROLLBACK TO one")
        return error
    finally:
        db.execute("RELEASE one")

"""Changes that share a transaction: all of them are stored, or none, and each says what came of it."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.classroom.store.records import ClosedError
from app.server.store.sqlite import database as module
from app.server.store.sqlite.database import Together
from app.server.store.sqlite.sqlite_store import SqliteStore
from app.server.store.store import LibraryError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A library with a table of numbers."""
    SqliteStore(tmp_path)
    (found,) = tmp_path.glob("*.sqlite")
    with sqlite3.connect(found) as db:
        db.execute("CREATE TABLE number (n INTEGER PRIMARY KEY)")
    return found


def _numbers(path: Path) -> list[int]:
    with sqlite3.connect(path) as db:
        return [n for (n,) in db.execute("SELECT n FROM number ORDER BY n")]


def _add(n: int) -> object:
    def change(db: sqlite3.Connection) -> int:
        db.execute("INSERT INTO number VALUES (?)", (n,))
        if n % 10 == 0:
            raise ClosedError("room.closed")
        return n

    return change


def test_each_change_is_stored_once_or_refused(path: Path) -> None:
    together = Together(path)

    def attempt(n: int) -> int | None:
        try:
            return together.run(_add(n))
        except ClosedError:
            return None

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(attempt, range(100)))
    assert told == [None if n % 10 == 0 else n for n in range(100)]
    assert _numbers(path) == [n for n in range(100) if n % 10]


def test_who_waits_shares_the_next_transaction(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, transaction = [], module.transaction
    monkeypatch.setattr(module, "transaction", lambda of: begun.append(of) or transaction(of))
    together, is_first, may_end = Together(path), threading.Event(), threading.Event()

    def slow(db: sqlite3.Connection) -> None:
        is_first.set()
        assert may_end.wait(10)

    with ThreadPoolExecutor(6) as pool:
        first = pool.submit(together.run, slow)
        assert is_first.wait(10)
        others = [pool.submit(together.run, _add(n)) for n in range(1, 6)]
        while len(together._waiting) < 5:
            pass
        may_end.set()
        assert first.result() is None and [one.result() for one in others] == [1, 2, 3, 4, 5]
    assert len(begun) == 2 and _numbers(path) == [1, 2, 3, 4, 5]


def test_a_transaction_that_fails_stores_nothing_and_the_next_one_works(path: Path) -> None:
    together = Together(path)
    together.run(_add(1))
    with pytest.raises(LibraryError):
        together.run(lambda db: db.execute("INSERT INTO number VALUES (1)"))  # the number is there
    with pytest.raises(ZeroDivisionError):
        together.run(lambda db: (db.execute("INSERT INTO number VALUES (2)"), 1 // 0))
    assert together.run(_add(3)) == 3
    assert _numbers(path) == [1, 3]

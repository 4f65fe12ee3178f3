"""Changes that share a transaction: all of them are stored, or none, and each says what came of it."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.classroom.store.records import ClosedError
from app.server.store.database import Database, Together, Transaction
from app.server.store.store import LibraryError
from app.server.store.tables import Store


@pytest.fixture
def database(store: Store) -> Iterator[Database]:
    """A library with a table of numbers."""
    with store.database.transaction() as db:
        db.execute("CREATE TABLE numbers (n INTEGER PRIMARY KEY)")
    yield store.database
    with store.database.transaction() as db:
        db.execute("DROP TABLE numbers")


def _numbers(database: Database) -> list[int]:
    with database.reading() as db:
        return [n for (n,) in db.execute("SELECT n FROM numbers ORDER BY n")]


def _add(n: int) -> object:
    def change(db: Transaction) -> int:
        db.execute("INSERT INTO numbers VALUES (?)", (n,))
        if n % 10 == 0:
            raise ClosedError("room.closed")
        return n

    return change


def test_each_change_is_stored_once_or_refused(database: Database) -> None:
    together = Together(database)

    def attempt(n: int) -> int | None:
        try:
            return together.run(_add(n))
        except ClosedError:
            return None

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(attempt, range(100)))
    assert told == [None if n % 10 == 0 else n for n in range(100)]
    assert _numbers(database) == [n for n in range(100) if n % 10]


def test_who_waits_shares_the_next_transaction(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, transaction = [], database.transaction
    monkeypatch.setattr(database, "transaction", lambda: begun.append(1) or transaction())
    together, is_first, may_end = Together(database), threading.Event(), threading.Event()

    def slow(db: Transaction) -> None:
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
    assert len(begun) == 2 and _numbers(database) == [1, 2, 3, 4, 5]


def test_a_transaction_that_fails_stores_nothing_and_the_next_one_works(database: Database) -> None:
    together = Together(database)
    together.run(_add(1))
    with pytest.raises(LibraryError):
        together.run(lambda db: db.execute("INSERT INTO numbers VALUES (1)"))  # the number is there
    with pytest.raises(ZeroDivisionError):
        together.run(lambda db: (db.execute("INSERT INTO numbers VALUES (2)"), 1 // 0))
    assert together.run(_add(3)) == 3
    assert _numbers(database) == [1, 3]

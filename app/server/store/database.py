"""What every database of the store offers, and changes that share a transaction."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from app.server.store.store import LibraryError

# The columns of a query; only the query says their types.
Row: TypeAlias = tuple[Any, ...]
# A row, or None where there is none.
MaybeRow: TypeAlias = Any
T = TypeVar("T")


class Rows(Protocol):
    """What came of a statement."""

    @property
    def rowcount(self) -> int: ...
    @property
    def description(self) -> MaybeRow: ...
    def fetchone(self) -> MaybeRow: ...
    def fetchall(self) -> list[MaybeRow]: ...
    def __iter__(self) -> Iterator[MaybeRow]: ...


class Transaction(Protocol):
    """A connection inside a transaction. Queries have `?` where values go, and words that both databases know."""

    def execute(self, query: str, values: Sequence[object] = ..., /) -> Rows: ...


Change: TypeAlias = Callable[[Transaction], T]


class Meeting(NamedTuple):
    """A transaction in which one process decides what all go by.

    Parameters
    ----------
    session : the number of this process.
    present : those of all processes that still take part.
    """

    db: Transaction
    session: int
    present: frozenset[int]


class Database:
    """Where the tables are. Whatever fails is a LibraryError."""

    tells = False  # whether it tells of changes that others make, and has meetings

    def reading(self) -> AbstractContextManager[Transaction]:
        """For queries, which all see the same moment."""
        raise NotImplementedError

    def transaction(self) -> AbstractContextManager[Transaction]:
        """For changes: the only writer until the end, where they are stored, or none of them if there was an error."""
        raise NotImplementedError

    def delete(self, change: Change[object]) -> None:
        """Make a change that frees space, in a transaction."""
        with self.transaction() as db:
            change(db)

    def news(self, seconds: float) -> set[str] | None:
        """Ids of rooms that were changed or removed since the last call, by anybody, as soon as there is one.

        Returns
        -------
        After `seconds` an empty set; None if the database does not tell, or missed some: any room may have changed.
        """
        return None

    def meeting(self, waits: bool) -> AbstractContextManager[Meeting | None]:
        """For what processes decide one after the other; a process that does not do so every minute takes no part.

        Parameters
        ----------
        waits : until no other process decides; else there is no meeting then.
        """
        raise NotImplementedError

    def leave(self) -> None:
        """Take no part in meetings, until the next one."""

    def follow_numbers(self, db: Transaction) -> None:
        """Number new rows after those that were inserted with their numbers."""

    def stay_open(self) -> None:
        """Be ready for many changes."""

    def close(self) -> None:
        """Let connections go that are kept open."""

    def require_space(self, n_bytes: int) -> None:
        """LibraryError if it is known that these do not fit any more."""


class Together:
    """Runs changes, from any thread.

    Whoever comes while a transaction is being written waits for the next one, which takes everybody who waits.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writing, self._joining = threading.Lock(), threading.Lock()
        self._waiting: list[tuple[Change[Any], Future[Any]]] = []

    def run(self, change: Change[T]) -> T:
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
            with self._database.transaction() as db:
                self._database.stay_open()
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


def _attempt(db: Transaction, change: Change[T]) -> T | LibraryError:
    """What the change returned, or why it was not made; then nothing of it is left in the transaction."""
    db.execute("SAVEPOINT one")
    try:
        result: T | LibraryError = change(db)
    except LibraryError as error:
        db.execute("ROLLBACK TO SAVEPOINT one")
        result = error
    db.execute("RELEASE SAVEPOINT one")
    return result

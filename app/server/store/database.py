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


class TaskRow(NamedTuple):
    """A task of a process in the queue of all: it waits (`turn` 0), runs or is over, or gives way (GAVE_WAY).

    Parameters
    ----------
    number : by arrival; 0 for a new one.
    visitors : their hashes, as JSON.
    began : seconds since 1970.
    """

    number: int
    session: int
    kind: str
    visitors: str
    turn: int
    began: int
    is_over: int = 0


GAVE_WAY = -1
# A turn is remembered, for the sake of the order, for so many more.
_MAX_TURNS = 200


class Meeting:
    """A transaction in which one process decides which tasks begin.

    Parameters
    ----------
    session : the number of this process.
    present : those of all processes that still take part.
    """

    def __init__(self, db: Transaction, session: int, present: Sequence[int]) -> None:
        self.session, self._db, self._own = session, db, dict[int, TaskRow]()
        # What processes that are gone had is free again.
        places = ", ".join("?" * len(present))
        db.execute(f"DELETE FROM work WHERE is_over = 0 AND session NOT IN ({places})", present)
        db.execute("DELETE FROM work WHERE is_over = 1 AND turn < (SELECT max(turn) FROM work) - ?", (_MAX_TURNS,))

    def read(self, n_turns: int) -> list[TaskRow]:
        """What waits or runs, or had a later turn than that."""
        query = f"SELECT {', '.join(TaskRow._fields)} FROM work WHERE is_over = 0 OR turn > ?"
        rows = [TaskRow(*row) for row in self._db.execute(query, (n_turns,))]
        self._own = {row.number: row for row in rows if row.session == self.session and not row.is_over}
        return rows

    def write(self, rows: Sequence[TaskRow], give_way: Sequence[int]) -> list[int]:
        """Store what has changed since `read`, and which tasks of others give way.

        Parameters
        ----------
        rows : of all tasks of this process.

        Returns
        -------
        Their numbers.
        """
        db, gone, numbers = self._db, self._own, list[int]()
        for row in rows:
            old = gone.pop(row.number, None)
            if old is None or row != old._replace(began=row.began):
                db.execute("DELETE FROM work WHERE number = ?", (row.number,))
                # A new one gets its number from the database.
                names, values = zip(*(item for item in row._asdict().items() if item != ("number", 0)), strict=True)
                places = ", ".join("?" * len(values))
                query = f"INSERT INTO work ({', '.join(names)}) VALUES ({places}) RETURNING number"
                row = row._replace(number=db.execute(query, values).fetchone()[0])
            numbers.append(row.number)
        for row in gone.values():
            done = "UPDATE work SET is_over = 1" if row.turn > 0 else "DELETE FROM work"
            db.execute(f"{done} WHERE number = ?", (row.number,))
        for number in give_way:
            db.execute("UPDATE work SET turn = ? WHERE number = ?", (GAVE_WAY, number))
        return numbers


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

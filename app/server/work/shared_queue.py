"""One queue for all processes that share a library in PostgreSQL: a table of what each has in its own.

A task waits and runs in the process that has its text and its visitor; rows say when it is its turn. Processes decide
one after the other, each with the rows of all in view, in the order of `app.server.work.work_queue`. Rows of a process
that has died, or hangs for a minute, are removed by whoever decides next.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from app.server.store.database import Database, Meeting
from app.server.store.store import LibraryError
from app.server.visitors import NOBODY, Visitor
from app.server.work.work_kinds import Errand
from app.server.work.work_queue import CANCELLED, QUEUED, RUNNING, Task, WorkQueue

# A turn is remembered, for the sake of the order, for so many more.
_MAX_TURNS = 200
NOTICE_SECONDS, _ATTEND_SECONDS = 0.5, 10.0
# After so long without the database each process goes by its own queue.
_ALONE_SECONDS = 30.0
_GAVE_WAY = -1
_log = logging.getLogger(__name__)


class _TaskRow(NamedTuple):
    """A task that waits (`turn` 0), runs or is over, or gave way in a full queue.

    Parameters
    ----------
    visitors : their hashes, as JSON.
    """

    number: int
    session: int
    kind: str
    visitors: str
    turn: int
    began: int
    is_over: int

    def task(self) -> Task:
        visitors = [Visitor(*visitor) for visitor in json.loads(self.visitors)]
        return Task(
            Errand(self.kind, {}),
            NOBODY,
            number=self.number,
            turn=self.turn,
            state=RUNNING if self.turn else QUEUED,
            waiting={str(n): visitor for n, visitor in enumerate(visitors)},
            began=self.turn and time.monotonic() - max(0.0, time.time() - self.began),
        )


class SharedQueue:
    """What this process has in the queue of all.

    Parameters
    ----------
    queue : of this process, which is used with the `lock`.
    database : opens the database of all; LibraryError if that is impossible.
    """

    def __init__(self, queue: WorkQueue, lock: "threading.RLock", database: Callable[[], Database]) -> None:
        self._queue, self._lock, self._database = queue, lock, database
        self._meeting_lock = threading.Lock()
        self._last = self._failing = 0.0
        queue.may_share = False

    def is_due(self) -> bool:
        """Whether a meeting is needed for a task to have its turn, or for this process to count as present."""
        with self._lock:
            seconds = NOTICE_SECONDS if any(task.state == QUEUED for task in self._queue.shared()) else _ATTEND_SECONDS
            return bool(self._queue.shared()) and time.monotonic() - self._last >= seconds

    @contextmanager
    def meeting(self, waits: bool = True) -> Iterator[list[Task]]:
        """Decide what begins, with the queues of all in view; the lock is held inside.

        Without an answer of the database what is shared waits; after a while each process decides alone.

        Parameters
        ----------
        waits : until no other process decides; else nothing that is shared begins then.

        Returns
        -------
        Tasks of this process that have to give way to earlier turns, since the queue is full.
        """
        is_met = False
        with self._meeting_lock:
            self._last = time.monotonic()
            try:
                database = self._database()
                with database.meeting(waits) as meeting:
                    rows = [] if meeting is None else _read(meeting, self._queue.n_turns)
                    with self._lock:
                        gave_way = [] if meeting is None else self._take_in(rows, meeting.session)
                        is_met = True
                        with self._sharing(meeting is not None):
                            yield gave_way
                        tasks = self._queue.shared()
                        visitors = [sorted(task.visitors) for task in tasks]
                        dropped = [task.number for task in self._queue.others if task.state == CANCELLED]
                    if meeting is not None:
                        _write(meeting, rows, tasks, visitors, dropped)
                if not tasks:
                    database.leave()
                self._failing = 0.0
                return
            except LibraryError as error:
                self._failing = self._failing or self._last
                _log.warning("the queue of all processes cannot be used: %s", error.code)
                if is_met:
                    return
            with self._lock, self._sharing(is_alone := self._last - self._failing > _ALONE_SECONDS):
                if is_alone:
                    self._queue.others = []
                yield []

    @contextmanager
    def _sharing(self, may_share: bool) -> Iterator[None]:
        self._queue.may_share = may_share
        try:
            yield
        finally:
            self._queue.may_share = False

    def _take_in(self, rows: Sequence[_TaskRow], session: int) -> list[Task]:
        """Bring the queue up to date; returns tasks of this process that gave way."""
        for row in sorted(rows, key=lambda row: row.turn):
            self._queue.note_turn(row.task())
        others = [row for row in rows if row.session != session and row.turn != _GAVE_WAY and not row.is_over]
        self._queue.others = [row.task() for row in others]
        gave_way = {row.number for row in rows if row.session == session and row.turn == _GAVE_WAY}
        return [task for task in self._queue.waiting if task.number in gave_way]


def _read(meeting: Meeting, n_turns: int) -> list[_TaskRow]:
    """What waits or runs, or was later than that turn, after what processes that are gone had was removed."""
    db = meeting.db
    places = ", ".join("?" * len(meeting.present))
    db.execute(f"DELETE FROM work WHERE is_over = 0 AND session NOT IN ({places})", [*meeting.present])
    db.execute("DELETE FROM work WHERE is_over = 1 AND turn < (SELECT max(turn) FROM work) - ?", (_MAX_TURNS,))
    query = f"SELECT {', '.join(_TaskRow._fields)} FROM work WHERE is_over = 0 OR turn > ?"
    return [_TaskRow(*row) for row in db.execute(query, (n_turns,))]


def _write(
    meeting: Meeting,
    rows: Sequence[_TaskRow],
    tasks: Sequence[Task],
    visitors: Sequence[Sequence[Visitor]],
    dropped: Sequence[int],
) -> None:
    """Store what has changed of these tasks of this process, and which ones of others give way."""
    db = meeting.db
    known = {row.number: row for row in rows if row.session == meeting.session and not row.is_over}
    for task, who in zip(tasks, visitors, strict=True):
        if not task.number:
            number = db.execute("SELECT nextval(pg_get_serial_sequence('work', 'number'))").fetchone()[0]
            task.number = int(number)
        old = known.pop(task.number, None)
        began = old.began if old and old.turn == task.turn else int(time.time())
        row = _TaskRow(task.number, meeting.session, task.payload.kind, json.dumps(who), task.turn, began, 0)
        if row != old:
            db.execute("DELETE FROM work WHERE number = ?", (row.number,))
            db.execute(f"INSERT INTO work ({', '.join(row._fields)}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    for row in known.values():
        done = "UPDATE work SET is_over = 1" if row.turn > 0 else "DELETE FROM work"
        db.execute(f"{done} WHERE number = ?", (row.number,))
    for number in dropped:
        db.execute("UPDATE work SET turn = ? WHERE number = ?", (_GAVE_WAY, number))

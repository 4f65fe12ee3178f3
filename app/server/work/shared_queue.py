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

from app.server.store.database import GAVE_WAY, Database, TaskRow
from app.server.store.store import LibraryError
from app.server.visitors import NOBODY, Visitor
from app.server.work.work_kinds import Errand
from app.server.work.work_queue import CANCELLED, QUEUED, RUNNING, Task, WorkQueue

NOTICE_SECONDS, _ATTEND_SECONDS = 0.5, 10.0
# After so long without the database each process goes by its own queue.
_ALONE_SECONDS = 30.0
_log = logging.getLogger(__name__)


def _task(row: TaskRow) -> Task:
    """A task of another process, as the queue of this one takes it into account."""
    return Task(
        Errand(row.kind, {}),
        NOBODY,
        number=row.number,
        turn=row.turn,
        state=RUNNING if row.turn else QUEUED,
        waiting={str(n): Visitor(*visitor) for n, visitor in enumerate(json.loads(row.visitors))},
        began=row.turn and time.monotonic() - max(0.0, time.time() - row.began),
    )


def _row(task: Task, session: int) -> TaskRow:
    began = int(time.time() - task.seconds)
    return TaskRow(task.number, session, task.payload.kind, json.dumps(sorted(task.visitors)), task.turn, began)


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
                    rows = [] if meeting is None else meeting.read(self._queue.n_turns)
                    with self._lock:
                        gave_way = [] if meeting is None else self._take_in(rows, meeting.session)
                        is_met = True
                        with self._sharing(meeting is not None):
                            yield gave_way
                        tasks = self._queue.shared()
                        own = [] if meeting is None else [_row(task, meeting.session) for task in tasks]
                        give_way = [task.number for task in self._queue.others if task.state == CANCELLED]
                    if meeting is not None:
                        for task, number in zip(tasks, meeting.write(own, give_way), strict=True):
                            task.number = number
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

    def _take_in(self, rows: Sequence[TaskRow], session: int) -> list[Task]:
        """Bring the queue up to date; returns tasks of this process that gave way."""
        for row in sorted(rows, key=lambda row: row.turn):
            self._queue.note_turn(_task(row))
        others = [row for row in rows if row.session != session and row.turn != GAVE_WAY and not row.is_over]
        self._queue.others = [_task(row) for row in others]
        gave_way = {row.number for row in rows if row.session == session and row.turn == GAVE_WAY}
        return [task for task in self._queue.waiting if task.number in gave_way]

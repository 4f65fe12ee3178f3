"""Tasks, and their queue: which is next, how long that takes, and how many may wait.

Addresses take turns, and so do the browsers behind one address: the one whose last turn was longest ago is next. So
nobody's turn depends on how much others submit, in however many sessions. Tasks of other processes have their turns,
too, where `app.server.work.shared_queue` knows of any.
"""

import math
import statistics
import time
from collections import Counter, defaultdict, deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from cachetools import FIFOCache

from app.server.limits import LimitError, Limits
from app.server.visitors import Visitor
from app.server.work.work_kinds import KINDS, Kind, Payload
from app.server.work.worker_process import Event, Worker
from engine.errors import InputError
from engine.progress import Progress

QUEUED, RUNNING, DONE, FAILED, CANCELLED = "queued", "running", "done", "failed", "cancelled"

_MAX_DURATIONS = 15
_MAX_TURNS = 10_000


@dataclass(eq=False)
class Task:
    """A unit of work, shared by the jobs that want its result; `visitor` is who submitted it first."""

    payload: Payload
    visitor: Visitor
    number: int = 0  # by arrival, in a queue of several processes
    turn: int = 0  # 0 until it has its turn
    state: str = QUEUED
    stage: str = "start"
    waiting: dict[str, Visitor] = field(default_factory=dict)  # jobs that want the result, and their visitors
    rounds: list[Progress] = field(default_factory=list)
    removed: tuple[str, ...] = ()  # some of the tokens that the last round removed
    feasible: tuple[int, int] | None = None
    result: Event = field(default_factory=Event)
    error: InputError | None = None
    worker: Worker | None = None
    began: float = 0.0
    stage_began: float = 0.0
    ended: float = 0.0

    @property
    def key(self) -> str:
        return self.payload.key

    @property
    def kind(self) -> Kind:
        return KINDS[self.payload.kind]

    @property
    def visitors(self) -> set[Visitor]:
        """Visitors whose jobs wait for it."""
        return set(self.waiting.values()) or {self.visitor}

    @property
    def is_active(self) -> bool:
        return self.state in (QUEUED, RUNNING)

    @property
    def seconds(self) -> float:
        """Running time so far, or in total. The clock is monotonic."""
        return (self.ended or time.monotonic()) - self.began if self.began else 0.0

    def take(self, kind: str, event: Event) -> None:
        """Record an event of the worker."""
        if kind == "stage":
            self.stage, self.stage_began = event["stage"], time.monotonic()
        elif kind == "feasible":
            self.feasible = (event["low"], event["high"])
        elif kind == "round":
            self.rounds.append(Progress._make(dict(event)[name] for name in Progress._fields))
            self.removed = tuple(event.get("removed", ()))
        elif kind == "result":
            self.result = event


class WorkQueue:
    """Waiting and running tasks, with a maximum number running per lane.

    Attributes
    ----------
    others : tasks of other processes, which wait or run.
    n_turns : number of the last turn.
    may_share : whether work that is shared may begin at this moment.
    """

    def __init__(self, bounds: Limits) -> None:
        self._limits = bounds
        self.waiting: list[Task] = []
        self.running: list[Task] = []
        self.others: list[Task] = []
        self.may_share = True
        self._durations: deque[float] = deque(maxlen=_MAX_DURATIONS)  # of recent trainings, seconds
        self._turns: FIFOCache[Hashable, int] = FIFOCache(_MAX_TURNS)  # number of each one's last turn
        self.n_turns = 0
        self._short_last: dict[str, bool] = {}  # by lane: whether the last turn went to a short task

    def find(self, key: str) -> Task | None:
        return next((task for task in (*self.running, *self.waiting) if task.key == key), None)

    def check_visitor(self, visitor: Visitor, kind: Kind, task: Task | None) -> None:
        """LimitError if the visitor already has the maximum number of tasks, not counting this one."""
        if not visitor.browser or kind.is_short:
            return
        own = [
            other
            for other in (*self.running, *self.waiting, *self.others)
            if visitor in other.visitors and not other.kind.is_short
        ]
        if task not in own and len(own) >= self._limits.jobs_per_visitor:
            raise LimitError("jobs_per_visitor", self._limits.jobs_per_visitor)

    def add(self, task: Task) -> Task | None:
        """Enqueue a task; if the queue is then too long, returns the task to drop: the last one in order.

        One of another process is only marked as cancelled, and dropped by that one.

        Raises
        ------
        LimitError : that would be the new one.
        """
        self.waiting.append(task)
        order = self._order(task.kind.lane)
        if len(order) <= (task.kind.queued or self._limits.queued):
            return None
        if order[-1] is task:
            self.waiting.remove(task)
            raise LimitError("queued", self._limits.queued)
        if order[-1] in self.others:
            order[-1].state = CANCELLED
            return None
        return order[-1]

    def next(self) -> Task | None:
        """The task to start now, which counts as running from here on; None if all have to wait."""
        for lane in dict.fromkeys(task.kind.lane for task in self.waiting):
            task = self._order(lane)[0]
            if task in self.others or (task.kind.is_shared and not self.may_share):
                continue
            if len(self._running(lane)) < (task.kind.n_warm or self._limits.jobs):
                self.waiting.remove(task)
                self.running.append(task)
                task.state, task.turn = RUNNING, self.n_turns + 1
                self.note_turn(task)
                return task
        return None

    def remove(self, task: Task) -> None:
        for tasks in (self.waiting, self.running):
            if task in tasks:
                tasks.remove(task)

    def position(self, task: Task) -> int:
        """Tasks running or ahead of this one in the queue; 0 if it is not waiting."""
        if task not in self.waiting:
            return 0
        lane = task.kind.lane
        return len(self._running(lane)) + self._order(lane).index(task)

    def wait(self, task: Task) -> float | None:
        """Estimated seconds until a waiting task starts, if tasks take as long as recent trainings."""
        if task not in self.waiting or not self._durations:
            return None
        each, lane = statistics.median(self._durations), task.kind.lane
        left = sum(max(0.0, each - running.seconds) for running in self._running(lane))
        return (left + each * self._order(lane).index(task)) / self._limits.jobs

    def note(self, seconds: float) -> None:
        self._durations.append(seconds)

    def shared(self) -> list[Task]:
        """Tasks of this process that wait for those of others, too, or keep them waiting."""
        return [task for task in (*self.running, *self.waiting) if task.kind.is_shared]

    def _running(self, lane: str) -> list[Task]:
        return [task for task in (*self.running, *self.others) if task.kind.lane == lane and task.state == RUNNING]

    def _order(self, lane: str) -> list[Task]:
        """Waiting tasks of a lane, in the order they will start if nothing is added.

        A short task goes before a longer one, but never two in a row, which could starve the longer ones.
        """
        tasks = [task for task in (*self.others, *self.waiting) if task.kind.lane == lane and task.state == QUEUED]
        tasks.sort(key=lambda task: task.number or math.inf)
        short = self._in_turn([task for task in tasks if task.kind.is_short])
        long = self._in_turn([task for task in tasks if not task.kind.is_short])
        pairs = zip_longest(long, short) if self._short_last.get(lane) else zip_longest(short, long)
        return [task for task in chain.from_iterable(pairs) if task is not None]

    def _in_turn(self, tasks: list[Task]) -> list[Task]:
        """Tasks in the order of turns. A task shared by several visitors gets the best place among theirs."""
        asked: Counter[Hashable] = Counter()
        by_address = defaultdict(list)
        for arrival, task in enumerate(tasks):
            for visitor in task.visitors:
                by_address[visitor.address].append((asked[visitor], self._turns.get(visitor, -1), arrival))
                asked[visitor] += 1
        best: dict[int, tuple[int, int, int]] = {}
        for address, entries in by_address.items():
            for turn, (_, _, arrival) in enumerate(sorted(entries)):
                place = (turn, self._turns.get(address, -1), arrival)
                best[arrival] = min(best.get(arrival, place), place)
        return [tasks[arrival] for arrival in sorted(best, key=best.__getitem__)]

    def note_turn(self, task: Task) -> None:
        """Take into account that a task has had its turn, if that is news."""
        if task.turn <= self.n_turns:
            return
        self.n_turns = task.turn
        self._short_last[task.kind.lane] = task.kind.is_short
        for visitor in task.visitors:
            self._turns[visitor] = self._turns[visitor.address] = self.n_turns

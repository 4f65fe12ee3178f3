"""What waits and what runs: who is next, how long that takes, and how much there may be.

Addresses take turns, and so do the browsers behind one address: whoever waits longest since their last turn is next.
So nobody's turn depends on how much somebody else has asked for, in however many sessions.
"""

import statistics
from collections import Counter, defaultdict, deque
from collections.abc import Hashable
from itertools import chain, zip_longest

from cachetools import FIFOCache

from app.server.limits import LimitError, Limits
from app.server.work.task import Task
from app.server.work.work_kinds import KINDS, Work

_MAX_DURATIONS = 15
_MAX_TURNS = 10_000


class WorkQueue:
    """Tasks that wait, and tasks that run: so many at a time in every lane."""

    def __init__(self, bounds: Limits) -> None:
        self._limits = bounds
        self.waiting: list[Task] = []
        self.running: list[Task] = []
        self._durations: deque[float] = deque(maxlen=_MAX_DURATIONS)  # of the last trainings, seconds
        self._turns: FIFOCache[Hashable, int] = FIFOCache(_MAX_TURNS)  # when each had the last one
        self._n_turns = 0
        self._short_last: dict[str, bool] = {}  # by lane: whether the last turn was that of a short task

    def find(self, key: str) -> Task | None:
        """The task of that key, if it waits or runs."""
        return next((task for task in (*self.running, *self.waiting) if task.key == key), None)

    def check_visitor(self, work: Work, task: Task | None) -> None:
        """LimitError where whoever asks for this work, or for this task, has enough to wait for already."""
        if not work.visitor.browser or KINDS[work.kind].is_short:
            return
        own = [
            other
            for other in (*self.running, *self.waiting)
            if work.visitor in other.visitors and not other.kind.is_short
        ]
        if task not in own and len(own) >= self._limits.jobs_per_visitor:
            raise LimitError("jobs_per_visitor", self._limits.jobs_per_visitor)

    def add(self, task: Task) -> Task | None:
        """Let a task wait; returns the one that gives way where too many wait then: whose turn would come last.

        Raises
        ------
        LimitError : that would be the new one.
        """
        self.waiting.append(task)
        order = self._order(task.kind.lane)
        if len(order) <= self._limits.queued:
            return None
        if order[-1] is task:
            self.waiting.remove(task)
            raise LimitError("queued", self._limits.queued)
        return order[-1]

    def next(self) -> Task | None:
        """The task that is to begin now, which counts as running from here on; None where all have to wait."""
        for lane in dict.fromkeys(task.kind.lane for task in self.waiting):
            if len(self._of_lane(lane, self.running)) < self._limits.jobs:
                task = self._order(lane)[0]
                self.waiting.remove(task)
                self.running.append(task)
                self._note_turn(task)
                return task
        return None

    def remove(self, task: Task) -> None:
        """A task has ended, or is not wanted any more."""
        for tasks in (self.waiting, self.running):
            if task in tasks:
                tasks.remove(task)

    def position(self, task: Task) -> int:
        """How many run or wait before a task; 0 for one that does not wait."""
        if task not in self.waiting:
            return 0
        lane = task.kind.lane
        return len(self._of_lane(lane, self.running)) + self._order(lane).index(task)

    def wait(self, task: Task) -> float | None:
        """Seconds until a task that waits may begin, if those before it take as long as the last trainings did."""
        if task not in self.waiting or not self._durations:
            return None
        each, lane = statistics.median(self._durations), task.kind.lane
        left = sum(max(0.0, each - running.seconds) for running in self._of_lane(lane, self.running))
        return (left + each * self._order(lane).index(task)) / self._limits.jobs

    def note(self, seconds: float) -> None:
        """So long took a training."""
        self._durations.append(seconds)

    def _of_lane(self, lane: str, tasks: list[Task]) -> list[Task]:
        return [task for task in tasks if task.kind.lane == lane]

    def _order(self, lane: str) -> list[Task]:
        """What waits in a lane, in the order in which it is to begin if nothing is added.

        A short task goes before a longer one, but never two in a row: they could keep the longer ones from ever
        beginning.
        """
        tasks = self._of_lane(lane, self.waiting)
        short = self._in_turn([task for task in tasks if task.kind.is_short])
        long = self._in_turn([task for task in tasks if not task.kind.is_short])
        pairs = zip_longest(long, short) if self._short_last.get(lane) else zip_longest(short, long)
        return [task for task in chain.from_iterable(pairs) if task is not None]

    def _in_turn(self, tasks: list[Task]) -> list[Task]:
        """Tasks in the order of turns. One that several visitors wait for has the best place of theirs."""
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

    def _note_turn(self, task: Task) -> None:
        self._n_turns += 1
        self._short_last[task.kind.lane] = task.kind.is_short
        for visitor in task.visitors:
            self._turns[visitor] = self._turns[visitor.address] = self._n_turns

"""What waits and what runs: who is next, how long that takes, and how much there may be."""

import statistics
from collections import deque

from app.server.limits import LimitError, Limits
from app.server.task import Task
from app.server.work import KINDS, Work

_MAX_DURATIONS = 15


class WorkQueue:
    """Tasks that wait, and tasks that run: so many at a time in every lane."""

    def __init__(self, bounds: Limits) -> None:
        self._limits = bounds
        self.waiting: list[Task] = []
        self.running: list[Task] = []
        self._durations: deque[float] = deque(maxlen=_MAX_DURATIONS)  # of the last trainings, seconds

    def find(self, key: str) -> Task | None:
        """The task of that key, if it waits or runs."""
        return next((task for task in (*self.running, *self.waiting) if task.key == key), None)

    def check_visitor(self, work: Work, task: Task | None) -> None:
        """LimitError where whoever asks for this work, or for this task, has enough to wait for already."""
        if not work.visitor or KINDS[work.kind].is_short:
            return
        own = [
            other
            for other in (*self.running, *self.waiting)
            if work.visitor in other.waiting.values() and not other.kind.is_short
        ]
        if task not in own and len(own) >= self._limits.jobs_per_visitor:
            raise LimitError("jobs_per_visitor", self._limits.jobs_per_visitor)

    def add(self, task: Task) -> None:
        """Let a task wait.

        Raises
        ------
        LimitError : too many wait already.
        """
        if len(self._before(task, self.waiting)) >= self._limits.queued:
            raise LimitError("queued", self._limits.queued)
        if task.kind.is_short:
            self.waiting.insert(0, task)
        else:
            self.waiting.append(task)

    def next(self) -> Task | None:
        """The task that is to begin now, which counts as running from here on; None where all have to wait."""
        for task in self.waiting:
            if len(self._before(task, self.running)) < self._limits.jobs:
                self.waiting.remove(task)
                self.running.append(task)
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
        return len(self._before(task, self.running)) + len(self._before(task, self.waiting))

    def wait(self, task: Task) -> float | None:
        """Seconds until a task that waits may begin, if those before it take as long as the last trainings did."""
        if task not in self.waiting or not self._durations:
            return None
        each = statistics.median(self._durations)
        left = sum(max(0.0, each - running.seconds) for running in self._before(task, self.running))
        return (left + each * len(self._before(task, self.waiting))) / self._limits.jobs

    def note(self, seconds: float) -> None:
        """So long took a training."""
        self._durations.append(seconds)

    def _before(self, task: Task, tasks: list[Task]) -> list[Task]:
        """Tasks of its lane that come before it; all of them where it is none of these."""
        end = tasks.index(task) if task in tasks else len(tasks)
        return [other for other in tasks[:end] if other.kind.lane == task.kind.lane]

"""Work that is queued, running or finished."""

import time
from dataclasses import dataclass, field

from app.server.visitors import Visitor
from app.server.work.work_kinds import KINDS, Kind, Work
from app.server.work.worker_process import Event, WorkerProcess
from engine.errors import InputError
from engine.progress import Progress

QUEUED, RUNNING, DONE, FAILED, CANCELLED = "queued", "running", "done", "failed", "cancelled"


@dataclass(eq=False)
class Task:
    """A unit of work, shared by the jobs that want its result."""

    work: Work
    state: str = QUEUED
    stage: str = "start"
    waiting: dict[str, Visitor] = field(default_factory=dict)  # jobs that want the result, and their visitors
    rounds: list[Progress] = field(default_factory=list)
    feasible: tuple[int, int] | None = None
    result: Event = field(default_factory=Event)
    error: InputError | None = None
    worker: WorkerProcess | None = None
    began: float = 0.0
    ended: float = 0.0

    @property
    def key(self) -> str:
        return self.work.payload.key

    @property
    def kind(self) -> Kind:
        return KINDS[self.work.kind]

    @property
    def visitors(self) -> set[Visitor]:
        """Visitors whose jobs wait for it."""
        return set(self.waiting.values()) or {self.work.visitor}

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
            self.stage = event["stage"]
        elif kind == "feasible":
            self.feasible = (event["low"], event["high"])
        elif kind == "round":
            self.rounds.append(Progress._make(dict(event)[name] for name in Progress._fields))
        elif kind == "result":
            self.result = event

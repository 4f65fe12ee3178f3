"""Work that waits, runs or has ended."""

import time
from dataclasses import dataclass, field

from app.server.visitors import Visitor
from app.server.work.work_kinds import KINDS, Kind, Work
from app.server.work.worker_process import Event, WorkerProcess
from engine.errors import InputError
from engine.training import Progress

QUEUED, RUNNING, DONE, FAILED, CANCELLED = "queued", "running", "done", "failed", "cancelled"


@dataclass(eq=False)
class Task:
    """One piece of work, shared by the jobs that want its result."""

    work: Work
    state: str = QUEUED
    stage: str = "start"
    waiting: dict[str, Visitor] = field(default_factory=dict)  # jobs that want the result, and whose they are
    rounds: list[Progress] = field(default_factory=list)
    feasible: tuple[int, int] | None = None
    result: Event = field(default_factory=Event)
    error: InputError | None = None
    worker: WorkerProcess | None = None
    began: float = 0.0
    ended: float = 0.0

    @property
    def key(self) -> str:
        """Of the work."""
        return self.work.payload.key

    @property
    def kind(self) -> Kind:
        """Of the work."""
        return KINDS[self.work.kind]

    @property
    def visitors(self) -> set[Visitor]:
        """Whom it is done for."""
        return set(self.waiting.values()) or {self.work.visitor}

    @property
    def is_active(self) -> bool:
        """Whether it waits or runs."""
        return self.state in (QUEUED, RUNNING)

    @property
    def seconds(self) -> float:
        """Since it began to run, until it ended. The clock is one that nobody can set."""
        return (self.ended or time.monotonic()) - self.began if self.began else 0.0

    def take(self, kind: str, event: Event) -> None:
        """Take note of what the worker has got to."""
        if kind == "stage":
            self.stage = event["stage"]
        elif kind == "feasible":
            self.feasible = (event["low"], event["high"])
        elif kind == "round":
            self.rounds.append(Progress._make(dict(event)[name] for name in Progress._fields))
        elif kind == "result":
            self.result = event

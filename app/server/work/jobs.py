"""Jobs that pages give to workers: training, progress, cancelling, and the finished model files.

The registry is one object in an imported module, shared by all sessions (Streamlit runs the script again and again,
but imports a module once). A *job* is one visitor's request; jobs for the same model share one *task*, and a task is
cancelled only when no job waits for it any more.
"""

import atexit
import logging
import math
import os
import shutil
import threading
import time
import uuid
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from cachetools import FIFOCache

from app.server.library import library
from app.server.limits import LimitError, Limits, limits
from app.server.store.database import Database
from app.server.store.opening import is_on_server
from app.server.visitors import NOBODY, Visitor
from app.server.work.shared_queue import NOTICE_SECONDS, SharedQueue
from app.server.work.training import Request
from app.server.work.work_kinds import KINDS, READING, TRAINING, Kind, Payload
from app.server.work.work_queue import CANCELLED, DONE, FAILED, QUEUED, RUNNING, Task, WorkQueue
from app.server.work.worker_process import COMMAND, Event, Spares, Worker, WorkerEndedError
from engine.errors import InputError
from engine.machine.atomic_file import write_whole
from engine.machine.folders import held_folder
from engine.progress import Progress


class ModelFolder:
    """Model files by key, in a private folder; the least recently used are removed when there are too many."""

    def __init__(self, folder: Path, max_files: int = 64, max_bytes: int = 2 << 30) -> None:
        self._folder, self._max_files, self._max_bytes = folder, max_files, max_bytes
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def target(self, key: str) -> Path:
        return self._folder / f"{key}.tok"

    def add(self, key: str) -> None:
        """Register a file that was written."""
        with self._lock:
            self._sizes[key] = self.target(key).stat().st_size
            self._sizes.move_to_end(key)
            while len(self._sizes) > self._max_files or sum(self._sizes.values()) > self._max_bytes:
                if len(self._sizes) == 1:
                    break
                oldest, _ = self._sizes.popitem(last=False)
                self.target(oldest).unlink(missing_ok=True)

    def write(self, key: str, content: bytes) -> None:
        """Write a file atomically: concurrent readers see the old or the new one.

        Raises
        ------
        engine.errors.InputError : e.g. the disk is full.
        """
        write_whole(self.target(key), content)
        self.add(key)

    def remove(self, key: str) -> None:
        with self._lock:
            if self._sizes.pop(key, None) is not None:
                self.target(key).unlink(missing_ok=True)

    def find(self, key: str) -> Path | None:
        """The file with this key, if it still exists."""
        with self._lock:
            if key not in self._sizes:
                return None
            if not self.target(key).exists():  # some systems clean up temporary files
                del self._sizes[key]
                return None
            self._sizes.move_to_end(key)
            return self.target(key)


_log = logging.getLogger(__name__)

# A browser in a background tab polls about once a minute; after this long without a view nobody is waiting.
_IDLE_SECONDS = 300.0
_MAX_FINISHED_JOBS = 500


class JobView(NamedTuple):
    """An immutable snapshot of a job."""

    id: str
    state: str
    stage: str  # of a running job: start, read, seed, rounds, save
    position: int  # of a queued job: jobs running or ahead of it in the queue
    rounds: tuple[Progress, ...]
    removed: tuple[str, ...]  # some of the tokens that the last round removed
    feasible: tuple[int, int] | None
    result: Event  # the worker's result, for work without a model
    error: InputError | None  # why it failed
    payload: Payload
    seconds: float  # since it started running
    stage_seconds: float  # since its stage began
    wait: float | None  # seconds until a queued job may start, estimated from recent trainings; None without any

    @property
    def request(self) -> Request:
        assert isinstance(self.payload, Request)
        return self.payload

    @property
    def message(self) -> str:
        return "" if self.error is None else str(self.error)

    @property
    def is_active(self) -> bool:
        return self.state in (QUEUED, RUNNING)


@dataclass
class _Job:
    task: Task
    touched: float
    cancelled: bool = False


class Registry:
    """All jobs of this server.

    Parameters
    ----------
    folder : a private folder for texts passed to workers, and for model files.
    bounds : maximum number of workers, queued jobs, and so on.
    command : a worker's command line, replaced in tests; of those started ahead, with the option --warm.
    idle_seconds : a job not viewed for this long is cancelled.
    database : opens the database whose processes share a queue; None where each has its own.
    """

    def __init__(
        self,
        folder: Path,
        bounds: Limits | None = None,
        command: Sequence[str] = COMMAND,
        idle_seconds: float = _IDLE_SECONDS,
        database: Callable[[], Database] | None = None,
    ) -> None:
        self._limits = bounds or Limits()
        self.folder = folder
        self.models = ModelFolder(folder, max_bytes=self._limits.memory_mb * 1_000_000)
        self._command = tuple(command)
        self._idle_seconds = idle_seconds
        self._spares = {
            kind.lane: Spares((*self._command, "--warm") if kind.n_warm else self._command)
            for kind in KINDS.values()
            if kind.stays
        }
        self._n_warm = 0
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._queue = WorkQueue(self._limits)
        self._jobs: dict[str, _Job] = {}  # those that wait or run
        self._finished: FIFOCache[str, _Job] = FIFOCache(_MAX_FINISHED_JOBS)
        self._ended, self._is_closed = threading.Event(), False
        self._shared = SharedQueue(self._queue, self._lock, database) if database else None
        if self._shared:
            threading.Thread(target=self._attend, args=(self._shared,), name="shared queue", daemon=True).start()

    @property
    def is_idle(self) -> bool:
        with self._lock:
            return not self._queue.running and not self._queue.waiting

    def counts(self) -> Counter[tuple[str, str]]:
        """How many tasks are queued or running, by kind and state."""
        counts = Counter({(kind, state): 0 for kind in KINDS for state in (QUEUED, RUNNING)})
        with self._lock:
            counts.update((task.payload.kind, task.state) for task in (*self._queue.waiting, *self._queue.running))
        return counts

    def submit(self, payload: Payload, visitor: Visitor = NOBODY) -> str:
        """Submit a job; returns its id at once.

        Parameters
        ----------
        visitor : who submits it.

        Raises
        ------
        app.server.limits.LimitError : too many jobs are queued or the visitor's, or the vocabulary is too large.
        """
        payload.check(self._limits)
        visitor = visitor.hashed() if self._shared else visitor
        with self._deciding(KINDS[payload.kind]):
            self._drop_idle()
            task = self._queue.find(payload.key)
            self._queue.check_visitor(visitor, KINDS[payload.kind], task)
            if task is None:
                task = self._new_task(payload, visitor)
            job_id = uuid.uuid4().hex
            task.waiting[job_id] = visitor
            jobs = self._jobs if task.is_active else self._finished
            jobs[job_id] = _Job(task, time.monotonic())
        return job_id

    def view(self, job_id: str) -> JobView | None:
        """A snapshot of the job; None if there is no such job (any more). Viewing a job keeps it alive."""
        with self._lock:
            job = self._jobs.get(job_id) or self._finished.get(job_id)
            if job is None:
                return None
            job.touched = time.monotonic()
            self._drop_idle()
            return self._snapshot(job_id, job)

    def run(self, payload: Payload, visitor: Visitor = NOBODY, queue_seconds: float | None = None) -> JobView:
        """Submit a job, wait until it ends, and forget it.

        Parameters
        ----------
        queue_seconds : how long it may be queued; then it is cancelled.

        Raises
        ------
        app.server.limits.LimitError : see `submit`.
        """
        job_id = self.submit(payload, visitor)
        with self._changed:
            job = self._jobs.get(job_id) or self._finished[job_id]
            job.touched = math.inf
            self._changed.wait_for(lambda: job.task.state != QUEUED, queue_seconds)
            if job.task.state == QUEUED:
                self.cancel(job_id)
            self._changed.wait_for(lambda: job_id not in self._jobs)
            self._finished.pop(job_id, None)
            return self._snapshot(job_id, job)

    def cancel(self, job_id: str) -> None:
        """Stop waiting for a job; its worker ends at once unless another job waits for the same task."""
        with self._lock:
            job = self._jobs.pop(job_id, None)
            if job is None:
                return
            job.cancelled = True
            self._finished[job_id] = job
            del job.task.waiting[job_id]
            if not job.task.waiting:
                self._end(job.task, CANCELLED)
            self._start_next()

    def keep_warm(self) -> None:
        """From now on, have workers ready that read files: starting one takes a second or two."""
        self._n_warm = KINDS[READING].n_warm
        self._fill()

    def close(self) -> None:
        with self._lock:
            for task in [*self._queue.waiting, *self._queue.running]:
                self._end(task, CANCELLED)
            self._n_warm = 0
            self._is_closed = True
            self._ended.set()
        for spares in self._spares.values():
            spares.close()

    def _snapshot(self, job_id: str, job: _Job) -> JobView:
        task = job.task
        return JobView(
            id=job_id,
            state=CANCELLED if job.cancelled else task.state,
            stage=task.stage,
            position=self._queue.position(task),
            rounds=tuple(task.rounds),
            removed=task.removed,
            feasible=task.feasible,
            result=task.result,
            error=task.error,
            payload=task.payload,
            seconds=task.seconds,
            stage_seconds=time.monotonic() - task.stage_began,
            wait=self._queue.wait(task),
        )

    def _new_task(self, payload: Payload, visitor: Visitor) -> Task:
        task = Task(payload, visitor)
        if self.models.find(task.key):
            task.state = DONE
        elif dropped := self._queue.add(task):
            self._end(dropped, FAILED, LimitError("queued", self._limits.queued))
        return task

    def _drop_idle(self) -> None:
        too_old = time.monotonic() - self._idle_seconds
        for job_id in [job_id for job_id, job in self._jobs.items() if job.touched < too_old]:
            self.cancel(job_id)

    @contextmanager
    def _deciding(self, kind: Kind, waits: bool = True) -> Iterator[None]:
        """Change the queue, and start what may start then; with other processes, if they share such work."""
        shared = self._shared if kind.is_shared else None
        meeting: AbstractContextManager[list[Task]] = shared.meeting(waits) if shared else nullcontext([])
        with meeting as gave_way, self._lock:
            for task in gave_way:
                self._end(task, FAILED, LimitError("queued", self._limits.queued))
            yield
            self._start_next()

    def _attend(self, shared: SharedQueue) -> None:
        """Meet the other processes while work here waits for theirs, or theirs for it. Runs in a thread of its own."""
        while not self._is_closed:
            if (has_ended := self._ended.wait(NOTICE_SECONDS)) or shared.is_due():
                self._ended.clear()
                with self._deciding(KINDS[TRAINING], waits=has_ended):
                    self._drop_idle()

    def _start_next(self) -> None:
        while task := self._queue.next():
            try:
                self._start(task)
            # A full disk, no memory for another process, or no more threads.
            except (OSError, RuntimeError) as error:
                _log.error("a worker could not be started: %s", type(error).__name__)
                failure = InputError("job.not_started", detail=getattr(error, "strerror", None) or error)
                self._end(task, FAILED, failure)

    def _start(self, task: Task) -> None:
        request = task.payload.hand_over(self.folder)
        if task.kind.makes_file:
            request["output"] = str(self.models.target(task.key))
        spares = self._spares.get(task.kind.lane)
        worker = spares.take() if spares else Worker(self._command)
        try:
            threading.Thread(target=self._follow, args=(task, worker, request), daemon=True).start()
        except RuntimeError:
            worker.close()
            raise
        task.worker = worker
        task.began = time.monotonic()

    def _follow(self, task: Task, worker: Worker, request: dict[str, object]) -> None:
        """Have the worker do a task. Runs in a thread of its own."""
        kind = task.kind
        seconds = self._limits.job_seconds if kind.seconds is None else kind.seconds
        limits = {"cpu_seconds": kind.cpu_seconds, "memory_mb": kind.memory_mb}
        message = {"kind": task.payload.kind, **limits, "request": request}
        try:
            worker.ask(message, seconds, partial(self._take, task))
        except WorkerEndedError as ending:
            # A worker that was killed, usually by the system for lack of memory, cannot report it.
            failure = kind.too_slow(seconds) if ending.is_late else InputError("job.ended", number=ending.code)
            with self._lock:
                if task.state == RUNNING:
                    self._end(task, FAILED, failure)
        if task.worker is not None:
            worker.close()
        with self._lock:
            self._start_next()
        self._fill()

    def _fill(self) -> None:
        self._spares[KINDS[READING].lane].fill(self._n_warm)

    def _take(self, task: Task, event: Event) -> None:
        with self._lock:
            if task.state != RUNNING:
                return
            kind = event.pop("event")
            if kind == "error":
                self._end(task, FAILED, InputError.from_fields(event))
            elif kind == "done":
                if task.kind.makes_file:
                    self.models.add(task.key)
                if task.payload.kind == TRAINING:
                    self._queue.note(task.seconds)
                self._end(task, DONE)
            else:
                task.take(kind, event)

    def _end(self, task: Task, state: str, error: InputError | None = None) -> None:
        """Bring a task to a terminal state, and end its process unless that stays for the next one."""
        self._queue.remove(task)
        task.state, task.error, task.ended = state, error, time.monotonic()
        for job_id in task.waiting:
            self._finished[job_id] = self._jobs.pop(job_id)
        kind, worker = task.kind, task.worker
        if worker is not None and state == DONE and kind.stays and worker.stays and not self._is_closed:
            self._spares[kind.lane].add(worker, kind.n_warm or self._limits.jobs)
            task.worker = None
        elif worker is not None:
            worker.kill()
        # A finished job is remembered for a while, but not its text.
        task.payload = task.payload.clear(self.folder)
        self._changed.notify_all()
        if task.kind.is_shared:
            self._ended.set()


def registry() -> Registry:
    return _server_registry()


@cache
def _server_registry() -> Registry:
    atexit.register(end_jobs)
    database = (lambda: library().database) if is_on_server(os.environ) else None
    return Registry(held_folder(), limits(), database=database)


def end_jobs() -> None:
    """End every worker of this server and remove its folder, if it has one."""
    if _server_registry.cache_info().currsize:
        jobs = _server_registry()
        jobs.close()
        shutil.rmtree(jobs.folder, ignore_errors=True)

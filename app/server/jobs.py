"""Training in worker processes: a queue, progress, cancelling, and the finished model files.

The registry is one object in an imported module, shared by all sessions (Streamlit runs the script again and again,
but imports a module once). A *job* is what one visitor asked for; jobs that ask for the same model share one *task*,
and a task is cancelled only when nobody waits for it any more.

Training never runs in the server's own process: its Python parts would hold the interpreter's lock and make every
other visitor wait. `multiprocessing` would run the app's script again in the child, so it is a plain subprocess.
"""

import atexit
import hashlib
import json
import logging
import shutil
import statistics
import subprocess
import sys
import threading
import time
import uuid
from collections import OrderedDict, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from app import ROOT
from app.server.limits import LimitError, Limits, limits
from app.server.private_folder import private_folder
from app.texts.corpora import Source
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.training import Progress
from engine.whole_file import write_whole

_WORKER = (sys.executable, "-m", "app.worker")
_log = logging.getLogger(__name__)

QUEUED, RUNNING, DONE, FAILED, CANCELLED = "queued", "running", "done", "failed", "cancelled"

# A browser in a background tab polls about once a minute; after this long without a look nobody is waiting.
_IDLE_SECONDS = 300.0
_MAX_FINISHED_JOBS = 500
_MAX_DURATIONS = 15


class JobView(NamedTuple):
    """A job as it stands now; nothing in it changes."""

    id: str
    state: str
    stage: str  # of a running job: start, read, seed, rounds, save
    position: int  # of a queued job: how many run or wait before it
    rounds: tuple[Progress, ...]
    feasible: tuple[int, int] | None
    error: InputError | None  # why it failed
    request: "Request"
    seconds: float  # since it began to run

    wait: float | None  # seconds until a queued job may begin, as the last trainings took; None where none has ended

    @property
    def message(self) -> str:
        """Why it failed, in English; else empty."""
        return "" if self.error is None else str(self.error)

    @property
    def is_active(self) -> bool:
        """Whether it will change without anybody's doing."""
        return self.state in (QUEUED, RUNNING)


def model_key(digest: str, settings: TrainingSettings) -> str:
    """Name of a model: a hash of the corpus and the settings. Training is deterministic: equal keys, equal models."""
    content = json.dumps([digest, asdict(settings)], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:20]


@dataclass(frozen=True)
class Request:
    """What a job does: train a model, or (`probe`) only find out which vocabulary sizes are feasible."""

    source: Source
    settings: TrainingSettings
    probe: bool = False

    @property
    def key(self) -> str:
        """Equal requests have equal keys; the key of a training is the key of its model."""
        return ("probe-" if self.probe else "") + model_key(self.source.digest, self.settings)


@dataclass
class _Task:
    request: Request
    state: str = QUEUED
    stage: str = "start"
    waiting: set[str] = field(default_factory=set)  # jobs that want the result
    rounds: list[Progress] = field(default_factory=list)
    feasible: tuple[int, int] | None = None
    error: InputError | None = None
    process: "subprocess.Popen[str] | None" = None
    began: float = 0.0
    ended: float = 0.0
    timer: threading.Timer | None = None


def _seconds(task: _Task) -> float:
    """Since it began to run, until it ended. The clock is one that nobody can set."""
    return (task.ended or time.monotonic()) - task.began if task.began else 0.0


@dataclass
class _Job:
    task: _Task
    touched: float
    visitor: str = ""
    cancelled: bool = False


class ModelFolder:
    """Model files by key, in a private folder; those used longest ago go when there are too many."""

    def __init__(self, folder: Path, max_files: int = 64, max_bytes: int = 2 << 30) -> None:
        self._folder, self._max_files, self._max_bytes = folder, max_files, max_bytes
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def target(self, key: str) -> Path:
        """Where the file of that key is to be written."""
        return self._folder / f"{key}.tok"

    def add(self, key: str) -> None:
        """Take note of a file that was written."""
        with self._lock:
            self._sizes[key] = self.target(key).stat().st_size
            self._sizes.move_to_end(key)
            while len(self._sizes) > self._max_files or sum(self._sizes.values()) > self._max_bytes:
                if len(self._sizes) == 1:
                    break
                oldest, _ = self._sizes.popitem(last=False)
                self.target(oldest).unlink(missing_ok=True)

    def write(self, key: str, content: bytes) -> None:
        """Put a file there, whole: whoever reads meanwhile sees the old one or the new one.

        Raises
        ------
        engine.errors.InputError : the disk is full, say.
        """
        write_whole(self.target(key), content)
        self.add(key)

    def remove(self, key: str) -> None:
        """Forget a file."""
        with self._lock:
            if self._sizes.pop(key, None) is not None:
                self.target(key).unlink(missing_ok=True)

    def find(self, key: str) -> Path | None:
        """The file of that key, if it is still there."""
        with self._lock:
            if key not in self._sizes:
                return None
            if not self.target(key).exists():  # some systems clean up among temporary files
                del self._sizes[key]
                return None
            self._sizes.move_to_end(key)
            return self.target(key)


class Registry:
    """All jobs of this server.

    Parameters
    ----------
    folder : a private folder for corpora on their way to a worker, and for model files.
    bounds : workers at a time, jobs that wait, and so on.
    command : the worker, as a command line; another one in tests.
    idle_seconds : a job that nobody looked at for so long is cancelled.
    """

    def __init__(
        self,
        folder: Path,
        bounds: Limits | None = None,
        command: Sequence[str] = _WORKER,
        idle_seconds: float = _IDLE_SECONDS,
    ) -> None:
        self._limits = bounds or Limits()
        self.models = ModelFolder(folder, max_bytes=self._limits.memory_mb * 1_000_000)
        self._folder = folder
        self._command = tuple(command)
        self._idle_seconds = idle_seconds
        self._lock = threading.RLock()
        self._jobs: OrderedDict[str, _Job] = OrderedDict()
        self._tasks: dict[str, _Task] = {}  # by key: those that wait or run
        self._queue: deque[_Task] = deque()
        self._running: list[_Task] = []
        self._durations: deque[float] = deque(maxlen=_MAX_DURATIONS)  # of the last trainings, seconds

    def submit(self, request: Request, visitor: str = "") -> str:
        """Ask for a model; returns the job's id at once.

        Parameters
        ----------
        visitor : who asks; anything that is the same for all requests of one session.

        Raises
        ------
        app.server.limits.LimitError : too many jobs wait or are the visitor's, or the vocabulary is too large.
        """
        if request.settings.vocab_size > self._limits.vocab and not request.probe:
            raise LimitError("vocab", self._limits.vocab)
        with self._lock:
            self._drop_idle()
            task = self._tasks.get(request.key)
            if visitor and not request.probe:
                self._check_visitor(visitor, task)
            if task is None:
                task = self._new_task(request)
            job_id = uuid.uuid4().hex
            task.waiting.add(job_id)
            self._jobs[job_id] = _Job(task, time.monotonic(), visitor)
            self._forget_old_jobs()
            self._start_next()
            return job_id

    def view(self, job_id: str) -> JobView | None:
        """The job as it stands, None if there is no such job (any more). Looking at it keeps it alive."""
        with self._lock:
            job = self._jobs.get(job_id)
            if job is None:
                return None
            job.touched = time.monotonic()
            self._drop_idle()
            task = job.task
            position = len(self._running) + self._queue.index(task) if task in self._queue else 0
            return JobView(
                id=job_id,
                state=CANCELLED if job.cancelled else task.state,
                stage=task.stage,
                position=position,
                rounds=tuple(task.rounds),
                feasible=task.feasible,
                error=task.error,
                request=task.request,
                seconds=_seconds(task),
                wait=self._wait(task) if position else None,
            )

    def cancel(self, job_id: str) -> None:
        """Stop waiting for a job; its worker ends at once unless another visitor waits for the same model."""
        with self._lock:
            job = self._jobs.get(job_id)
            if job is None or job.cancelled or job.task.state not in (QUEUED, RUNNING):
                return
            job.cancelled = True
            self._leave(job_id, job.task)
            self._start_next()

    def close(self) -> None:
        """End every worker."""
        with self._lock:
            for task in [*self._queue, *self._running]:
                self._end(task, CANCELLED)
            self._queue.clear()

    def _new_task(self, request: Request) -> _Task:
        task = _Task(request)
        if self.models.find(request.key):
            task.state = DONE
            return task
        if len(self._queue) >= self._limits.queued:
            raise LimitError("queued", self._limits.queued)
        self._tasks[request.key] = task
        if request.probe:
            self._queue.appendleft(task)  # it is short, and somebody looks at a form
        else:
            self._queue.append(task)
        return task

    def _check_visitor(self, visitor: str, task: _Task | None) -> None:
        """LimitError where the visitor has enough to wait for already."""
        own = {
            id(job.task)
            for job in self._jobs.values()
            if job.visitor == visitor
            and not job.cancelled
            and job.task.state in (QUEUED, RUNNING)
            and not job.task.request.probe
        }
        if id(task) not in own and len(own) >= self._limits.jobs_per_visitor:
            raise LimitError("jobs_per_visitor", self._limits.jobs_per_visitor)

    def _leave(self, job_id: str, task: _Task) -> None:
        task.waiting.discard(job_id)
        if task.waiting:
            return
        if task in self._queue:
            self._queue.remove(task)
        self._end(task, CANCELLED)

    def _wait(self, task: _Task) -> float | None:
        """Until a queued task may begin, if those before it take as long as the last trainings did."""
        if not self._durations:
            return None
        each = statistics.median(self._durations)
        left = sum(max(0.0, each - _seconds(running)) for running in self._running)
        return (left + each * self._queue.index(task)) / self._limits.jobs

    def _drop_idle(self) -> None:
        too_old = time.monotonic() - self._idle_seconds
        for job_id, job in list(self._jobs.items()):
            if job.touched < too_old and not job.cancelled and job.task.state in (QUEUED, RUNNING):
                self.cancel(job_id)

    def _forget_old_jobs(self) -> None:
        finished = [i for i, job in self._jobs.items() if job.cancelled or job.task.state not in (QUEUED, RUNNING)]
        for job_id in finished[: max(0, len(finished) - _MAX_FINISHED_JOBS)]:
            del self._jobs[job_id]

    def _start_next(self) -> None:
        while self._queue and len(self._running) < self._limits.jobs:
            task = self._queue.popleft()
            try:
                self._start(task)
            # A full disk, no memory for another process, no more threads.
            except (OSError, RuntimeError) as error:
                _log.error("a worker could not be started: %s", type(error).__name__)
                self._fail_to_start(task, getattr(error, "strerror", None) or error)

    def _fail_to_start(self, task: _Task, detail: object) -> None:
        if task.process is not None:
            task.process.kill()
            task.process.wait()
        error = InputError(
            "the training process could not be started ({detail}); check the server's disk and memory",
            code="job.not_started",
            detail=detail,
        )
        self._end(task, FAILED, error)

    def _start(self, task: _Task) -> None:
        source, key = task.request.source, task.request.key
        paths = list(source.paths)
        if source.text is not None:
            paths = [self._corpus_file(key)]
            paths[0].write_text(source.text, encoding="utf-8", errors="surrogatepass", newline="")
        message = {
            "paths": [str(path) for path in paths],
            "settings": asdict(task.request.settings),
            "output": "" if task.request.probe else str(self.models.target(key)),
        }
        task.process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
        )
        task.state, task.began = RUNNING, time.monotonic()
        task.timer = threading.Timer(self._limits.job_seconds, self._time_out, (task,))
        task.timer.daemon = True
        task.timer.start()
        self._running.append(task)
        assert task.process.stdin is not None
        # stdin stays open: its end is how a worker learns that the server is gone.
        with suppress(BrokenPipeError):
            task.process.stdin.write(json.dumps(message) + "\n")
            task.process.stdin.flush()
        threading.Thread(target=self._follow, args=(task,), daemon=True).start()

    def _follow(self, task: _Task) -> None:
        """Take a worker's events until it ends. Runs in a thread of its own."""
        process = task.process
        assert process is not None and process.stdout is not None
        try:
            for line in process.stdout:
                with suppress(json.JSONDecodeError), self._lock:
                    self._take(task, json.loads(line))
        except Exception as error:
            # Whatever it is, the job must end; the message might quote the user's text.
            _log.error("the events of a worker could not be taken: %s", type(error).__name__)
            process.kill()
        code = process.wait()
        process.stdout.close()
        with self._lock:
            if task.state == RUNNING:
                # A worker that was killed, by the system for its memory above all, cannot say so itself.
                ended = InputError(
                    "the training process ended unexpectedly (code {number}); less text may help",
                    code="job.ended",
                    number=code,
                )
                self._end(task, FAILED, ended)
            self._start_next()

    def _time_out(self, task: _Task) -> None:
        with self._lock:
            if task.state == RUNNING:
                self._end(task, FAILED, LimitError("job_seconds", self._limits.job_seconds))
                self._start_next()

    def _take(self, task: _Task, event: dict[str, Any]) -> None:
        if task.state != RUNNING:
            return
        kind = event.pop("event")
        if kind == "stage":
            task.stage = event["stage"]
        elif kind == "feasible":
            task.feasible = (event["low"], event["high"])
        elif kind == "round":
            task.rounds.append(Progress(**{name: event[name] for name in Progress._fields}))
        elif kind == "error":
            self._end(task, FAILED, InputError.from_fields(event))
        elif kind == "done":
            if not task.request.probe:
                self.models.add(task.request.key)
            self._end(task, DONE)

    def _end(self, task: _Task, state: str, error: InputError | None = None) -> None:
        """Bring a task to a terminal state, and its process to an end."""
        task.state, task.error, task.ended = state, error, time.monotonic()
        self._tasks.pop(task.request.key, None)
        if task in self._running:
            self._running.remove(task)
        if state == DONE and not task.request.probe:
            self._durations.append(_seconds(task))
        if task.timer is not None:
            task.timer.cancel()
        if task.process is not None:
            if state == CANCELLED or isinstance(error, LimitError):
                task.process.kill()
            if task.process.stdin is not None:
                with suppress(OSError):
                    task.process.stdin.close()
        if task.request.source.text is not None:
            with suppress(OSError):  # the disk may have become read-only; the next must begin all the same
                self._corpus_file(task.request.key).unlink(missing_ok=True)
            # A finished job is remembered for a while, its text is not.
            task.request = replace(task.request, source=replace(task.request.source, text=None))

    def _corpus_file(self, key: str) -> Path:
        return self._folder / f"{key}.txt"


def registry() -> Registry:
    """The registry of this server."""
    return _server_registry()


@cache
def _server_registry() -> Registry:
    folder = private_folder()
    jobs = Registry(folder, limits())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(jobs.close)
    return jobs

"""Worker processes: each takes requests, lines of JSON, and answers with events, until it is closed or killed.

Nothing slow runs in the server's process: its Python parts would hold the interpreter lock and make every other
visitor wait. `multiprocessing` would run the app's script again in the child, so a worker is a plain subprocess.
"""

import json
import logging
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypedDict

from app import ROOT

# Without the warning of what its processes leave when they end with the server.
COMMAND = (sys.executable, "-Wignore", "-m", "app.worker")
# To import the engine, and to compile its kernels if they are not cached.
_START_SECONDS = 180.0
_log = logging.getLogger(__name__)


class Event(TypedDict, total=False):
    """An event of a worker, see `app.worker`. Rounds, errors and file results have further fields."""

    event: str
    stage: str
    low: int
    high: int
    n_done: int
    n_resamples: int
    n_steps: int
    checked_lines: int
    checked_with: str
    n_bytes: int
    size: int
    seconds: float
    matches: list[list[int]]
    removed: list[str]
    stays: bool


class WorkerEndedError(Exception):
    """A worker ended before it had answered.

    Parameters
    ----------
    code : exit code of the process.
    is_late : it used up its time, by the clock or of the processor.
    """

    def __init__(self, code: int, is_late: bool) -> None:
        super().__init__(code)
        self.code, self.is_late = code, is_late or code == -getattr(signal, "SIGXCPU", 0)


class Worker:
    """A running process.

    Parameters
    ----------
    command : its command line.

    Attributes
    ----------
    stays : whether it takes another request.

    Raises
    ------
    OSError : no memory for another process.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
        )
        self._is_late = self.stays = False

    def ask(self, message: Mapping[str, object], seconds: float, take: Callable[[Event], None]) -> None:
        """Send a request and wait for its answer.

        Parameters
        ----------
        seconds : maximum running time, from the first event on; then the process is killed.
        take : called with every event; the last one is `done` or `error`.

        Raises
        ------
        WorkerEndedError : the process ended instead, or was killed.
        """
        begun, ended = threading.Event(), threading.Event()
        is_answered = False
        try:
            threading.Thread(target=self._watch, args=(seconds, begun, ended), daemon=True).start()
            self._send(message)
            is_answered = self._pass_on(take, begun)
        except Exception as error:
            # Whatever the error, the work must end; the message might quote the user's text.
            _log.error("the events of a worker could not be taken: %s", type(error).__name__)
            self.process.kill()
        code = None if is_answered else self.process.wait()
        begun.set()
        ended.set()
        if code is not None:
            raise WorkerEndedError(code, self._is_late)

    def kill(self) -> None:
        """End it; `ask` notices."""
        self.process.kill()

    def close(self) -> None:
        """End it and close its pipes, which nothing reads any more."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stdin):
            assert stream is not None
            with suppress(OSError):  # unwritten data
                stream.close()

    def _watch(self, seconds: float, begun: threading.Event, ended: threading.Event) -> None:
        """Kill the process when its time is over. Runs in a thread of its own."""
        begun.wait(_START_SECONDS)
        if not ended.wait(seconds):
            self._is_late = True
            self.process.kill()

    def _send(self, message: Mapping[str, object]) -> None:
        # stdin stays open: its end is how a worker learns that the server is gone.
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()

    def _pass_on(self, take: Callable[[Event], None], begun: threading.Event) -> bool:
        """Pass on events; whether the last one has come."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            begun.set()
            with suppress(json.JSONDecodeError):
                event = json.loads(line)
                is_last = event["event"] in ("done", "error")
                self.stays = event.get("stays", False)
                take(event)
                if is_last:
                    return True
        return False


class Spares:
    """Workers of one command that wait for a request."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self._lock = threading.Lock()
        self.workers: list[Worker] = []

    def take(self) -> Worker:
        """One that is still running, or else a new one; OSError if there is no memory for it."""
        with self._lock:
            self._clean_up()
            if self.workers:
                return self.workers.pop(0)
        return Worker(self._command)

    def add(self, worker: Worker, most: int) -> None:
        """Keep one that has done its work; it is closed if that many wait already."""
        with self._lock:
            self._clean_up()
            if len(self.workers) < most:
                self.workers.append(worker)
                return
        worker.close()

    def fill(self, n: int) -> None:
        """Start workers until `n` are ready."""
        with self._lock, suppress(OSError):  # no memory for another process: who takes one reports it
            self._clean_up()
            while len(self.workers) < n:
                self.workers.append(Worker(self._command))

    def close(self) -> None:
        with self._lock:
            while self.workers:
                self.workers.pop().close()

    def _clean_up(self) -> None:
        for worker in [worker for worker in self.workers if worker.process.poll() is not None]:
            self.workers.remove(worker)
            worker.close()

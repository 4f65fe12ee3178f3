"""A worker: one process that gets one message, tells of events, and ends.

Training never runs in the server's own process: its Python parts would hold the interpreter's lock and make every
other visitor wait. `multiprocessing` would run the app's script again in the child, so it is a plain subprocess.
"""

import json
import logging
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypedDict

from app import ROOT

_log = logging.getLogger(__name__)


class Event(TypedDict, total=False):
    """What a worker tells, see `app.worker`. A round, an error and a file that was read have fields of their own."""

    event: str
    stage: str
    low: int
    high: int
    n_done: int
    n_resamples: int
    checked_lines: int
    checked_with: str
    n_bytes: int
    size: int


def start_process(command: Sequence[str]) -> "subprocess.Popen[str]":
    """A worker that waits for its message; OSError where there is no memory for it."""
    return subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="backslashreplace",
    )


def end_process(process: "subprocess.Popen[str]") -> None:
    """End a process that nobody follows, and close what led to it."""
    process.kill()
    process.wait()
    for stream in (process.stdout, process.stdin):
        assert stream is not None
        with suppress(OSError):  # what could not be written any more
            stream.close()


def take_running(processes: "list[subprocess.Popen[str]]") -> "subprocess.Popen[str] | None":
    """The first of these that has not ended, out of the list; those before it are cleared away."""
    while processes:
        process = processes.pop(0)
        if process.poll() is None:
            return process
        end_process(process)
    return None


class WorkerProcess:
    """A process that works, from its start to its end.

    Parameters
    ----------
    command : the worker, as a command line; message : what it is told.
    seconds : time that it may run; then `time_out` is called.
    take : is called with every event; ended : with the exit code, once.
    process : one that was started before and has got no message yet.

    Raises
    ------
    OSError, RuntimeError : no memory for another process, no more threads.
    """

    def __init__(
        self,
        command: Sequence[str],
        message: Mapping[str, object],
        seconds: float,
        take: Callable[[Event], None],
        time_out: Callable[[], None],
        ended: Callable[[int], None],
        process: "subprocess.Popen[str] | None" = None,
    ) -> None:
        self.process = process or start_process(command)
        self._timer = threading.Timer(seconds, time_out)
        self._timer.daemon = True
        try:
            self._timer.start()
            self._tell(message)
            threading.Thread(target=self._follow, args=(take, ended), daemon=True).start()
        except BaseException:
            self.end(at_once=True)
            self.process.wait()
            raise

    def end(self, at_once: bool) -> None:
        """Bring it to its end: now, or as soon as it has seen that nobody listens."""
        self._timer.cancel()
        if at_once:
            self.process.kill()
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()

    def _tell(self, message: Mapping[str, object]) -> None:
        # stdin stays open: its end is how a worker learns that the server is gone.
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()

    def _follow(self, take: Callable[[Event], None], ended: Callable[[int], None]) -> None:
        """Hand on the events until the process ends. Runs in a thread of its own."""
        assert self.process.stdout is not None
        try:
            for line in self.process.stdout:
                with suppress(json.JSONDecodeError):
                    take(json.loads(line))
        except Exception as error:
            # Whatever it is, the job must end; the message might quote the user's text.
            _log.error("the events of a worker could not be taken: %s", type(error).__name__)
            self.process.kill()
        code = self.process.wait()
        self.process.stdout.close()
        ended(code)

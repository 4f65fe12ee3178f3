"""A worker: a process that receives one message, reports events, and ends.

Training never runs in the server's process: its Python parts would hold the interpreter lock and make every other
visitor wait. `multiprocessing` would run the app's script again in the child, so it is a plain subprocess.
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


def start_process(command: Sequence[str]) -> "subprocess.Popen[str]":
    """A worker waiting for its message; OSError if there is no memory for it."""
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
    """Kill a process that nothing follows, and close its pipes."""
    process.kill()
    process.wait()
    for stream in (process.stdout, process.stdin):
        assert stream is not None
        with suppress(OSError):  # unwritten data
            stream.close()


def take_running(processes: "list[subprocess.Popen[str]]") -> "subprocess.Popen[str] | None":
    """Remove and return the first process that is still running; ended ones before it are cleaned up."""
    while processes:
        process = processes.pop(0)
        if process.poll() is None:
            return process
        end_process(process)
    return None


class WorkerProcess:
    """A running worker, from start to end.

    Parameters
    ----------
    command : the worker's command line; message : its request.
    seconds : maximum running time; then `time_out` is called.
    take : called with every event; ended : called once, with the exit code.
    process : a process started earlier that has not received a message yet.

    Raises
    ------
    OSError, RuntimeError : no memory for another process, or no more threads.
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
        """End it: now, or as soon as it notices that its stdin is closed."""
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
        """Pass on events until the process ends. Runs in its own thread."""
        assert self.process.stdout is not None
        try:
            for line in self.process.stdout:
                with suppress(json.JSONDecodeError):
                    take(json.loads(line))
        except Exception as error:
            # Whatever the error, the job must end; the message might quote the user's text.
            _log.error("the events of a worker could not be taken: %s", type(error).__name__)
            self.process.kill()
        code = self.process.wait()
        self.process.stdout.close()
        ended(code)

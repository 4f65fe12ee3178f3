"""The kernels of this server: compiled by processes of low priority, while visitors are served.

Meanwhile the server itself compiles nothing: what needs a kernel that is not compiled yet raises KernelsNotReadyError,
which becomes a notice (`app.session.preparing`), or runs it as plain Python (`in_plain_python`).
"""

import logging
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

import numpy as np

from app.server.limits import limits
from app.server.work.work_kinds import COMPILING, KINDS
from app.server.work.worker_process import Event, WorkerProcess
from engine._jit import compile_if
from engine.commands.warmup import is_warm, n_steps
from engine.errors import InputError

# Without the warning of what its processes leave when they end with the server.
_COMMAND = (sys.executable, "-Wignore", "-m", "app.worker")
_MAX_STARTS = 2
_log = logging.getLogger(__name__)
_in_plain_python: ContextVar[bool] = ContextVar("in_plain_python", default=False)


class KernelsNotReadyError(Exception):
    """A kernel that is needed here has not been compiled yet."""


class Kernels:
    """Progress and outcome of the compilation.

    Parameters
    ----------
    command : the worker's command line; replaced in tests.

    Attributes
    ----------
    progress : steps done and all steps while it is under way, else None.
    failure : why kernels are missing for good; empty unless it has failed.
    """

    def __init__(self, command: Sequence[str] = _COMMAND) -> None:
        self._command = tuple(command)
        self.progress: tuple[int, int] | None = None
        self.failure = ""
        self._are_ready = False
        self._over = threading.Event()
        self._lock = threading.RLock()  # a process may end before `_worker` is set
        self._error: InputError | None = None
        self._n_starts = 0
        self._worker: WorkerProcess | None = None

    def start(self) -> None:
        """Compile what is missing, in another process."""
        if is_warm():
            self._finish()
            return
        self.progress = 0, n_steps()
        compile_if(self._may_compile)
        self._start()

    def wait(self) -> bool:
        """Wait until it is over; whether all kernels can be used."""
        self._over.wait()
        return self._are_ready

    def check(self) -> None:
        """KernelsNotReadyError while it is under way."""
        if self.progress:
            raise KernelsNotReadyError

    def close(self) -> None:
        with self._lock:
            self._over.set()
            if self._worker is not None:
                self._worker.end(at_once=False)

    def _start(self) -> None:
        self._n_starts += 1
        work = KINDS[COMPILING].limits(limits())
        try:
            with self._lock:
                self._worker = WorkerProcess(
                    self._command,
                    work.message(COMPILING, {}),
                    work.seconds,
                    take=self._take,
                    time_out=self._time_out,
                    ended=self._ended,
                )
        except (OSError, RuntimeError) as error:
            self._finish(getattr(error, "strerror", None) or type(error).__name__)

    def _take(self, event: Event) -> None:
        if event["event"] == "result":
            self.progress = event["n_done"], event["n_steps"]
        elif event["event"] == "error":
            self._error = InputError.from_fields(event)
        elif event["event"] == "done":
            self._finish()

    def _time_out(self) -> None:
        assert self._worker is not None
        self._worker.end(at_once=True)

    def _ended(self, code: int) -> None:
        with self._lock:
            assert self._worker is not None
            self._worker.end(at_once=False)
            if self._over.is_set():
                return
            error, self._error = self._error, None
            self._go_on(error, code)

    def _go_on(self, error: InputError | None, code: int) -> None:
        if error and error.code == "file.unwritable":  # then this process compiles what it needs
            _log.warning("compiled kernels cannot be stored: %s", str(error))
            self._finish()
        elif self._n_starts < _MAX_STARTS:
            self._start()
        else:
            self._finish(str(error.values.get("kind", error.code)) if error else f"exit code {code}")

    def _finish(self, failure: str = "") -> None:
        if failure:
            _log.error("the kernels could not be compiled: %s", failure)
        self.failure, self.progress, self._are_ready = failure, None, not failure
        self._over.set()

    def _may_compile(self) -> bool:
        if self._are_ready:
            return True
        if _in_plain_python.get():
            return False
        raise KernelsNotReadyError


@contextmanager
def in_plain_python() -> Iterator[None]:
    """Run kernels that are not compiled yet as plain Python: for what then takes less than a second."""
    token = _in_plain_python.set(True)
    try:
        with np.errstate(over="ignore"):  # hashes wrap around
            yield
    finally:
        _in_plain_python.reset(token)


@cache
def kernels() -> Kernels:
    return Kernels()

"""The kernels of this server: compiled by processes of low priority, while visitors are served.

Meanwhile the server itself compiles nothing: what needs a kernel that is not compiled yet raises KernelsNotReadyError,
which becomes a notice (`app.session.page_run`), or runs it as plain Python (`in_plain_python`).
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

import numpy as np

from app.server.work.jobs import CANCELLED, Registry, registry
from app.server.work.work_kinds import COMPILING, Errand
from engine._jit import compile_if
from engine.commands.warmup import is_warm, n_steps
from engine.errors import InputError

_MAX_STARTS = 2
_POLL_SECONDS = 0.1
_log = logging.getLogger(__name__)
_in_plain_python: ContextVar[bool] = ContextVar("in_plain_python", default=False)


class KernelsNotReadyError(Exception):
    """A kernel that is needed here has not been compiled yet."""


class Kernels:
    """Progress and outcome of the compilation.

    Attributes
    ----------
    progress : steps done and all steps while it is under way, else None.
    failure : why kernels are missing for good; empty unless it has failed.
    """

    def __init__(self) -> None:
        self.progress: tuple[int, int] | None = None
        self.failure = ""
        self._are_ready = False
        self._over = threading.Event()

    def start(self) -> None:
        """Compile what is missing, in another process."""
        if is_warm():
            self._finish()
            return
        self.progress = 0, n_steps()
        compile_if(self._may_compile)
        threading.Thread(target=self._compile, args=(registry(),), name="kernels", daemon=True).start()

    def wait(self) -> bool:
        """Wait until it is over; whether all kernels can be used."""
        self._over.wait()
        return self._are_ready

    def check(self) -> None:
        """KernelsNotReadyError while it is under way."""
        if self.progress:
            raise KernelsNotReadyError

    def _compile(self, jobs: Registry) -> None:
        failure = ""
        for _ in range(_MAX_STARTS):
            job_id = jobs.submit(Errand(COMPILING, {}))
            while (job := jobs.view(job_id)) and job.is_active:
                self.progress = job.result.get("n_done", 0), job.result.get("n_steps", n_steps())
                time.sleep(_POLL_SECONDS)
            if job is None or job.state == CANCELLED:  # the server ends
                return
            failure = "" if job.error is None else _reason(job.error)
            if not failure:
                break
        self._finish(failure)

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


def _reason(error: InputError) -> str:
    """Why kernels are missing; empty if this process compiles what it needs."""
    if error.code == "file.unwritable":
        _log.warning("compiled kernels cannot be stored: %s", error)
        return ""
    if error.code == "job.ended":
        return f"exit code {error.values['number']}"
    return str(error.values.get("kind", error.values.get("detail", error.code)))


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

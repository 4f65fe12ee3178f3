"""Workers are threads here: these tests are about pages, and starting a process costs more than most of their runs."""

import json
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from app.server.work.reading import Readers
from app.server.work.worker_process import Event, WorkerProcess
from app.worker import serve

# Work that leaves its process as it was.
_KINDS = ("training", "probing", "resampling", "exporting", "reading", "fetching")


class _WorkerThread:
    """What `WorkerProcess` is to a registry, without a process and its limits."""

    def __init__(self, message: Mapping[str, Any], take: Callable[[Event], None], ended: Callable[[int], None]) -> None:
        self._is_over = False
        threading.Thread(target=self._work, args=(dict(message), take, ended), daemon=True).start()

    def end(self, at_once: bool) -> None:
        self._is_over = True

    def _work(self, message: dict[str, Any], take: Callable[[Event], None], ended: Callable[[int], None]) -> None:
        def emit(**event: Any) -> None:
            if self._is_over:
                sys.exit()
            take(json.loads(json.dumps(event)))

        try:
            code = serve(message, emit)
        except SystemExit:
            code = 1
        ended(code)


def _worker(
    command: Sequence[str],
    message: Mapping[str, Any],
    seconds: float,
    take: Callable[[Event], None],
    time_out: Callable[[], None],
    ended: Callable[[int], None],
    process: Any = None,
) -> _WorkerThread | WorkerProcess:
    if tuple(command[1:3]) == ("-m", "app.worker") and message["kind"] in _KINDS:
        return _WorkerThread(message, take, ended)
    return WorkerProcess(command, message, seconds, take, time_out, ended, process)


@pytest.fixture(autouse=True)
def _workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.work.jobs.WorkerProcess", _worker)
    monkeypatch.setattr("app.server.work.reading.WorkerProcess", _worker)
    monkeypatch.setattr(Readers, "keep_warm", lambda self: None)

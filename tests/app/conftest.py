"""Workers are threads here: these tests are about pages, and starting a process costs more than most of their runs."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from app.server.work.worker_process import COMMAND, Event, Worker, WorkerEndedError
from app.worker import serve


class _Thread(Worker):
    """Works in the thread that asks, without a process and its limits."""

    def __init__(self) -> None:
        self._is_over = self.stays = False

    def ask(self, message: Mapping[str, object], seconds: float, take: Callable[[Event], None]) -> None:
        def emit(**event: Any) -> None:
            if self._is_over:
                sys.exit()
            take(json.loads(json.dumps(event)))

        try:
            serve(dict(message), emit)
        except SystemExit:
            raise WorkerEndedError(1, False) from None

    def kill(self) -> None:
        self._is_over = True

    close = kill


def _worker(command: Sequence[str]) -> Worker:
    return _Thread() if tuple(command) in (COMMAND, (*COMMAND, "--warm")) else Worker(command)


@pytest.fixture(autouse=True)
def _workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.work.jobs.Worker", _worker)
    monkeypatch.setattr("app.server.work.worker_process.Worker", _worker)

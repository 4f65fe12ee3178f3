"""`/ready` fails where pages stall or the process is about to end, and a single long run is no stall."""

import os
import signal
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app.server.http import readiness
from app.server.work.turns import Turns
from tests.app_server import AppServer


def test_runs_that_hang_together_make_the_process_unready(
    monkeypatch: pytest.MonkeyPatch, wait_until: Callable[..., None]
) -> None:
    turns, ahead = Turns(0.01), 0.0
    monkeypatch.setattr(readiness, "TURNS", turns)
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + ahead)
    monkeypatch.setattr("app.server.work.turns.time", clock)
    client, may_end = TestClient(Starlette(routes=[readiness.readiness_route()])), threading.Event()

    def hang() -> None:
        with turns.turn():
            may_end.wait()

    runs = [threading.Thread(target=hang) for _ in range(2)]
    assert client.get("/ready").json() == {"reason": "", "runs": 0}
    runs[0].start()
    wait_until(lambda: turns.n_open == 1)
    ahead += 60
    answer = client.get("/ready")
    assert answer.status_code == 200 and answer.json()["runs"] == 1  # it may be long work
    runs[1].start()
    wait_until(lambda: turns.n_open == 2)
    assert client.get("/ready").status_code == 200  # two only now
    ahead += 11
    answer = client.get("/ready")
    assert answer.status_code == 503 and "no run of a page has ended" in answer.json()["reason"]
    with turns.turn():  # somebody else's page still comes
        pass
    assert client.get("/ready").status_code == 200
    may_end.set()
    for run in runs:
        run.join()
    assert client.get("/ready").json() == {"reason": "", "runs": 0}


def test_a_process_that_was_told_to_leave_says_so(tmp_path: object, wait_until: Callable[..., None]) -> None:
    server = AppServer(str(tmp_path))
    try:
        assert server.readiness() == (200, {"reason": "", "runs": 0})
        os.kill(server.pid, signal.SIGUSR1)
        wait_until(lambda: server.readiness() == (503, {"reason": "leaving", "runs": 0}))
    finally:
        server.stop()

"""One queue for all: of one process in memory, and of several that share a database."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.server.limits import LimitError, Limits
from app.server.store.database import Database
from app.server.store.opening import open_store
from app.server.store.store import LibraryError
from app.server.visitors import Visitor
from app.server.work import jobs, shared_queue
from app.server.work.jobs import CANCELLED, FAILED, QUEUED, RUNNING, JobView, Registry
from app.server.work.work_kinds import TRAINING, Errand
from tests.conftest import ROOT
from tests.running import postgresql_server
from tests.running.postgresql_server import PostgresqlServer

Wait = Callable[..., None]
# A worker that takes its request and goes on for ever.
_PATIENT = (sys.executable, "-c", "import sys; sys.stdin.read()")


@pytest.fixture(params=["memory", "postgresql"])
def processes(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., tuple[Registry, Registry]]]:
    """Two registries: the same one twice, or as in two processes with one database."""
    server = request.getfixturevalue("postgresql") if request.param == "postgresql" else None
    made: list[Registry] = []
    databases: list[Database] = []
    for module in (shared_queue, jobs):
        monkeypatch.setattr(module, "NOTICE_SECONDS", 0.05)

    def make(**bounds: int) -> tuple[Registry, Registry]:
        if server is None:
            made.append(Registry(tmp_path, Limits(**bounds), _PATIENT))
            return made[0], made[0]
        url = postgresql_server.empty(server.url())
        for _ in range(2):
            databases.append(open_store(url).database)
            made.append(Registry(tmp_path, Limits(**bounds), _PATIENT, database=lambda each=databases[-1]: each))
        return made[0], made[1]

    yield make
    for registry in made:
        registry.close()
    for database in databases:
        database.close()


def _training(registry: Registry, visitor: str = "A.a") -> str:
    return registry.submit(Errand(TRAINING, {}), Visitor(*visitor.split(".")))


def _view(registry: Registry, job_id: str) -> JobView:
    job = registry.view(job_id)
    assert job is not None
    return job


def _state(registry: Registry, job_id: str) -> str:
    return _view(registry, job_id).state


def test_who_came_first_trains_first_wherever_that_was(
    processes: Callable[..., tuple[Registry, Registry]], wait_until: Wait
) -> None:
    one, two = processes(jobs=1)
    trainings = [(registry, _training(registry, f"A.{n}")) for n, registry in enumerate((one, two, one, two))]
    wait_until(lambda: [_view(*job).position for job in trainings] == [0, 1, 2, 3])
    for k in range(3):
        assert [_state(*job) for job in trainings] == [CANCELLED] * k + [RUNNING] + [QUEUED] * (3 - k)
        registry, job_id = trainings[k]
        registry.cancel(job_id)
        wait_until(lambda k=k: _state(*trainings[k + 1]) == RUNNING)
        wait_until(lambda k=k: [_view(*job).position for job in trainings[k + 1 :]] == list(range(3 - k)))


def test_networks_and_browsers_take_turns_wherever_they_are(
    processes: Callable[..., tuple[Registry, Registry]], wait_until: Wait
) -> None:
    registries = processes(jobs=1)
    asked = ["A.a", "A.a", "A.b", "B.c", "A.b", "C.d"]
    trainings = [(registries[n % 2], _training(registries[n % 2], who)) for n, who in enumerate(asked)]
    begun: list[str] = []

    def running() -> list[int]:
        return [n for n, job in enumerate(trainings) if _state(*job) == RUNNING]

    for _ in asked:
        wait_until(running)
        (n,) = running()
        begun.append(asked[n])
        trainings[n][0].cancel(trainings[n][1])
    assert begun == ["A.a", "B.c", "C.d", "A.b", "A.a", "A.b"]


def test_limits_count_what_is_at_another_process(
    processes: Callable[..., tuple[Registry, Registry]], wait_until: Wait
) -> None:
    one, two = processes(jobs=1, jobs_per_visitor=2, queued=3)
    first, second = _training(one), _training(two)
    with pytest.raises(LimitError, match="MAX_JOBS_PER_VISITOR is 2"):
        _training(two)
    others = [_training(one, "A.b"), _training(one, "A.b")]
    # The queue is full: the last one gives way to an earlier turn, at whichever process it is.
    earlier = _training(two, "A.c")
    wait_until(lambda: _state(one, others[1]) == FAILED)
    error = _view(one, others[1]).error
    assert isinstance(error, LimitError) and error.name == "queued"
    assert _view(two, earlier).position == 2
    with pytest.raises(LimitError, match="MAX_QUEUED is 3"):
        _training(two, "A.c")
    one.cancel(others[0])
    one.cancel(first)
    wait_until(lambda: _state(two, earlier) == RUNNING)
    assert _state(two, second) == QUEUED and _training(one)


_PROCESS = """
import sys
from app.server.limits import Limits
from app.server.store.opening import open_store
from app.server.visitors import Visitor
from app.server.work.jobs import Registry
from app.server.work.work_kinds import TRAINING, Errand
from pathlib import Path

database = open_store(sys.argv[1]).database
patient = (sys.executable, "-c", "import sys; sys.stdin.read()")
registry = Registry(Path(sys.argv[2]), Limits(jobs=1), patient, database=lambda: database)
jobs = [registry.submit(Errand(TRAINING, {}), Visitor("A", who)) for who in sys.argv[3:]]
for line in sys.stdin:
    print(*(registry.view(job).state for job in jobs), flush=True)
"""


def _ask(process: "subprocess.Popen[str]") -> list[str]:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline().split()


@pytest.mark.slow
def test_a_place_of_a_process_that_is_killed_or_hangs_becomes_free(
    postgresql: PostgresqlServer, tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgresql_server.empty(postgresql.url())
    # For the test the server waits for one that hangs 2 s instead of a minute.
    hasty = url + "&options=-c%20idle_in_transaction_session_timeout%3D2s"

    def start(*visitors: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", _PROCESS, hasty, str(tmp_path), *visitors]
        return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    with start("a", "b") as one:
        assert _ask(one) == [RUNNING, QUEUED]
        with start("c") as two, start("d") as three:
            assert _ask(two) == _ask(three) == [QUEUED]
            one.kill()
            wait_until(lambda: [*_ask(two), *_ask(three)] in ([RUNNING, QUEUED], [QUEUED, RUNNING]), 5)
            running, waiting = (two, three) if _ask(two) == [RUNNING] else (three, two)
            running.send_signal(signal.SIGSTOP)
            wait_until(lambda: _ask(waiting) == [RUNNING], 10)
            running.send_signal(signal.SIGCONT)
            wait_until(lambda: _ask(running) == [RUNNING], 5)  # it goes on: nothing is lost
            for process in (two, three):
                process.kill()


def test_without_the_database_a_training_waits_and_then_each_process_goes_by_its_own_queue(
    tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down() -> Database:
        raise LibraryError("library.server_down")

    registry = Registry(tmp_path, Limits(jobs=1), _PATIENT, database=down)
    job_id = _training(registry)
    assert _state(registry, job_id) == QUEUED
    monkeypatch.setattr(shared_queue, "_ALONE_SECONDS", 0.1)
    wait_until(lambda: _state(registry, job_id) == RUNNING)
    second = _training(registry)
    assert _state(registry, second) == QUEUED and _view(registry, second).position == 1
    registry.close()

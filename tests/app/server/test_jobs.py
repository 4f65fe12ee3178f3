"""The job registry, with the real worker and with small ones that do exactly one thing."""

import itertools
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

import app.worker
from app.server.limits import LimitError, Limits
from app.server.stored_texts import checked_text
from app.server.visitors import Visitor
from app.server.work import jobs
from app.server.work import work_kinds as kinds
from app.server.work.jobs import CANCELLED, DONE, FAILED, QUEUED, RUNNING, JobView, ModelFolder, Registry, Request
from engine.config import TrainingSettings
from engine.model_files import load_tokenizer
from engine.training import train
from tests.conftest import ROOT

Wait = Callable[..., None]

TEXT = "나무에 꽃이 피었다.\n나무에 새가 앉았다.\n새가 꽃을 보았다.\n" * 5
SETTINGS = TrainingSettings(vocab_size=270)
REQUEST = Request(checked_text(TEXT), SETTINGS)

# Takes the request and then waits for ever, as a long training does.
_PATIENT = """
import json, sys
json.loads(sys.stdin.readline())
print(json.dumps({"event": "stage", "stage": "rounds"}), flush=True)
print("a stray line", flush=True)
sys.stdin.read()
"""


def _small() -> kinds.Errand:
    """Work of another kind than training."""
    return kinds.Errand("exporting", {})


def _request(number: int) -> Request:
    return Request(checked_text(f"{TEXT}{number}\n"), SETTINGS)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Registry]]:
    """Makes registries, and ends their workers when the test is over."""
    made: list[Registry] = []

    def make(script: str | None = None, **options: object) -> Registry:
        if script is not None:
            options["command"] = (sys.executable, "-c", script)
        registry = Registry(tmp_path, **options)  # type: ignore[arg-type]
        made.append(registry)
        return registry

    yield make
    for registry in made:
        registry.close()


def _view(registry: Registry, job_id: str) -> JobView:
    job = registry.view(job_id)
    assert job is not None
    return job


def _worker(registry: Registry) -> "subprocess.Popen[str]":
    """The process of the only task that runs."""
    (task,) = registry._queue.running
    assert task.worker is not None
    return task.worker.process


def _reaches(registry: Registry, job_id: str, state: str) -> Callable[[], bool]:
    return lambda: _view(registry, job_id).state == state


def test_trains_a_model(start: Callable[..., Registry], tmp_path: Path, wait_until: Wait) -> None:
    registry = start()
    job_id = registry.submit(REQUEST)
    wait_until(lambda: not _view(registry, job_id).is_active, 120)
    job = _view(registry, job_id)
    assert (job.state, job.error) == (DONE, None)
    assert job.feasible is not None
    assert job.feasible[0] == 256 <= 270 <= job.feasible[1]
    assert [entry.number for entry in job.rounds] == list(range(len(job.rounds)))
    assert job.rounds[-1].is_last
    path = registry.models.find(REQUEST.key)
    assert path is not None
    assert load_tokenizer(path).vocab_size == 270
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]  # the user's text is gone from the disk
    assert job.request.source.text is None  # and from memory
    assert job.request.key == REQUEST.key


def test_a_finished_model_is_not_trained_again(start: Callable[..., Registry], wait_until: Wait) -> None:
    registry = start()
    first = registry.submit(REQUEST)
    wait_until(_reaches(registry, first, DONE), 120)
    assert _view(registry, registry.submit(REQUEST)).state == DONE


def test_a_probe_finds_the_feasible_sizes_only(start: Callable[..., Registry], wait_until: Wait) -> None:
    registry = start()
    job_id = registry.submit(replace(REQUEST, probe=True))
    wait_until(_reaches(registry, job_id, DONE), 120)
    job = _view(registry, job_id)
    assert job.feasible is not None
    assert job.rounds == ()
    assert registry.models.find(REQUEST.key) is None


def test_bad_input_fails_with_its_reason(start: Callable[..., Registry], wait_until: Wait) -> None:
    registry = start()
    job_id = registry.submit(Request(checked_text(TEXT), replace(SETTINGS, vocab_size=100_000)))
    wait_until(_reaches(registry, job_id, FAILED), 120)
    message = str(_view(registry, job_id).error)
    assert "100,000" in message
    assert "choose a size from 256" in message


def test_cancelling_ends_the_worker(start: Callable[..., Registry], tmp_path: Path, wait_until: Wait) -> None:
    registry = start(_PATIENT)
    job_id = registry.submit(REQUEST)
    wait_until(lambda: _view(registry, job_id).stage == "rounds")
    process = _worker(registry)
    registry.cancel(job_id)
    assert _view(registry, job_id).state == CANCELLED
    wait_until(lambda: process.poll() is not None)
    assert list(tmp_path.iterdir()) == []


def test_equal_requests_share_one_worker(start: Callable[..., Registry], wait_until: Wait) -> None:
    registry = start(_PATIENT)
    mine, yours = registry.submit(REQUEST), registry.submit(REQUEST)
    assert mine != yours
    assert len(registry._queue.running) == 1
    registry.cancel(mine)
    assert (_view(registry, mine).state, _view(registry, yours).state) == (CANCELLED, RUNNING)
    registry.cancel(yours)
    assert registry.is_idle


def test_the_queue_moves_up(start: Callable[..., Registry], wait_until: Wait) -> None:
    registry = start(_PATIENT, bounds=Limits(jobs=1))
    ids = [registry.submit(_request(number)) for number in range(3)]
    assert [(_view(registry, i).state, _view(registry, i).position) for i in ids] == [
        (RUNNING, 0),
        (QUEUED, 1),
        (QUEUED, 2),
    ]
    registry.cancel(ids[1])
    assert _view(registry, ids[2]).position == 1
    registry.cancel(ids[0])
    wait_until(_reaches(registry, ids[2], RUNNING))


def test_a_full_queue_is_refused(start: Callable[..., Registry]) -> None:
    registry = start(_PATIENT, bounds=Limits(jobs=1, queued=1))
    registry.submit(_request(0))
    registry.submit(_request(1))
    with pytest.raises(LimitError, match="MAX_QUEUED is 1"):
        registry.submit(_request(2))


def test_a_visitor_has_so_many_trainings(start: Callable[..., Registry]) -> None:
    registry = start(_PATIENT, bounds=Limits(jobs_per_visitor=1))
    first = registry.submit(_request(0), Visitor(browser="me"))
    again = registry.submit(_request(0), Visitor(browser="me"))  # the same training counts once
    mine = [first, again, registry.submit(replace(_request(1), probe=True), Visitor(browser="me"))]
    with pytest.raises(LimitError, match="MAX_JOBS_PER_VISITOR is 1"):
        registry.submit(_request(1), Visitor(browser="me"))
    registry.submit(_request(2), Visitor(browser="you"))
    for job_id in mine:
        registry.cancel(job_id)
    assert _view(registry, first).state == CANCELLED
    registry.submit(_request(1), Visitor(browser="me"))


def test_a_large_vocabulary_is_refused(start: Callable[..., Registry]) -> None:
    registry = start(_PATIENT, bounds=Limits(vocab=269))
    with pytest.raises(LimitError, match="MAX_VOCAB is 269"):
        registry.submit(REQUEST)


def test_a_training_ends_when_its_time_is_over(start: Callable[..., Registry], wait_until: Wait) -> None:
    registry = start(_PATIENT, bounds=Limits(job_seconds=0))
    job_id = registry.submit(REQUEST)
    wait_until(_reaches(registry, job_id, FAILED))
    job = _view(registry, job_id)
    assert isinstance(job.error, LimitError)
    assert (job.error.name, job.error.value) == ("job_seconds", 0)
    assert registry.is_idle


def test_a_killed_worker_is_reported(start: Callable[..., Registry], wait_until: Wait) -> None:
    registry = start(_PATIENT)
    job_id = registry.submit(REQUEST)
    process = _worker(registry)
    os.kill(process.pid, signal.SIGKILL)
    wait_until(_reaches(registry, job_id, FAILED))
    assert "-9" in str(_view(registry, job_id).error)
    assert _view(registry, registry.submit(REQUEST)).state == RUNNING  # and the next one starts


def test_a_worker_that_cannot_start_is_reported(start: Callable[..., Registry]) -> None:
    registry = start(command=("/no/such/program",))
    job = _view(registry, registry.submit(REQUEST))
    assert job.state == FAILED
    assert "could not be started" in str(job.error)


def test_nobody_waits_for_an_idle_job(start: Callable[..., Registry]) -> None:
    registry = start(_PATIENT, idle_seconds=-1.0)
    forgotten = registry.submit(_request(0))
    registry.submit(_request(1))
    job = registry._finished[forgotten]
    assert job.cancelled
    assert job.task.state == CANCELLED


def test_unknown_jobs_are_unknown(start: Callable[..., Registry]) -> None:
    registry = start(_PATIENT)
    assert registry.view("0" * 32) is None
    registry.cancel("0" * 32)


def test_a_worker_ends_when_the_server_is_gone() -> None:
    worker = subprocess.Popen(
        [sys.executable, "-m", "app.worker"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # A folder as corpus makes the worker fail at once; a closed stdin may end it even before that.
    request = {"paths": ["."], "settings": {"special_tokens": []}, "output": "x"}
    message = {"kind": "training", "cpu_seconds": 60, "request": request}
    worker.communicate(json.dumps(message).encode() + b"\n", timeout=60)
    assert worker.returncode != 0


def test_model_files_used_longest_ago_go_first(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path, max_files=2)
    for key in ("a", "b"):
        folder.target(key).write_bytes(b"model")
        folder.add(key)
    folder.find("a")
    folder.target("c").write_bytes(b"model")
    folder.add("c")
    assert (folder.find("a") is None, folder.find("b") is None, folder.find("c") is None) == (False, True, False)
    assert not folder.target("b").exists()


def test_model_files_are_bounded_by_size_but_the_newest_stays(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path, max_bytes=3)
    for key in ("a", "b"):
        folder.target(key).write_bytes(b"model")
        folder.add(key)
    assert (folder.find("a"), folder.find("b")) == (None, folder.target("b"))


def test_a_worker_that_talks_nonsense_fails(start: Callable[..., Registry], wait_until: Wait) -> None:
    registry = start(_PATIENT.replace('{"event": "stage", "stage": "rounds"}', '{"event": "round", "number": []}'))
    job_id = registry.submit(REQUEST)
    wait_until(_reaches(registry, job_id, FAILED))
    assert registry.is_idle


def test_a_reason_comes_with_its_code(start: Callable[..., Registry], wait_until: Wait) -> None:
    event = '{"event": "error", "message": "too slow", "code": "pattern.slow", "values": {"seconds": 2.5}}'
    registry = start(_PATIENT.replace('{"event": "stage", "stage": "rounds"}', event))
    job_id = registry.submit(REQUEST)
    wait_until(_reaches(registry, job_id, FAILED))
    error = _view(registry, job_id).error
    assert error is not None
    assert (error.code, error.values) == ("pattern.slow", {"seconds": 2.5}) and "took over 2.5 s" in str(error)


def test_the_wait_is_estimated_from_the_last_trainings(start: Callable[..., Registry]) -> None:
    registry = start(_PATIENT, bounds=Limits(jobs=1))
    ids = [registry.submit(_request(number)) for number in range(3)]
    assert [_view(registry, i).wait for i in ids] == [None] * 3
    registry._queue._durations.extend([7.0, 8.0, 1000.0])
    running, first, second = (_view(registry, i).wait for i in ids)
    assert running is None
    assert first is not None and 0 <= first <= 8
    assert second is not None and 8 <= second <= 16


def test_a_clock_that_jumps_ends_no_job_early(
    start: Callable[..., Registry], monkeypatch: pytest.MonkeyPatch, wait_until: Wait
) -> None:
    day, jumps = 86_400.0, itertools.cycle((-3, 400, -20_000, 0.5))
    monkeypatch.setattr("time.time", lambda: 1.7e9 + day * next(jumps))
    registry = start(_PATIENT, bounds=Limits(jobs=1, job_seconds=1000))
    ids = [registry.submit(_request(number)) for number in range(3)]
    registry._queue._durations.append(8.0)
    wait_until(lambda: _view(registry, ids[0]).stage == "rounds")
    assert 0 <= _view(registry, ids[0]).seconds < day
    assert [_view(registry, i).state for i in ids] == [RUNNING, QUEUED, QUEUED]
    waits = [_view(registry, i).wait for i in ids[1:]]
    assert all(wait is not None and 0 <= wait <= 16 for wait in waits)
    registry.cancel(ids[0])
    wait_until(_reaches(registry, ids[1], RUNNING))
    hasty = start(_PATIENT, bounds=Limits(job_seconds=0))
    job_id = hasty.submit(_request(9))
    wait_until(_reaches(hasty, job_id, FAILED))
    assert isinstance(_view(hasty, job_id).error, LimitError)


def test_a_model_that_was_cleaned_up_is_trained_again(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path)
    folder.write("a", b"model")
    assert folder.find("a") is not None
    folder.target("a").unlink()
    assert folder.find("a") is None


def test_a_defect_of_the_trainer_is_reported_without_the_text(tmp_path: Path) -> None:
    script = """
import app.worker, sys
def train(request, emit): raise KeyError(request["paths"][0])
app.worker.KINDS["training"] = train
sys.exit(app.worker.main())
"""
    request = {"kind": "training", "cpu_seconds": 60, "request": {"paths": ["a secret of the user's"]}}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, input=json.dumps(request) + "\n", capture_output=True, text=True
    )
    assert done.returncode in (1, 4)  # 1: the closed stdin was seen first
    assert "secret" not in done.stderr + done.stdout
    assert done.returncode == 1 or '"code": "job.defect", "values": {"kind": "KeyError"}' in done.stdout


def test_both_sides_know_the_same_kinds() -> None:
    assert list(app.worker.KINDS) == [*kinds.KINDS, "matching"]


def test_an_export_waits_for_no_training(start: Callable[..., Registry], wait_until: Wait) -> None:
    registry = start(_PATIENT, bounds=Limits(jobs=1))
    trainings = [registry.submit(_request(number)) for number in range(2)]
    exports = [registry.submit(_small()) for number in range(2)]
    assert [_view(registry, i).state for i in trainings + exports] == [RUNNING, QUEUED, RUNNING, QUEUED]
    assert [_view(registry, i).position for i in trainings + exports] == [0, 1, 0, 1]
    registry.cancel(exports[0])
    wait_until(_reaches(registry, exports[1], RUNNING))
    assert _view(registry, trainings[1]).state == QUEUED


def test_what_is_short_goes_first(start: Callable[..., Registry]) -> None:
    registry = start(_PATIENT, bounds=Limits(jobs=1))
    ids = [registry.submit(request) for request in (_request(0), _request(1), replace(_request(2), probe=True))]
    assert [_view(registry, i).position for i in ids] == [0, 2, 1]


def test_every_kind_has_its_own_limits_and_its_own_error(
    start: Callable[..., Registry], monkeypatch: pytest.MonkeyPatch, wait_until: Wait
) -> None:
    hasty = replace(kinds.KINDS["exporting"], seconds=0)
    monkeypatch.setitem(kinds.KINDS, "exporting", hasty)
    registry = start(_PATIENT)
    training, export = registry.submit(REQUEST), registry.submit(_small())
    wait_until(_reaches(registry, export, FAILED))
    error = _view(registry, export).error
    assert error is not None and error.code == "export.time"
    assert _view(registry, training).state == RUNNING


def test_finished_jobs_are_remembered_for_a_while(
    start: Callable[..., Registry], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_MAX_FINISHED_JOBS", 2)
    registry = start(_PATIENT)
    ids = [registry.submit(_request(number)) for number in range(3)]
    for job_id in ids:
        registry.cancel(job_id)
    assert [registry.view(job_id) is None for job_id in ids] == [True, False, False]


def test_a_worker_gets_its_limits_anew_with_every_request_until_it_is_large() -> None:
    script = """
import app.worker, resource
def tell(request, emit): emit(event="result", seconds=resource.getrlimit(resource.RLIMIT_CPU)[0],
  memory=resource.getrlimit(resource.RLIMIT_AS)[0]); kept.append(b"x" * request["size"])
kept = []
app.worker.KINDS["telling"] = tell
app.worker.main()
"""
    worker = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert worker.stdin is not None and worker.stdout is not None
    seen = []
    for seconds, memory, size in ((77, 4000, 0), (99, 6000, 450_000_000)):
        limits = {"cpu_seconds": seconds, "memory_mb": memory}
        worker.stdin.write(json.dumps({"kind": "telling", **limits, "request": {"size": size}}) + "\n")
        worker.stdin.flush()
        events = [json.loads(worker.stdout.readline()) for _ in range(3)]
        assert [event["event"] for event in events] == ["stage", "result", "done"]
        assert events[2]["stays"] == (not size)
        seen.append(events[1])
    worker.wait(30)
    worker.stdin.close()
    worker.stdout.close()
    assert [event["seconds"] for event in seen] == [77, 99]
    assert 1900 < (seen[1]["memory"] - seen[0]["memory"]) / 1e6 < 2100


def _processes(start: Callable[..., Registry], wait_until: Wait, stays: str, failing: int = -1) -> list[int]:
    """Processes of five trainings, one after the other, of which one fails."""
    script = f"""
import json, os, sys
for number, line in enumerate(iter(sys.stdin.readline, "")):
    request = json.loads(line)["request"]
    print(json.dumps({{"event": "result", "size": os.getpid()}}), flush=True)
    if f"{failing}\\n" in open(request["paths"][0]).read():
        print(json.dumps({{"event": "error", "message": "", "code": "job.memory", "values": {{}}}}), flush=True)
    else:
        open(request["output"], "w").write("model")
        print(json.dumps({{"event": "done", "stays": {stays}}}), flush=True)
"""
    registry, processes = start(script), []
    for number in range(5):
        job_id = registry.submit(_request(10 + number))
        wait_until(_reaches(registry, job_id, FAILED if number + 10 == failing else DONE))
        processes.append(_view(registry, job_id).result["size"])
    return processes


def test_a_worker_that_has_trained_trains_again(start: Callable[..., Registry], wait_until: Wait) -> None:
    assert len(set(_processes(start, wait_until, "True"))) == 1


def test_one_that_ends_or_has_failed_does_not(start: Callable[..., Registry], wait_until: Wait) -> None:
    assert len(set(_processes(start, wait_until, "False"))) == 5
    processes = _processes(start, wait_until, "True", failing=12)
    assert processes[0] == processes[1] == processes[2] != processes[3] == processes[4]


def test_a_second_training_gives_what_it_gives_alone(
    start: Callable[..., Registry], tmp_path: Path, wait_until: Wait
) -> None:
    registry = start(bounds=Limits(jobs=1))
    jobs = [registry.submit(request) for request in (_request(1), _request(2), REQUEST)]
    wait_until(lambda: not any(_view(registry, job_id).is_active for job_id in jobs), 120)
    (spare,) = registry._spares["training"].workers
    assert spare.process.poll() is None
    alone = tmp_path / "alone"
    train(TEXT.splitlines(), SETTINGS).save(alone)
    path = registry.models.find(REQUEST.key)
    assert path is not None and path.read_bytes() == alone.read_bytes()
    registry.close()
    assert spare.process.poll() is not None


def _flood(registry: Registry, visitors: list[Visitor], n: int = 3) -> list[str]:
    """So many trainings of each; what a limit refuses is not among them."""
    ids = []
    for number in range(n):
        for which, visitor in enumerate(visitors):
            with suppress(LimitError):
                ids.append(registry.submit(_request(1000 * (which + 1) + number), visitor))
    return ids


@pytest.mark.parametrize("address", ["10.0.0.1", "10.0.0.2"])
@pytest.mark.parametrize("flood", ["20 sessions of a browser", "browsers without a secret", "probes"])
def test_a_flood_keeps_nobody_waiting_for_more_than_two_trainings(
    start: Callable[..., Registry], address: str, flood: str, wait_until: Wait
) -> None:
    registry = start(_PATIENT, bounds=Limits(jobs=2, queued=12))
    if flood == "probes":
        ids = [registry.submit(replace(_request(n), probe=True), Visitor("10.0.0.1", "bad")) for n in range(12)]
    else:
        ids = _flood(registry, [Visitor("10.0.0.1", "" if "without" in flood else "bad")] * 20, 2)
    mine = registry.submit(_request(1), Visitor(address, "good"))
    for _ in range(2):
        if _view(registry, mine).state == QUEUED:
            registry.cancel(next(i for i in ids if _view(registry, i).state == RUNNING))
    assert _view(registry, mine).state == RUNNING


def test_addresses_take_turns_and_so_do_browsers_after_one(start: Callable[..., Registry]) -> None:
    registry = start(_PATIENT, bounds=Limits(jobs=1))
    asked = ["A.a", "A.a", "A.a", "A.b", "B.c", "A.b", "B.c", "C.d"]
    ids = {}
    for number, word in enumerate(asked):
        ids[registry.submit(_request(number), Visitor(*word.split(".")))] = f"{word}{number}"
    begun = []
    while any(_view(registry, i).is_active for i in ids):
        waiting = sorted((_view(registry, i).position, i) for i in ids if _view(registry, i).state == QUEUED)
        (running,) = [i for i in ids if _view(registry, i).state == RUNNING]
        begun.append(ids[running])
        registry.cancel(running)
        if waiting:
            assert _view(registry, waiting[0][1]).state == RUNNING  # as its place has said
    assert begun == ["A.a0", "B.c4", "C.d7", "A.b3", "B.c6", "A.a1", "A.b5", "A.a2"]


def test_a_full_queue_has_room_for_whose_turn_would_come_before(start: Callable[..., Registry]) -> None:
    registry = start(_PATIENT, bounds=Limits(jobs=1, queued=3))
    bad = [registry.submit(_request(number), Visitor("A", "bad")) for number in range(4)]
    with pytest.raises(LimitError, match="MAX_QUEUED is 3"):
        registry.submit(_request(9), Visitor("A", "bad"))
    good = registry.submit(_request(10), Visitor("A", "good"))
    assert [_view(registry, i).state for i in bad] == [RUNNING, QUEUED, QUEUED, FAILED]
    assert _view(registry, good).position == 1
    error = _view(registry, bad[3]).error
    assert isinstance(error, LimitError) and error.name == "queued"


def test_a_class_after_one_address_is_not_limited_by_it(start: Callable[..., Registry]) -> None:
    registry = start(_PATIENT, bounds=Limits(jobs=2, jobs_per_visitor=1, queued=40))
    for pupil in range(40):
        registry.submit(_request(pupil), Visitor("10.0.0.1", f"pupil {pupil}"))
    for newcomer in range(2):  # browsers that have not told their secret yet
        registry.submit(_request(100 + newcomer), Visitor("10.0.0.1"))


def test_a_training_that_two_wait_for_has_the_better_of_their_places(start: Callable[..., Registry]) -> None:
    registry = start(_PATIENT, bounds=Limits(jobs=1))
    ids = [registry.submit(_request(number), Visitor("A", "a")) for number in range(4)]
    also = registry.submit(_request(3), Visitor("B", "b"))
    assert [_view(registry, i).position for i in (*ids, also)] == [0, 2, 3, 1, 1]


@pytest.mark.slow
def test_a_flood_of_everything_is_bounded_and_fair(start: Callable[..., Registry]) -> None:
    bounds = Limits(jobs=2, jobs_per_visitor=4, queued=15)
    registry, dice, ids = start(_PATIENT, bounds=bounds), random.Random(3), []
    for _ in range(200):
        who = Visitor(f"10.0.0.{dice.randrange(5)}", dice.choice(("", "a", "b", "c")))
        request = replace(_request(dice.randrange(60)), probe=dice.random() < 0.2)
        with suppress(LimitError):
            ids.append(registry.submit(request, who))
        if dice.random() < 0.15 and ids:
            registry.cancel(dice.choice(ids))
        queue = registry._queue  # equal requests of many visitors are one training
        assert len(queue.running) <= bounds.jobs and len(queue.waiting) <= bounds.queued
    assert len(queue.waiting) == bounds.queued
    # Whoever comes from elsewhere waits for those that run, and at most for one of each address.
    mine = registry.submit(_request(1000), Visitor("192.0.2.1", "good"))
    assert _view(registry, mine).position <= bounds.jobs + 5

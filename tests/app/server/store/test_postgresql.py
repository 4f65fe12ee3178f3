"""The library on PostgreSQL when things go wrong: at the start, while it runs, and in the middle of a change."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from app import serve
from app.__main__ import main as start_app
from app.classroom import serving
from app.classroom.room.live import Live
from app.classroom.store.records import RoomState
from app.classroom.store.rooms import rooms_of
from app.server.library import Opener
from app.server.store.opening import check_library, library_place, open_store
from app.server.store.postgresql import database as module
from app.server.store.store import LibraryError, NewRun
from tests.conftest import ROOT
from tests.loops import run_to_end
from tests.running.postgresql_server import PostgresqlServer

RUN = NewRun("실험", "ko", "", "f" * 64, {"vocab_size": 300}, [], b"model")


@pytest.fixture
def fresh(postgresql: PostgresqlServer, request: pytest.FixtureRequest) -> str:
    """The address of a new database, without tables."""
    name = f"fresh_{abs(hash(request.node.name))}"
    postgresql.tool("createdb", f"--maintenance-db={postgresql.url()}", name)
    return postgresql.url(name)


def _refusal(url: str) -> str:
    with pytest.raises(LibraryError) as refused:
        open_store(url)
    return str(refused.value)


def test_an_address_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for url in ("mysql://host/db", "postgresql://host:port:7/db?x", "postgresql://a?nothing=1", "://"):
        assert "neither a folder nor" in _refusal(url)
    assert library_place({"THUNDER_TOK_LIBRARY": " postgres://a/b "}) == "postgres://a/b"


@pytest.mark.parametrize(("start", "arguments"), [(start_app, []), (serve.main, ["2"])])
def test_a_server_that_is_down_refuses_the_start(
    start: Callable[[], None], arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THUNDER_TOK_LIBRARY", "postgresql://me:secret@127.0.0.1:9/library")
    monkeypatch.setattr(sys, "argv", ["app", *arguments])
    with pytest.raises(SystemExit) as ended:
        start()
    said = capsys.readouterr().err
    assert ended.value.code == 2 and said.count("\n") == 1
    assert "127.0.0.1/library cannot be reached" in said and "refused" in said and "secret" not in said


def test_a_database_that_is_missing_or_foreign_is_left_alone(postgresql: PostgresqlServer, fresh: str) -> None:
    assert "does not exist" in _refusal(postgresql.url("nobodys"))
    with psycopg.connect(fresh) as db:
        db.execute("CREATE TABLE room (a int)")
    assert "another program" in _refusal(fresh)
    with psycopg.connect(fresh) as db:
        assert db.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall() == [("room",)]
        db.execute("DROP TABLE room")


def test_what_cannot_work_is_said_before(fresh: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(module, "_OLDEST", 1000)
        assert "is too old; version 1000" in _refusal(fresh)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "psycopg_pool", None)
        patch.delitem(sys.modules, module.__name__)
        assert "pip install" in _refusal(fresh)
    with psycopg.connect(fresh) as db:
        db.execute("CREATE ROLE reader LOGIN")
        db.execute("REVOKE CREATE ON SCHEMA public FROM public")
    assert "is not writable" in _refusal(fresh.replace("tok@", "reader@"))
    check_library({"THUNDER_TOK_LIBRARY": fresh})


def test_many_that_start_at_once_make_the_tables_once(fresh: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(open_store, [fresh] * 6))
    run_id = stores[0].runs.save(RUN, "me")
    assert all(store.runs.model(run_id) == b"model" for store in stores)
    with stores[0].database.reading() as db:
        assert db.execute("SELECT count(*) FROM thunder_tok").fetchone()[0] == 1
    for store in stores:
        store.database.close()


def test_while_the_server_is_down_one_sentence_says_so_and_then_it_goes_on(
    fresh: str, postgresql: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_WAIT_SECONDS", 1.0)
    store = open_store(fresh)
    run_id = store.runs.save(RUN, "me")
    postgresql.kill()
    try:
        for act in (lambda: store.runs.model(run_id), lambda: store.runs.save(RUN, "me")):
            with pytest.raises(LibraryError, match="database server does not answer"):
                act()
        late = Opener(fresh, 1_000_000, retry_seconds=0.0)
        assert late.opened().library is None
    finally:
        postgresql.start()
    assert store.runs.model(run_id) == b"model"
    assert len({store.runs.save(RUN, "me"), *(run.id for run in store.runs.owned("me"))}) == 2
    found = late.opened().library
    assert found is not None and found.runs.model(run_id) == b"model"
    found.database.close()
    # Between two calls: nobody notices.
    postgresql.kill()
    postgresql.start()
    assert store.runs.model(run_id) == b"model"
    store.database.close()


def test_a_transaction_that_dies_in_the_middle_leaves_nothing(fresh: str) -> None:
    store = open_store(fresh)

    def die(db: psycopg.Connection) -> None:
        db.execute("INSERT INTO model VALUES ('a', 1, 'a')")
        with psycopg.connect(fresh, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state LIKE 'idle in%'")
        db.execute("INSERT INTO model VALUES ('b', 1, 'b')")

    with pytest.raises(LibraryError, match="does not answer"):
        store.database.delete(die)
    assert store.size() == 0 and store.runs.model(store.runs.save(RUN, "me")) == b"model"
    store.database.close()


_KILLED = """
import os, signal, sys
from app.server.store.opening import open_store

store = open_store(sys.argv[1])
with store.database.transaction() as db:
    db.execute("INSERT INTO model VALUES ('a', 1, ?)", (b"a",))
    print("half", flush=True)
    signal.pause()
"""


def test_a_process_that_is_killed_in_the_middle_leaves_nothing_and_keeps_nobody_waiting(fresh: str) -> None:
    store = open_store(fresh)
    with subprocess.Popen([sys.executable, "-c", _KILLED, fresh], cwd=ROOT, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None and writer.stdout.readline() == b"half\n"
        waiting = ThreadPoolExecutor(1).submit(store.runs.save, RUN, "me")
        assert not waiting.done() and store.size() == 0
        os.kill(writer.pid, signal.SIGKILL)
    assert store.runs.model(waiting.result(10)) == b"model" and store.size() == len(b"model")
    store.database.close()


def test_who_cannot_write_for_long_is_told_that_somebody_else_does(fresh: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WRITE_SECONDS", 0.2)
    monkeypatch.setattr(module, "_OPTIONS", "-c lock_timeout=200ms")
    store, other = open_store(fresh), open_store(fresh)
    begun, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with store.database.transaction():
            begun.set()
            assert may_end.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    assert begun.wait(10)
    for one in (store, other):  # in this process, and as if in another one
        with pytest.raises(LibraryError, match="another program is using it"):
            one.runs.save(RUN, "me")
        assert one.runs.all() == []
    may_end.set()
    thread.join()
    assert other.runs.save(RUN, "me")
    store.database.close()
    other.database.close()


def test_each_query_of_a_reader_sees_the_same_moment(fresh: str) -> None:
    store, other = open_store(fresh), open_store(fresh)
    with store.database.reading() as db:
        before = db.execute("SELECT count(*) FROM run").fetchone()
        other.runs.save(RUN, "me")
        assert db.execute("SELECT count(*) FROM run").fetchone() == before
    with pytest.raises(LibraryError, match="not writable"), store.database.reading() as db:
        db.execute("DELETE FROM run")
    assert len(store.runs.all()) == 1
    for one in (store, other):
        one.database.close()


_LECTURER = """
import sys
from app.classroom.store.records import RoomState
from app.classroom.store.rooms import rooms_of
from app.server.store.opening import open_store

rooms = rooms_of(open_store(sys.argv[1]))
room = rooms.open("me", "ko", RoomState())
print(room.id, flush=True)
for line in sys.stdin:
    if line == "ask\\n":
        rooms.change(room._replace(step="tokens.ko", is_open=True), "me")
    else:
        rooms.end(room.id, "me")
        rooms.remove(room.id)
"""


def test_a_process_hears_at_once_of_rooms_that_another_one_changes(fresh: str) -> None:
    store = open_store(fresh)
    command = [sys.executable, "-c", _LECTURER, fresh]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as lecturer:
        assert lecturer.stdin is not None and lecturer.stdout is not None
        room_id = lecturer.stdout.readline().strip()
        assert store.database.news(0.1) is None  # it begins to listen, and may have missed something
        assert store.database.news(0.1) == set()
        for word in ("ask", "end"):
            began = time.monotonic()
            lecturer.stdin.write(f"{word}\n")
            lecturer.stdin.flush()
            assert store.database.news(30) == {room_id}
            assert time.monotonic() - began < 10
        lecturer.stdin.close()
    with psycopg.connect(fresh, autocommit=True) as other:  # the connection that listens is lost
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
    while store.database.news(0.1) is not None:  # what came before
        pass
    assert store.database.news(0.1) is None  # and it listens again
    room = rooms_of(store).open("me", "ko", RoomState())
    rooms_of(store).end(room.id, "me")
    assert store.database.news(30) == {room.id}
    store.database.close()


def test_phones_are_woken_by_the_database_alone(fresh: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rooms are looked at every hour only, but for those that it tells of."""
    store, other = open_store(fresh), open_store(fresh)
    live = Live()
    monkeypatch.setattr(serving, "LIVE", live)
    monkeypatch.setattr(serving, "library", lambda: store)
    room = rooms_of(store).open("me", "ko", RoomState())
    live.changed(room)
    live.arrive(room.id, "p")
    assert store.database.news(0) is None

    async def woken() -> bool:
        following = asyncio.create_task(serving.follow_rooms(3600))
        phone = asyncio.create_task(live.wait(room.id, "p", room.version, 30))
        await asyncio.sleep(0.2)
        began = time.monotonic()
        changed = rooms_of(other).change(room._replace(step="own.1"), "me")
        await phone
        rooms_of(other).change(changed, "me")  # while the phone reads what has changed
        await asyncio.sleep(0.2)
        await live.wait(room.id, "p", changed.version, 30)
        following.cancel()
        return time.monotonic() - began < 10

    assert run_to_end(woken())
    for each in (store, other):
        each.database.close()

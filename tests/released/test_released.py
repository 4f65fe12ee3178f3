"""What released programs stored opens in this one.

The files beside this one were written by the programs themselves: schema 2 and 7 of the library by the first and the
last of 1.0.0, models, a plan and the list of links by the last; PostgreSQL's dump by the first program that had it.
"""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import serve
from app.__main__ import main as start_app
from app.classroom.lessons import LESSONS
from app.classroom.plan import read_plan
from app.classroom.serving import class_routes
from app.classroom.store.rooms import rooms_of
from app.copy_library import main as copy
from app.server.http.addresses import routes
from app.server.store.opening import LIBRARY_VARIABLE, SqliteStore, open_store
from app.server.store.sqlite.database import FILE
from app.server.store.store import LibraryError
from app.server.store.tables import Store
from engine import load_tokenizer
from tests.menu import PAGES
from tests.running.postgresql_server import PostgresqlServer

RELEASED = Path(__file__).parent
_ROOM, _CLOSED_ROOM = "3a50sOakYiHhwumH", "6ygtiNq5MBL5aqsW"


def _file(folder: Path, name: str, *changes: str) -> Path:
    """A library of that schema, in a folder."""
    folder.mkdir(exist_ok=True)
    db = sqlite3.connect(folder / FILE, isolation_level=None)
    db.executescript((RELEASED / f"{name}.sql").read_text(encoding="utf-8"))
    for change in changes:
        db.execute(change)
    db.close()
    return folder


@pytest.fixture
def database(postgresql: PostgresqlServer, request: pytest.FixtureRequest) -> str:
    """The address of a new database with what the first program with PostgreSQL stored."""
    name = f"released_{abs(hash(request.node.name))}"
    postgresql.tool("createdb", f"--maintenance-db={postgresql.url()}", name)
    with psycopg.connect(postgresql.url(name), autocommit=True) as db:
        db.execute((RELEASED / "schema-7-postgresql.sql").read_bytes())
    return postgresql.url(name)


@pytest.fixture(params=["schema-2", "schema-7", "schema-7-postgresql"])
def released(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    is_file = not request.param.endswith("postgresql")
    store = open_store(_file(tmp_path, request.param) if is_file else request.getfixturevalue("database"))
    yield store
    store.database.close()


def test_a_library_of_a_released_version_opens_and_goes_on(released: Store, request: pytest.FixtureRequest) -> None:
    (run,) = released.runs.owned("me")
    assert (run.name, run.settings, run.rounds) == ("첫 실험", {"vocab_size": 2000}, [{"number": 0}])
    assert released.runs.model(run.id) == b"model" and not released.set_aside
    assert {text.beginning for text in released.texts.owned("me")} >= {"가나"}
    rooms = rooms_of(released)
    if "schema-2" not in request.node.name:  # which had no rooms, nor texts of runs
        assert released.runs.corpus(run.id) == "나무에 꽃이 피었다.\n"
        assert [answer.content for answer in rooms.answers(_ROOM)] == ["1", "2"]
        assert [answer.content for answer in rooms.answers(_CLOSED_ROOM)] == ["1"]
        assert rooms.find(_ROOM).state.plan == "50"
        assert rooms.answer(_ROOM, "tokens.ko", "phone 2", "3", 2).is_taken
        (plan,) = (text for text in released.texts.owned("me") if text.beginning != "가나")
        assert read_plan(released.texts.find(plan.id), LESSONS).title == "첫 수업"
    saved = released.texts.save("다라", "me")
    released.runs.delete(run.id, "me")
    assert released.texts.find(saved) == "다라" and released.runs.all() == []


@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        ("thunder-tok", "나무에 꽃이 곱다.", [263, 32, 234, 189, 131, 286, 267]),
        ("bpe", "나무에 꽃이 곱다.", [35, 30]),
        ("byte-bpe", "나무에 꽃이 곱다.", [264, 265, 269, 267, 112, 256, 111, 109, 268]),
        ("wordpiece", "나무에 꽃이 곱다.", [7, 32, 36, 22, 49, 22, 26, 30, 23]),
    ],
)
def test_a_model_of_a_released_version_encodes_as_it_did(name: str, text: str, ids: list[int]) -> None:
    assert list(load_tokenizer(RELEASED / f"{name}.tok").encode(text).ids) == ids


def test_a_plan_of_a_released_version_is_read() -> None:
    plan = read_plan((RELEASED / "plan.json").read_text(encoding="utf-8"), LESSONS)
    assert (plan.title, plan.language, plan.minutes) == ("첫 수업", "ko", 9)
    lesson, question = plan.steps
    assert (lesson.lesson, lesson.notes) == ("pays", "천천히")
    assert question.own is not None and (question.own.kind, question.own.right) == ("choice", "나무")


def test_every_link_of_a_released_version_leads_to_a_page() -> None:
    """What most of them show is in `tests/links.py`."""
    client = TestClient(Starlette(routes=[*routes(list(PAGES)), *class_routes()]))
    for link in (RELEASED / "links.txt").read_text(encoding="utf-8").splitlines():
        assert "{" in link or client.get(link).status_code == 200, link


def test_a_file_that_is_up_to_date_is_opened_without_a_change(tmp_path: Path) -> None:
    SqliteStore(_file(tmp_path, "schema-2"))
    before = (tmp_path / FILE).read_bytes()
    SqliteStore(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}


_SERVES_98 = ("CREATE TABLE serves (oldest)", "INSERT INTO serves VALUES (98)")
_KILLED = """
import os, signal, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA journal_mode = WAL")
db.execute(sys.argv[2])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize(
    ("name", "changes", "reason"),
    [
        ("schema-2", ["PRAGMA user_version = 1"], "open it with version 1.0.0 first"),
        (
            "schema-7",
            ["PRAGMA user_version = 99", "CREATE TABLE serves (oldest)", "INSERT INTO serves VALUES (98)"],
            "newer",
        ),
    ],
)
def test_a_file_that_is_too_old_or_too_new_is_refused_with_a_sentence_and_left_alone(
    name: str,
    changes: list[str],
    reason: str,
    is_killed: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = _file(tmp_path / "library", name, *changes)
    if is_killed:  # it leaves a log, which is the newest part of the library
        text = "INSERT INTO text (id, owner, content) VALUES ('a', 'b', x'00')"
        killed = subprocess.run([sys.executable, "-c", _KILLED, folder / FILE, text])
        assert killed.returncode == -signal.SIGKILL and (folder / f"{FILE}-wal").stat().st_size
    before = _bytes(folder)
    monkeypatch.setenv(LIBRARY_VARIABLE, str(folder))
    for start, arguments in ((start_app, []), (serve.main, ["2"])):
        monkeypatch.setattr(sys, "argv", ["app", *arguments])
        with pytest.raises(SystemExit) as ended:
            start()
        said = capsys.readouterr().err
        assert ended.value.code == 2 and said.count("\n") == 1 and reason in said
    assert copy([str(folder), str(tmp_path / "copy")]) == 2
    assert reason in capsys.readouterr().err
    with pytest.raises(LibraryError, match=reason):
        SqliteStore(folder)
    assert _bytes(folder) == before


@pytest.mark.parametrize(("version", "oldest", "reason"), [(1, 0, "version 1.0.0 first"), (99, 98, "newer version")])
def test_a_database_that_is_too_old_or_too_new_is_refused_with_a_sentence_and_left_alone(
    version: int,
    oldest: int,
    reason: str,
    postgresql: PostgresqlServer,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with psycopg.connect(database) as db:
        db.execute("UPDATE thunder_tok SET version = %s", (version,))
        db.execute("CREATE TABLE serves (oldest BIGINT)")
        db.execute("INSERT INTO serves VALUES (%s)", (oldest,))
    dump = [line for line in postgresql.tool("pg_dump", database).splitlines() if not line.startswith(b"\\")]
    monkeypatch.setenv(LIBRARY_VARIABLE, database)
    monkeypatch.setattr(sys, "argv", ["app"])
    with pytest.raises(SystemExit) as ended:
        start_app()
    said = capsys.readouterr().err
    assert ended.value.code == 2 and said.count("\n") == 1 and reason in said
    after = [line for line in postgresql.tool("pg_dump", database).splitlines() if not line.startswith(b"\\")]
    assert after == dump

"""A library that is copied from one database into the other has the same rows, and goes on."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.classroom.store.records import RoomState
from app.classroom.store.rooms import rooms_of
from app.copy_library import main
from app.server.store.database import Database
from app.server.store.opening import SqliteStore, open_store
from app.server.store.schema import TABLES
from app.server.store.store import LibraryError, NewRun
from app.server.store.tables import Store, copy_library
from tests.conftest import ROOT
from tests.running.postgresql_server import PostgresqlServer

RUN = NewRun("실험", "ko", "", "f" * 64, {"vocab_size": 300}, [{"number": 0}], b"model")


def filled(store: Store) -> str:
    """Put something into every table; returns the id of a room."""
    for number in range(40):
        store.runs.save(replace(RUN, name=f"실험 {number}", model=os.urandom(2000)), f"owner {number % 3}")
    store.runs.save(replace(RUN, corpus="나무에 꽃이 피었다.\ud800\n" * 50), "me")
    store.runs.remove(store.runs.all()[3].id)
    store.texts.save("글 " * 5000, "me")
    rooms = rooms_of(store)
    room = rooms.open("me", "ko", RoomState(), "192.0.2.1")
    rooms.change(room._replace(step="tokens.ko", is_open=True, state=RoomState(plan="50")), "me")
    for number in range(20):
        rooms.answer(room.id, "tokens.ko", f"phone {number}", "가" if number % 2 else "1")
    rooms.withdraw(room.id, "phone 3")
    rooms.open("you", "en", RoomState())
    return room.id


def rows(database: Database) -> dict[str, list[tuple[object, ...]]]:
    with database.reading() as db:
        return {table: db.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in TABLES}


def test_a_library_is_copied_with_every_row_and_goes_on(
    store: Store, tmp_path: Path, place: Path | str, capsys: pytest.CaptureFixture[str]
) -> None:
    room_id = filled(store)
    before = rows(store.database)
    assert all(before.values())
    assert main([str(place), str(tmp_path / "copy")]) == 0
    assert capsys.readouterr().out == "".join(f"{table} {len(found)}\n" for table, found in before.items())
    copy = SqliteStore(tmp_path / "copy")
    assert rows(copy.database) == before == rows(store.database)
    # And back, into an empty library of the first kind.
    store.remove_all()
    assert main([str(tmp_path / "copy"), str(place)]) == 0
    assert rows(store.database) == before
    for each in (store, copy):
        saved = each.runs.save(RUN, "me")
        assert each.runs.all()[0].id == saved and len(each.runs.all()) == 41
        rooms_of(each).answer(room_id, "tokens.ko", "phone 4", "2", turn=1)
        rooms_of(each).answer(room_id, "tokens.ko", "new phone", "2")
        assert [one.content for one in rooms_of(each).answers(room_id, "tokens.ko")][3:] == [
            "2",
            *["가", "1"] * 7,
            "가",
            "2",
        ]


def test_nothing_is_copied_over_what_is_there_or_from_nowhere(
    store: Store, place: Path | str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full = SqliteStore(tmp_path / "full")
    filled(full)
    kept = store.texts.save("글", "me")
    for source, reason in (("full", "choose an empty one"), ("nowhere", "there is no library in")):
        assert main([str(tmp_path / source), str(place)]) == 2
        said = capsys.readouterr().err
        assert reason in said and said.count("\n") == 1
    assert not (tmp_path / "nowhere").exists()
    assert store.runs.all() == [] and store.texts.find(kept) == "글"


def test_a_copy_that_fails_in_the_middle_leaves_nothing(
    store: Store, open_library: Callable[..., Store], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = SqliteStore(tmp_path / "full")
    filled(full)
    target = open_library().database
    monkeypatch.setattr(target, "follow_numbers", lambda db: db.execute("SELECT nonsense FROM nowhere"))
    with pytest.raises(LibraryError):
        copy_library(full.database, target)
    assert not any(rows(store.database).values())
    assert sum(copy_library(full.database, store.database).values()) == sum(map(len, rows(full.database).values()))


def test_a_dump_is_restored_as_the_documentation_says(postgresql: PostgresqlServer, tmp_path: Path) -> None:
    text = (ROOT / "docs/hosting.md").read_text(encoding="utf-8")
    at, dump = postgresql.url("dumped"), tmp_path / "library.dump"
    postgresql.tool("createdb", f"--maintenance-db={postgresql.url()}", "dumped")
    store = open_store(at)
    room_id = filled(store)
    commands = [line.split() for line in text.splitlines() if line.startswith(("pg_dump ", "pg_restore "))]
    assert [command[0] for command in commands] == ["pg_dump", "pg_restore"]
    postgresql.tool("createdb", f"--maintenance-db={postgresql.url()}", "restored")
    address = "postgresql://thunder-tok@host/thunder_tok"
    for (name, *arguments), url in zip(commands, (at, postgresql.url("restored")), strict=True):
        given = [word.replace(f"{address}_restored", url).replace(address, url) for word in arguments]
        postgresql.tool(name, *(word.replace("library.dump", str(dump)) for word in given))
    before = rows(store.database)
    store.texts.save("after the dump", "me")
    restored = open_store(postgresql.url("restored"))
    assert rows(restored.database) == before and all(before.values())
    # It goes on: new rows have new numbers, and other processes hear of rooms.
    saved = restored.runs.save(RUN, "me")
    assert restored.runs.all()[0].id == saved
    assert restored.database.news(0) is None
    rooms_of(restored).end(room_id, "me")
    assert restored.database.news(30) == {room_id}
    for each in (store, restored):
        each.database.close()

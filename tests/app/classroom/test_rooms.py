"""Rooms of classes: what is kept, what phones are told, and what nobody is told."""

import asyncio
import json
import random
import re
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from app.classroom import serving
from app.classroom.lessons import LESSONS, PLANS
from app.classroom.own_question import KINDS, OwnQuestion, merge_vote, read_own_question
from app.classroom.page import room_bar, room_end
from app.classroom.phone import join
from app.classroom.phone.guesses import Guesses
from app.classroom.phone.join import phone_view
from app.classroom.print import handout
from app.classroom.questions.choice import Choice
from app.classroom.questions.cuts import Cuts, cut_f1, cut_shares, krippendorff_alpha, most_disputed
from app.classroom.questions.numbers import Numbers
from app.classroom.questions.question import Option
from app.classroom.room import live
from app.classroom.room.live import Live
from app.classroom.room.posed_question import own_of, own_step, posed_question, step_of
from app.classroom.store import phones, room_table
from app.classroom.store import room_table as table
from app.classroom.store.records import (
    ClosedError,
    Joined,
    JoiningClosedError,
    RemovedError,
    Room,
    RoomLimitError,
    RoomState,
    StoredAnswer,
)
from app.classroom.store.rooms import rooms_of
from app.components.data import cut_places
from app.server import teacher
from app.server.library import Opened
from app.server.store import schema
from app.server.store.opening import SqliteStore
from app.server.store.sqlite import migration
from app.server.store.sqlite.database import FILE
from app.server.store.store import FullError, UnknownIdError
from app.server.store.table import hashed
from app.server.store.tables import Store
from app.server.teacher import Door
from app.session import state
from app.texts.catalogue import translate
from engine.errors import InputError
from tests.loops import run_to_end
from tests.pages import open_page

_ME, _PHONE = "lecturer", "a" * 24


def _asking(store: Store, step: str = "tokens.ko", **state: Any) -> Room:
    room = rooms_of(store).open(_ME, "ko", RoomState())
    return rooms_of(store).change(room._replace(step=step, is_open=True, state=RoomState(**state)), _ME)


# ---- the store


def test_an_answer_counts_once_and_is_told_again(store: Store, open_library: Callable[..., Store]) -> None:
    room = _asking(store)
    answer = rooms_of(store).answer
    assert answer(room.id, "tokens.ko", "p", "1.3", 5) == StoredAnswer("1.3", is_taken=True)
    assert answer(room.id, "tokens.ko", "p", "1.3", 5) == StoredAnswer(
        "1.3", is_taken=True
    )  # a phone that did not hear it
    assert rooms_of(store).own_answer(room.id, "tokens.ko", "p") == StoredAnswer("1.3", is_taken=False)
    assert [(one.student, one.content) for one in rooms_of(store).answers(room.id)] == [(1, "1.3")]
    assert rooms_of(open_library()).n_answers(room.id, "tokens.ko") == 1


def test_an_answer_is_changed_until_it_is_shown_and_again_when_the_question_is_reopened(store: Store) -> None:
    room = _asking(store)
    answer = rooms_of(store).answer
    answer(room.id, "tokens.ko", "p", "1", 1)
    assert answer(room.id, "tokens.ko", "p", "3", 3) == StoredAnswer("3", is_taken=True)
    assert answer(room.id, "tokens.ko", "p", "2", 2) == StoredAnswer("3", is_taken=False)  # overtaken on the way
    rooms_of(store).change(room._replace(is_open=False), _ME)
    assert answer(room.id, "tokens.ko", "p", "4", 4) == StoredAnswer("3", is_taken=False)
    rooms_of(store).change(room, _ME)
    assert answer(room.id, "tokens.ko", "p", "4", 4) == StoredAnswer("4", is_taken=True)
    assert [one.content for one in rooms_of(store).answers(room.id)] == ["4"]


@pytest.mark.parametrize("change", [{"step": "bpe.ko"}, {"is_open": False}, {"ends": 1}])
def test_what_is_over_takes_no_answer(store: Store, change: dict[str, object]) -> None:
    room = _asking(store)
    rooms_of(store).answer(room.id, "tokens.ko", "early", "1")
    rooms_of(store).change(room._replace(**change), _ME)
    with pytest.raises(ClosedError):
        rooms_of(store).answer(room.id, "tokens.ko", "late", "1")
    # Whoever answered in time is told so.
    assert rooms_of(store).answer(room.id, "tokens.ko", "early", "1") == StoredAnswer("1", is_taken=True)


def test_only_the_lecturer_steers(store: Store) -> None:
    room = _asking(store)
    for act in (
        lambda: rooms_of(store).change(room, "student"),
        lambda: rooms_of(store).hide(room.id, "student", 1),
        lambda: rooms_of(store).keep(room.id, "student"),
        lambda: rooms_of(store).let_join(room.id, "student", False),
        lambda: rooms_of(store).remove_phones(room.id, "student", 0, 2**40),
        lambda: rooms_of(store).end(room.id, "student"),
        lambda: rooms_of(store).empty(room.id, "student", RoomState()),
        lambda: rooms_of(store).ask_again(room, "student"),
        lambda: rooms_of(store).undo_ask_again(room, "student"),
    ):
        with pytest.raises(UnknownIdError):
            act()
    assert rooms_of(store).find(room.id) == room
    assert not rooms_of(store).owns(room.id, "student")


class _Clocks:
    """The clock on the wall, and the one that nobody can set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wall, self.passed = time.time(), 1000.0
        monkeypatch.setattr(room_table.time, "time", lambda: self.wall)
        monkeypatch.setattr(room_table, "_passed", lambda: self.passed)

    def pass_(self, seconds: float) -> None:
        self.wall += seconds
        self.passed += seconds


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> _Clocks:
    return _Clocks(monkeypatch)


def _n_rows(store: Store, name: str = "answer") -> int:
    with store.database.reading() as db:
        return int(db.execute(f"SELECT count(*) FROM {name}").fetchone()[0])


def test_a_room_ends_after_a_day_and_leaves_the_disk_unless_it_is_kept(clocks: _Clocks, store: Store) -> None:
    forgotten, kept = _asking(store), _asking(store)
    for room in (forgotten, kept):
        rooms_of(store).answer(room.id, "tokens.ko", "p", "1")
    rooms_of(store).keep(kept.id, _ME)
    clocks.pass_(table.ROOM_SECONDS + 1)
    with pytest.raises(UnknownIdError):
        rooms_of(store).find(forgotten.id)
    rooms_of(store).purge(3600)
    assert _n_rows(store) == 2
    rooms_of(store).purge()
    assert [room.id for room in rooms_of(store).owned(_ME)] == [kept.id]
    assert (_n_rows(store), _n_rows(store, "phone")) == (1, 1)
    clocks.pass_(180 * 86_400)
    rooms_of(store).purge()
    assert (_n_rows(store), _n_rows(store, "room")) == (0, 0)


def test_a_room_that_was_ended_is_resumed_within_a_minute(clocks: _Clocks, store: Store) -> None:
    room = _asking(store)
    rooms_of(store).answer(room.id, "tokens.ko", "p", "1")
    rooms_of(store).end(room.id, _ME)
    for act in (
        lambda: rooms_of(store).find(room.id),
        lambda: rooms_of(store).id_of(room.code),
        lambda: rooms_of(store).visit(room.id, "p"),
        lambda: rooms_of(store).change(room, _ME),
        lambda: rooms_of(store).end(room.id, _ME),
        lambda: rooms_of(store).resume(room.id, "student"),
    ):
        with pytest.raises(UnknownIdError):
            act()
    assert rooms_of(store).owned(_ME) == [] and not rooms_of(store).owns(room.id, _ME)
    clocks.pass_(table.RESUME_SECONDS - 1)
    rooms_of(store).purge()
    again = rooms_of(store).resume(room.id, _ME)
    assert again == room._replace(version=again.version) and again.version > room.version
    assert [one.content for one in rooms_of(store).answers(room.id)] == ["1"]
    rooms_of(store).end(room.id, _ME)
    clocks.pass_(table.RESUME_SECONDS + 1)
    with pytest.raises(UnknownIdError):
        rooms_of(store).resume(room.id, _ME)
    rooms_of(store).purge()
    assert (_n_rows(store), _n_rows(store, "room")) == (0, 0)


def test_a_room_that_was_kept_by_mistake_goes_on_within_a_minute(clocks: _Clocks, store: Store) -> None:
    room = _asking(store)
    rooms_of(store).answer(room.id, "tokens.ko", "p", "1")
    rooms_of(store).keep(room.id, _ME)
    with pytest.raises(UnknownIdError):
        rooms_of(store).resume(room.id, "student")
    clocks.pass_(table.RESUME_SECONDS - 1)
    again = rooms_of(store).resume(room.id, _ME)
    assert not again.is_kept and again.step == room.step and again.expires == room.expires + table.RESUME_SECONDS - 1
    assert rooms_of(store).id_of(again.code) == room.id and rooms_of(store).visit(room.id, "p").own == "1"
    rooms_of(store).keep(room.id, _ME)
    clocks.pass_(table.RESUME_SECONDS + 1)
    with pytest.raises(UnknownIdError):
        rooms_of(store).resume(room.id, _ME)
    # A kept room whose answers are deleted by mistake is kept again.
    rooms_of(store).end(room.id, _ME)
    assert rooms_of(store).resume(room.id, _ME).is_kept


def test_a_question_is_asked_again_and_that_is_undone(store: Store) -> None:
    room = _asking(store)
    for phone in ("a", "b"):
        rooms_of(store).answer(room.id, "tokens.ko", phone, "1", 1)
    rooms_of(store).ask_again(room, _ME)
    assert rooms_of(store).answers(room.id) == [] and rooms_of(store).n_answers(room.id, "tokens.ko") == 0
    assert rooms_of(store).visit(room.id, "a").own is None
    rooms_of(store).answer(room.id, "tokens.ko", "b", "2", 2)
    rooms_of(store).undo_ask_again(room, _ME)
    assert {(one.student, one.content) for one in rooms_of(store).answers(room.id)} == {(1, "1"), (2, "2")}
    assert _n_rows(store) == 2
    rooms_of(store).ask_again(room, _ME)
    rooms_of(store).withdraw(room.id, "a")  # its cleared answer goes too
    rooms_of(store).undo_ask_again(room, _ME)
    assert [one.content for one in rooms_of(store).answers(room.id)] == ["2"]
    rooms_of(store).ask_again(room, _ME)
    rooms_of(store).change(room, _ME)  # the room has gone on: what was cleared is gone
    assert _n_rows(store) == 0


def test_a_room_is_used_again_by_another_class(clocks: _Clocks, store: Store) -> None:
    room = _asking(store)
    rooms_of(store).answer(room.id, "tokens.ko", "old", "1")
    rooms_of(store).let_join(room.id, _ME, False)
    clocks.pass_(3600)
    again = rooms_of(store).empty(room.id, _ME, RoomState(plan="50"))
    assert (again.id, again.code, again.step, again.takes_phones) == (room.id, room.code, "", True)
    assert again.expires == room.expires + 3600 and again.state == RoomState(plan="50")
    with pytest.raises(RemovedError):
        rooms_of(store).visit(room.id, "old")
    assert rooms_of(store).visit(room.id, "new").own is None
    assert _n_rows(store) == 0


@pytest.mark.parametrize("jump", [90_000, -90_000, 10 * 365 * 86_400])
def test_a_clock_that_jumps_ends_no_room_before_its_day_is_over(clocks: _Clocks, store: Store, jump: int) -> None:
    before = _asking(store)
    clocks.pass_(3600)
    clocks.wall += jump
    between = _asking(store)
    rooms_of(store).purge()
    assert {rooms_of(store).find(room.id).id for room in (before, between)} == {before.id, between.id}
    clocks.wall -= jump  # somebody has set it right
    clocks.pass_(80_000)
    rooms_of(store).purge()
    assert _n_rows(store, "room") == 2
    clocks.pass_(abs(jump) + table.ROOM_SECONDS)
    rooms_of(store).purge()
    assert _n_rows(store, "room") == 0


def test_the_server_purges_when_it_starts_and_again(
    clocks: _Clocks, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "opened", lambda: Opened(store))
    _asking(store)
    clocks.pass_(2 * table.ROOM_SECONDS - 60)

    async def run() -> list[int]:
        purging = asyncio.create_task(serving.purge_regularly(0.02))
        found = [_n_rows(store, "room")]
        async with asyncio.timeout(10):
            while _n_rows(store, "room"):
                await asyncio.sleep(0.01)
        purging.cancel()
        return found

    assert run_to_end(run()) == [1]


def test_of_a_student_nothing_is_kept_that_leads_elsewhere(store: Store) -> None:
    first, second = _asking(store), _asking(store)
    for room in (first, second):
        rooms_of(store).answer(room.id, "tokens.ko", "the secret of a phone", "1")
    with store.database.reading() as db:
        names = [name for (name,) in db.execute("SELECT student FROM answer")]
    assert len(set(names)) == 2
    assert not any("phone" in name for name in names)


def test_limits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(table.MAX_OWNED):
        room = _asking(store)
    with pytest.raises(RoomLimitError, match="end one"):
        rooms_of(store).open(_ME, "ko", RoomState())
    monkeypatch.setattr(phones, "MAX_STUDENTS", 2)
    for student in ("a", "b"):
        rooms_of(store).answer(room.id, "tokens.ko", student, "1")
    with pytest.raises(RoomLimitError, match="full"):
        rooms_of(store).answer(room.id, "tokens.ko", "c", "1")
    monkeypatch.setattr(table, "MAX_ROOMS", 1)
    with pytest.raises(RoomLimitError, match="server"):
        rooms_of(store).open("another", "ko", RoomState())
    rooms_of(store).remove(room.id)
    with pytest.raises(UnknownIdError):
        rooms_of(store).answers(room.id) or rooms_of(store).find(room.id)


def test_kept_rooms_take_no_place_of_open_ones(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_ROOMS", 3)
    for number in range(2 * table.MAX_ROOMS):  # one browser after another
        room = rooms_of(store).open(f"browser {number}", "ko", RoomState(), "192.0.2.1")
        rooms_of(store).visit(room.id, "p")
        rooms_of(store).keep(room.id, f"browser {number}")
        with pytest.raises(UnknownIdError):
            rooms_of(store).id_of(room.code)
    assert (kept := rooms_of(store).find(room.id)).is_kept and kept.code == ""
    for act in (
        lambda: rooms_of(store).visit(room.id, "p"),
        lambda: rooms_of(store).answer(room.id, "tokens.ko", "p", "1"),
        lambda: rooms_of(store).change(room, "browser 5"),
        lambda: rooms_of(store).id_of(room.id),
    ):
        with pytest.raises(UnknownIdError):
            act()
    assert rooms_of(store).open(_ME, "ko", RoomState()).code


def test_kept_answers_count_in_the_quota_of_their_owner(open_library: Callable[..., Store]) -> None:
    store = open_library(max_bytes=1000, owner_bytes=5)
    room = _asking(store)
    rooms_of(store).answer(room.id, "tokens.ko", "p", "1.2.3")
    rooms_of(store).keep(room.id, _ME)
    assert store.size() == 5
    other = _asking(store)
    rooms_of(store).answer(other.id, "tokens.ko", "p", "1")
    with pytest.raises(FullError):
        rooms_of(store).keep(other.id, _ME)
    assert not rooms_of(store).find(other.id).is_kept


def test_one_network_opens_so_many_rooms_and_leaves_places_to_others(store: Store) -> None:
    for number in range(table.MAX_FROM_NETWORK):
        rooms_of(store).open(f"browser {number}", "ko", RoomState(), "192.0.2.1")
    with pytest.raises(RoomLimitError, match="your network"):
        rooms_of(store).open(_ME, "ko", RoomState(), "192.0.2.1")
    assert rooms_of(store).open(_ME, "ko", RoomState(), "192.0.2.2")
    with store.database.reading() as db:
        assert not any("192" in network for (network,) in db.execute("SELECT network FROM room"))


@pytest.mark.parametrize("address", ["2001:db8:{0}:1::/64", "198.51.{0}.7"])
def test_many_networks_of_one_provider_leave_places_to_others(store: Store, address: str) -> None:
    for number in range(table.MAX_FROM_REGION):
        rooms_of(store).open(f"browser {number}", "ko", RoomState(), address.format(number))
    with pytest.raises(RoomLimitError, match="your network"):
        rooms_of(store).open(_ME, "ko", RoomState(), address.format(99))
    assert rooms_of(store).open(_ME, "ko", RoomState(), address.format(99), has_password=True)
    assert rooms_of(store).open(_ME, "ko", RoomState(), "203.0.113.1")


def test_rooms_that_nobody_joined_and_a_password_free_places(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_ROOMS", 3)
    opened = [rooms_of(store).open(f"browser {number}", "ko", RoomState(), f"{number}.0.2.1") for number in range(3)]
    rooms_of(store).visit(opened[0].id, "p")
    with pytest.raises(RoomLimitError, match="server"):
        rooms_of(store).open(_ME, "ko", RoomState(), "192.0.2.1")
    for number in range(2):
        assert rooms_of(store).open(f"teacher {number}", "ko", RoomState(), "192.0.2.1", has_password=True)
    monkeypatch.setattr(table, "_IDLE_SECONDS", -1)  # an hour later
    assert rooms_of(store).open(_ME, "ko", RoomState(), "192.0.2.1")
    assert [rooms_of(store).owns(room.id, f"browser {number}") for number, room in enumerate(opened)] == [
        True,
        False,
        True,
    ]


def test_the_teacher_lists_and_removes_everybodys_rooms(store: Store) -> None:
    first, second = _asking(store), rooms_of(store).open("another", "ko", RoomState())
    rooms_of(store).answer(first.id, "tokens.ko", "p", "1")
    rooms_of(store).keep(second.id, "another")
    found = [(room.id, room.code, room.phones, room.answers) for room in rooms_of(store).all()]
    assert found == [(second.id, "", 0, 0), (first.id, first.code, 1, 1)]
    for room in (first, second):
        rooms_of(store).remove(room.id)
    assert rooms_of(store).all() == [] and _n_rows(store) == 0


def test_rooms_of_the_version_before_are_there_and_their_kept_ones_closed(tmp_path: Path) -> None:
    """A room that was kept for 180 days leaves its place and its code."""
    before = schema.OLDEST + schema.MIGRATIONS.index(schema._ROOMS_WITH_PHONES) - 1
    now = int(time.time())
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as db:
        migration.migrate(db, before)
        for number, (name, days) in enumerate((("KEPT", 100), ("OPEN", 1)), start=1):
            values = (name.lower() * 4, name, hashed(_ME), now + days * 86_400)
            db.execute("INSERT INTO room VALUES (?, ?, ?, ?, 'ko', 'tokens.ko', 1, 0, '{}', 1, ?)", (number, *values))
            for student, content in (("b", "98"), ("a", "97")):
                query = "INSERT INTO answer (room, step, student, content, created) VALUES (?, 'tokens.ko', ?, ?, 0)"
                db.execute(query, (number, student, content))
    new = SqliteStore(tmp_path)
    kept, open_ = rooms_of(new).find("kept" * 4), rooms_of(new).find("open" * 4)
    assert (kept.is_kept, kept.code, open_.is_kept) == (True, "", False)
    assert rooms_of(new).id_of("OPEN") == open_.id
    for room in (kept, open_):
        assert [(one.student, one.content) for one in rooms_of(new).answers(room.id)] == [(1, "98"), (2, "97")]
    assert new.size() == 4


def test_a_state_of_an_earlier_version_is_read_and_nothing_in_it_is_lost(store: Store) -> None:
    room = _asking(store, own_step(2))
    stored = (
        '{"done": ["tokens.ko"], "own": 2, "owns": ['
        '{"kind": "word", "prompt": "\\uc65c?", "content": "", "merges": []}, '
        '{"kind": "merge", "prompt": "", "content": "low:5 lower:2", "merges": ["l\\u00a0+\\u00a0o"]}], "roam": true, '
        '"plan": "50", "lesson": "bpe", "stage": "reveal", "revealed": true, "window": "w"}'
    )
    _write_state(store, stored)
    vote = OwnQuestion("merge", "", "low:5 lower:2", ("l\u00a0+\u00a0o",))
    room = rooms_of(store).find(room.id)
    assert room.state == RoomState(
        ("tokens.ko",),
        2,
        (OwnQuestion("word", "왜?", ""), vote),
        roam=True,
        plan="50",
        lesson="bpe",
        stage="reveal",
        revealed=True,
        window="w",
    )
    since = '"roam": true, "paused": false, "attendance": false'
    written = (
        stored.replace('"roam": true', since)
        .replace('"merges": []', '"merges": [], "right": ""')
        .replace('o"]}', 'o"], "right": ""}')
    )
    assert room.state.to_json() == written and own_of(room) == vote
    rooms_of(store).change(room, _ME)
    with store.database.reading() as db:
        assert db.execute("SELECT state FROM room").fetchone()[0] == written
    # As it was before anything had happened in it.
    _write_state(
        store, '{"done": [], "own": 0, "owns": [], "roam": false, "plan": "50", "lesson": "em", "stage": "predict"}'
    )
    assert rooms_of(store).find(room.id).state == RoomState(plan="50", lesson="em", stage="predict")


@pytest.mark.parametrize("stored", ["", "null", "[1]", '{"done": 3, "own": "2", "owns": {}, "roam": null, "plan": 5}'])
def test_a_state_that_was_damaged_is_the_usual_one(store: Store, stored: str) -> None:
    room = _asking(store)
    _write_state(store, stored)
    assert rooms_of(store).find(room.id).state == RoomState()


def test_an_own_question_that_was_damaged_keeps_its_number(store: Store) -> None:
    room = _asking(store, own_step(1))
    _write_state(store, '{"owns": [5, {"kind": "word", "prompt": "왜?"}, {"kind": "word", "merges": 1}]}')
    room = rooms_of(store).find(room.id)
    assert own_of(room) is None and own_of(room._replace(step=own_step(3))) is None
    assert own_of(room._replace(step=own_step(2))) == OwnQuestion("word", "왜?", "")


def _write_state(store: Store, text: str) -> None:
    with store.database.transaction() as db:
        db.execute("UPDATE room SET state = ?", (text,))


# ---- phones that join, leave and are removed


def test_a_phone_that_leaves_takes_its_answers_with_it(store: Store) -> None:
    room, other = _asking(store), _asking(store)
    for of in (room, other):
        rooms_of(store).answer(of.id, "tokens.ko", "p", "1")
    rooms_of(store).answer(room.id, "tokens.ko", "q", "2")
    rooms_of(store).withdraw(room.id, "p")
    assert [one.content for one in rooms_of(store).answers(room.id)] == ["2"]
    assert rooms_of(store).n_answers(other.id, "tokens.ko") == 1
    # What it sent before and arrives later is not taken.
    for act in (
        lambda: rooms_of(store).answer(room.id, "tokens.ko", "p", "1", 9),
        lambda: rooms_of(store).visit(room.id, "p"),
    ):
        with pytest.raises(RemovedError):
            act()


def test_a_room_whose_door_is_closed_keeps_who_is_in(store: Store) -> None:
    room = _asking(store)
    rooms_of(store).visit(room.id, "in")
    rooms_of(store).let_join(room.id, _ME, False)
    assert not rooms_of(store).find(room.id).takes_phones
    for act in (
        lambda: rooms_of(store).visit(room.id, "out"),
        lambda: rooms_of(store).answer(room.id, "tokens.ko", "out", "1"),
    ):
        with pytest.raises(JoiningClosedError):
            act()
    assert rooms_of(store).answer(room.id, "tokens.ko", "in", "1").is_taken
    rooms_of(store).let_join(room.id, _ME, True)
    assert rooms_of(store).visit(room.id, "out").own is None


def test_invented_phones_are_seen_and_removed(clocks: _Clocks, store: Store) -> None:
    room = _asking(store)
    for k in range(10):  # a class that scans the code
        clocks.pass_(2)
        rooms_of(store).answer(room.id, "tokens.ko", f"real {k}", "1")
    clocks.pass_(30)
    assert live.jumps(rooms_of(store).joined(room.id)) == []
    for k in range(70):
        rooms_of(store).visit(room.id, f"invented {k}")
    (jump,) = live.jumps(rooms_of(store).joined(room.id))
    assert (jump.phones, jump.answering) == (70, 0)
    assert sum(one.phones for one in live.stretches(rooms_of(store).joined(room.id))) == 80
    before = rooms_of(store).find(room.id).version
    assert rooms_of(store).remove_phones(room.id, _ME, jump.first, jump.last).version > before
    assert live.jumps(rooms_of(store).joined(room.id)) == []
    assert rooms_of(store).n_answers(room.id, "tokens.ko") == 10
    with pytest.raises(RemovedError):
        rooms_of(store).visit(room.id, "invented 3")


def test_a_class_that_comes_in_two_minutes_is_no_jump_and_fits() -> None:
    assert phones.MAX_STUDENTS >= 1000
    steady = [Joined(second, 9 if second % 3 else 7, 0) for second in range(120)]
    assert sum(one.phones for one in steady) == 1000
    assert live.jumps(steady) == []
    flood = [*steady, Joined(200, 200, 0), Joined(201, 200, 0)]
    assert [(jump.first, jump.last, jump.phones) for jump in live.jumps(flood)] == [(200, 201, 400)]


def test_a_flood_that_is_removed_again_and_again_fills_no_disk(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phones, "_MAX_GONE", 10)
    room = _asking(store)
    for k in range(4):
        for number in range(8):
            rooms_of(store).visit(room.id, f"{k} {number}")
        rooms_of(store).remove_phones(room.id, _ME, 0, 2**40)
    assert _n_rows(store, "phone") <= 11


# ---- answers taken together


def _slow_alpha(answers: list[tuple[int, ...]], places: tuple[int, ...]) -> float | None:
    """By the definition: disagreement within units over disagreement of all values, each pair counted both ways."""
    units = [[place in answer for answer in answers] for place in places]
    values = [value for unit in units for value in unit]
    observed = sum(2 * sum(a != b for a, b in combinations(unit, 2)) / (len(unit) - 1) for unit in units) / len(values)
    pairs = 2 * sum(a != b for a, b in combinations(values, 2))
    expected = pairs / (len(values) * (len(values) - 1))
    return 1 - observed / expected if expected else None


@given(st.lists(st.sets(st.sampled_from([1, 2, 4, 5])), min_size=2, max_size=6))
def test_agreement_is_what_its_definition_says(sets: list[set[int]]) -> None:
    question = Cuts("가나다 라마바")
    answers = [tuple(sorted(one)) for one in sets if one <= set(cut_places(question.text))]
    if len(answers) < 2:
        return
    f1 = [cut_f1(a, b) for a, b in combinations(answers, 2)]
    assert question.agreement(answers) == pytest.approx(sum(f1) / len(f1))
    slow = _slow_alpha(answers, cut_places(question.text))
    fast = krippendorff_alpha(question, answers)
    assert (slow is None) == (fast is None)
    assert slow is None or fast == pytest.approx(slow)


def test_the_class_as_one() -> None:
    cuts = Cuts("abcd")
    answers = [(1,), (1, 2), (2,), (1, 3)]
    assert cut_shares(cuts, answers) == {1: 0.75, 2: 0.5, 3: 0.25}
    assert cuts.class_answer(answers) == (1, 2)
    disputed = most_disputed(cut_shares(cuts, answers))
    assert disputed is not None
    assert disputed.place == 2
    choice = Choice((Option("a"), Option("b")))
    assert choice.class_answer(["b", "a", "a"]) == "a"
    assert choice.class_answer([]) is None
    assert Numbers(("x",), 0, 9, 1, ()).class_answer([(1.0,), (2.0,), (9.0,)]) == (2.0,)
    assert choice.agreement(["a", "a", "b"]) == pytest.approx(1 / 3)


_EVERY = [question for lesson in LESSONS.values() for question in (*lesson.questions.values(), *lesson.checks.values())]
_EVERY += [
    OwnQuestion(kind, "?", content).question
    for kind, content in zip(KINDS, ("a cat", "x\ny", "", "x\ny\nz", "", "low:5 lower:2"), strict=True)
]


def test_simulated_students_answer_everything_wholly() -> None:
    dice = random.Random(0)
    for question in _EVERY:
        for _ in range(5):
            answer = question.simulated("ko", dice)
            assert question.is_complete(answer)
            assert question.read(question.write(answer)) == answer


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("cuts", "a b"),
        ("cuts", "x" * 130),
        ("choice", "one"),
        ("order", "\n".join("abcdefghij")),
        ("merge", "a:3"),
        ("?", ""),
    ],
)
def test_an_own_question_says_what_is_wrong_with_it(kind: str, content: str) -> None:
    with pytest.raises(InputError):
        _ = OwnQuestion(kind, "", content).question
    assert not read_own_question({"kind": kind, "prompt": "", "content": content}).is_sound


def test_a_vote_runs_the_real_algorithm() -> None:
    corpus = "low:5 lower:2 newest:6 widest:3"
    vote = merge_vote(corpus, ())
    assert [(row.pair, row.frequency) for row in vote.pairs[:2]] == [(("e", "s"), 9), (("s", "t"), 9)]
    assert vote.question.right == ("e\u00a0+\u00a0s", "s\u00a0+\u00a0t")
    assert vote.n_tokens == 5 * 3 + 2 * 5 + 6 * 6 + 3 * 6
    after = merge_vote(corpus, ("l\u00a0+\u00a0o",))
    assert after.n_tokens == vote.n_tokens - 7
    assert after.bpe_tokens == vote.n_tokens - 9
    assert ("lo", "w") in [row.pair for row in after.pairs]


# ---- what phones are told


@pytest.mark.parametrize("language", ["ko", "en"])
def test_before_the_reveal_a_phone_is_told_nothing_of_others(store: Store, language: str) -> None:
    for lesson in PLANS["90"].by_name:
        for is_check in (False, True):
            room = _asking(store, step_of(lesson, language, is_check))._replace(language=language)
            found = posed_question(room)
            if found is None:
                assert is_check and not LESSONS[lesson].checks
                rooms_of(store).remove(room.id)
                continue
            assert "**" not in found.prompt and "](" not in found.prompt
            view = phone_view(room, [])
            assert "result" not in view
            assert not {"right", "gold", "shares", "tally"} & set(view["question"])
            rooms_of(store).remove(room.id)


@pytest.fixture
def client(store: Store, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(join, "library", lambda: store)
    monkeypatch.setattr(join, "LIVE", Live())
    monkeypatch.setattr(join, "GUESSES", Guesses())
    monkeypatch.setattr(join, "_WRONG_SECONDS", 0.0)
    join._views.clear()
    return TestClient(Starlette(routes=join.join_routes("")))


def _send(
    client: TestClient, room: Room, answer: str, step: str = "tokens.ko", student: str = _PHONE, turn: object = 0
) -> Any:
    body = {"room": room.id, "student": student, "step": step, "answer": answer, "turn": turn}
    return client.post("/join/answer", content=json.dumps(body))


def _state(client: TestClient, room: Room, student: str = _PHONE) -> dict[str, object]:
    return client.get(f"/join/state?room={room.id}&after=0", headers={"X-Student": student}).json()


def test_a_phone_answers_once_and_sees_the_class_when_it_is_shown(client: TestClient, store: Store) -> None:
    room = _asking(store)
    view = _state(client, room)
    assert view["mine"] is None and view["question"]["kind"] == "cuts"
    assert _send(client, room, "2", turn=1).json() == {"kept": "2", "taken": True}
    assert _send(client, room, "1", turn=2).json() == {"kept": "1", "taken": True}
    assert _send(client, room, "2", turn=1).json() == {"kept": "1", "taken": False}
    _send(client, room, "3", student="b" * 24)
    view = _state(client, room)
    assert view["mine"] == "1" and "result" not in view
    assert "3" not in json.dumps({name: view[name] for name in view if name not in ("version", "question", "prompt")})
    rooms_of(store).change(room._replace(is_open=False, state=RoomState(done=("tokens.ko",), revealed=True)), _ME)
    result = _state(client, room)["result"]
    assert result["n"] == 2
    assert dict(map(tuple, result["shares"]))[1] == 0.5
    assert _send(client, room, "1", student="c" * 24).status_code == 409


def test_what_students_wrote_reaches_no_phone(client: TestClient, store: Store) -> None:
    room = _asking(store, step_of("exit", "ko"))
    _send(client, room, "<img src=x onerror=alert(1)>", room.step)
    rooms_of(store).change(room._replace(is_open=False, state=RoomState(done=(room.step,), revealed=True)), _ME)
    view = _state(client, room, "b" * 24)
    assert view["result"] == {"n": 1}
    assert "img" not in json.dumps(view)


@pytest.mark.parametrize("answer", ["99", "1.x", "", "1" * 5000, "\ud800", "none.none"])
def test_what_is_no_answer_is_not_kept(client: TestClient, store: Store, answer: str) -> None:
    room = _asking(store)
    assert _send(client, room, answer).status_code in (400, 409, 413)
    assert rooms_of(store).answers(room.id) == []


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"room": 1}', b"\xff", b'{"room": "../../etc", "student": "x"}'])
def test_other_requests_are_refused(client: TestClient, body: bytes) -> None:
    assert client.post("/join/answer", content=body).status_code in (400, 404)
    assert client.post("/join/find", content=body).status_code in (400, 404, 429)
    assert client.get("/join/state?room=x").status_code == 404
    assert client.get(f"/join/state?room={'x' * 16}").status_code == 400


@pytest.mark.parametrize("path", ["find", "answer", "withdraw"])
@pytest.mark.parametrize("body", [b"[" * 1900, b'{"a":' * 380])
def test_what_is_nested_without_end_is_refused_with_a_sentence(client: TestClient, path: str, body: bytes) -> None:
    said = client.post(f"/join/{path}?lang=en", content=body)
    assert said.status_code == 400
    assert said.json()["error"] == translate("room.phone.malformed", "en")


@pytest.mark.parametrize("turn", [-1, 2**60, 1.5, "1", True, None])
def test_a_turn_is_a_number(client: TestClient, store: Store, turn: object) -> None:
    assert _send(client, _asking(store), "1", turn=turn).status_code == 400


def test_a_phone_withdraws(client: TestClient, store: Store) -> None:
    room = _asking(store)
    _send(client, room, "1")
    _send(client, room, "2", student="b" * 24)
    rooms_of(store).change(room._replace(is_open=False, state=RoomState(done=("tokens.ko",), revealed=True)), _ME)
    assert _state(client, room, "b" * 24)["result"]["n"] == 2
    assert client.post("/join/withdraw", json={"room": room.id, "student": _PHONE}).status_code == 200
    assert _state(client, room, "b" * 24)["result"]["n"] == 1
    said = client.get(f"/join/state?room={room.id}&after=0", headers={"X-Student": _PHONE})
    assert said.status_code == 410 and said.json()["error"]


def test_codes_that_come_at_once_take_turns(store: Store, client: TestClient) -> None:
    """Of 200 at once 30 are looked up; a right code comes through afterwards, and at once where it is on a screen."""
    room = _asking(store)
    looked_up: list[str] = []

    def id_of(code: str) -> str:
        looked_up.append(code)
        return rooms_of(store).id_of(code)

    async def find(http: httpx2.AsyncClient, code: str) -> int:
        return (await http.post("/join/find", json={"code": code})).status_code

    async def run() -> tuple[list[int], int, int]:
        transport = httpx2.ASGITransport(Starlette(routes=join.join_routes("")), client=("192.0.2.1", 1))
        elsewhere = httpx2.ASGITransport(Starlette(routes=join.join_routes("")), client=("192.0.2.2", 1))
        async with (
            httpx2.AsyncClient(transport=transport, base_url="http://x") as http,
            httpx2.AsyncClient(transport=elsewhere, base_url="http://x") as other,
        ):
            flood = [asyncio.create_task(find(http, "IIII")) for _ in range(200)]
            answered = 0
            while answered < 190:
                await asyncio.sleep(0.01)
                answered = sum(task.done() for task in flood)
            seen = [task.result() for task in flood if task.done()]
            right_elsewhere = await find(other, f" {room.code.lower()[:2]} {room.code.lower()[2:]} ")
            join.GUESSES.know("192.0.2.1", room.code)
            right = await find(http, room.code)
            for task in flood:
                task.cancel()
            await asyncio.gather(*flood, return_exceptions=True)
        return seen, right_elsewhere, right

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(join, "rooms_of", lambda _: SimpleNamespace(id_of=id_of))
        began = time.monotonic()
        seen, right_elsewhere, right = run_to_end(run())
        took = time.monotonic() - began
    assert Counter(seen)[429] >= 150
    assert 30 <= looked_up.count("IIII") <= 31 + took / 2  # another one every two seconds
    assert (right_elsewhere, right) == (200, 200)


def test_a_code_after_a_flood_is_looked_up_and_refused_by_nobody() -> None:
    now = 100.0
    guesses = Guesses(lambda: now)

    async def run() -> tuple[bool, list[bool], float]:
        flood = [asyncio.create_task(guesses.turn("n", f"{k}")) for k in range(100)]
        last = asyncio.create_task(guesses.turn("n", "right"))
        await asyncio.sleep(0)
        done = [task.result() for task in flood if task.done()]
        began = time.monotonic()
        guesses.was_right("n", "right")
        at_once = await guesses.turn("n", "right")
        took = time.monotonic() - began
        is_waiting = not last.done()
        for task in (*flood, last):
            task.cancel()
        await asyncio.gather(*flood, last, return_exceptions=True)
        return is_waiting and at_once, done, took

    is_right, done, took = run_to_end(run())
    assert is_right and took < 1
    assert done.count(True) == 30


def test_a_phone_hears_of_a_change_at_once() -> None:
    live = Live()
    room = Room("r" * 16, "ABCD", "ko", "", False, 0, {}, 2, 0)
    live.arrive(room.id, "p")

    async def wait() -> float:
        began = time.monotonic()
        asyncio.get_running_loop().call_later(0.1, live.changed, room)
        await live.wait(room.id, "p", 1, 20)
        return time.monotonic() - began

    assert run_to_end(wait()) < 10
    assert live.n_present(room.id) == 1


def test_a_phone_hears_of_a_change_and_of_the_end_in_another_process(
    store: Store, open_library: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    live = Live()
    monkeypatch.setattr(serving, "LIVE", live)
    monkeypatch.setattr(serving, "library", lambda: store)
    rooms = rooms_of(store)
    room = rooms.open("me", "ko", RoomState())

    async def waits_for(what: object) -> float:
        live.changed(rooms.find(room.id))
        live.arrive(room.id, "p")
        following = asyncio.create_task(serving.follow_rooms(0.05))
        phone = asyncio.create_task(live.wait(room.id, "p", rooms.find(room.id).version, 30))
        began = time.monotonic()
        await asyncio.sleep(0.3)
        assert not phone.done()  # nothing has changed
        what()  # of which this process is told nothing
        assert await phone
        following.cancel()
        return time.monotonic() - began

    others = rooms_of(open_library())
    assert run_to_end(waits_for(lambda: others.change(room._replace(step="own.1"), "me"))) < 10
    assert run_to_end(waits_for(lambda: others.remove(room.id))) < 10


def test_the_lecturer_sees_the_phones_of_all_processes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    room = rooms_of(store).open("k" * 32, "ko", RoomState())
    rooms_of(store).change(room._replace(step="tokens.ko", is_open=True), "k" * 32)
    for k in range(3):
        rooms_of(store).visit(room.id, f"phone-of-another-process-{k}")
    monkeypatch.setenv("THUNDER_TOK_PROCESSES", "2")
    app = _at(store, monkeypatch, room=room.id)
    assert any("접속 3" in text.value for text in app.markdown)


def test_who_is_in_no_room_takes_no_place_to_wait(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join, "_WAIT_SECONDS", 30.0)
    began = time.monotonic()
    for after in (0, 1, 5):
        said = client.get(f"/join/state?room={'x' * 16}&after={after}", headers={"X-Student": _PHONE})
        assert said.status_code == 404
    room = _asking(store)
    rooms_of(store).let_join(room.id, _ME, False)
    said = client.get(f"/join/state?room={room.id}&after={room.version}", headers={"X-Student": _PHONE})
    assert said.status_code == 403
    assert time.monotonic() - began < 10


def test_a_phone_without_a_place_to_wait_is_told_to_pause(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = _asking(store)
    version = _state(client, room)["version"]
    monkeypatch.setattr(live, "_MAX_WAITING", 0)
    said = client.get(f"/join/state?room={room.id}&after={version}", headers={"X-Student": _PHONE}).json()
    assert said["pause"] >= 1 and said["version"] == version


@pytest.mark.slow
@pytest.mark.parametrize("place", ["sqlite"], indirect=True)  # what bounds an address asks no database
def test_a_thousand_phones_of_one_address_join_and_answer_within_two_minutes(client: TestClient, store: Store) -> None:
    room = _asking(store)
    began = time.monotonic()
    for number in range(1000):
        student = f"student-of-one-address-{number:04d}"
        assert _send(client, room, "1", student=student).json() == {"kept": "1", "taken": True}
    assert time.monotonic() - began < 120
    assert [(one.phones, one.answers) for one in rooms_of(store).all()] == [(1000, 1000)]


# ---- races


def test_answers_that_race_with_reveal_and_reopening_are_kept_once_or_refused(store: Store) -> None:
    """Whatever a phone was told is what the library has, and nothing is taken while the answers are shown."""
    room = _asking(store)
    shown: list[tuple[int, set[tuple[int, str]]]] = []
    said: dict[str, list[tuple[int, StoredAnswer | None]]] = {}
    begin = threading.Barrier(9)

    def phone(name: str) -> None:
        begin.wait()
        for turn in range(12):
            try:
                kept = rooms_of(store).answer(room.id, "tokens.ko", name, str(turn), turn)
            except ClosedError:
                kept = None
            said.setdefault(name, []).append((turn, kept))

    def lecturer() -> None:
        begin.wait()
        for _ in range(6):
            rooms_of(store).change(room._replace(is_open=False, state=RoomState(revealed=True)), _ME)
            for _ in range(2):
                at, answers = rooms_of(store).snapshot(room.id)
                shown.append((at.version, {(one.student, one.content) for one in answers}))
            rooms_of(store).change(room._replace(is_open=True, state=RoomState()), _ME)

    threads = [threading.Thread(target=phone, args=(f"p{k}",)) for k in range(8)]
    for thread in (*threads, steering := threading.Thread(target=lecturer)):
        thread.start()
    for thread in (*threads, steering):
        thread.join()
    for first, second in zip(shown[::2], shown[1::2], strict=True):
        assert first == second  # nothing came in between
    for name, answers in said.items():
        current = None
        for turn, kept in answers:
            if kept is not None and kept.is_taken:
                current = str(turn)
            assert (kept.content if kept else None) == current
        last = rooms_of(store).own_answer(room.id, "tokens.ko", name)
        assert (last.content if last else None) == current
    assert len({one.student for one in rooms_of(store).answers(room.id)}) == len(rooms_of(store).answers(room.id))


def test_answers_that_race_with_withdrawing_and_the_end_leave_nothing(store: Store) -> None:
    room = _asking(store)
    begin = threading.Barrier(7)
    unexpected: list[Exception] = []

    def phone(name: str) -> None:
        begin.wait()
        try:
            for turn in range(6):
                rooms_of(store).answer(room.id, "tokens.ko", name, "1", turn)
        except (RemovedError, UnknownIdError):
            pass
        except Exception as error:
            unexpected.append(error)

    def leave(name: str) -> None:
        begin.wait()
        rooms_of(store).withdraw(room.id, name)

    for name in ("p0", "p1", "p2"):
        rooms_of(store).visit(room.id, name)
    threads = [threading.Thread(target=phone, args=(f"p{k}",)) for k in range(4)]
    threads += [threading.Thread(target=leave, args=(f"p{k}",)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert unexpected == []
    assert [one.student for one in rooms_of(store).answers(room.id)] == [4]
    begin = threading.Barrier(3)
    threads = [threading.Thread(target=phone, args=(name,)) for name in ("x", "y")]
    for thread in threads:
        thread.start()
    begin.wait()
    rooms_of(store).remove(room.id)
    for thread in threads:
        thread.join()
    assert unexpected == [] and (_n_rows(store), _n_rows(store, "phone")) == (0, 0)


def test_the_page_of_a_phone_is_small_and_speaks_its_language(client: TestClient) -> None:
    korean = client.get("/join", headers={"Accept-Language": "ko-KR,ko;q=0.9,en;q=0.8"})
    english = client.get("/join?lang=en", headers={"Accept-Language": "ko-KR"})
    assert "수업" in korean.text and "수업" not in english.text
    script = client.get("/join.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert len(korean.content) + len(script.content) < 60_000
    # Nothing of what others write is ever read as markup.
    assert "innerHTML" not in script.text and "insertAdjacentHTML" not in script.text


# ---- where phones reach the server


def test_the_address_is_one_that_phones_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room_bar, "network_address", lambda: "203.0.113.7")
    set_ = {room_bar.URL_VARIABLE: "https://tok.example.org/app/"}
    assert room_bar.join_address("http://localhost:8501/lessons", set_) == ("https://tok.example.org/app", "set")
    assert room_bar.join_address("https://class.example.org/lessons", {}) == ("https://class.example.org", "browser")
    assert room_bar.join_address("http://localhost:8501/lessons", {}) == ("http://203.0.113.7:8501", "network")
    assert room_bar.join_address("http://127.0.0.1:8501/", {}).found == "network"
    monkeypatch.setattr(room_bar, "network_address", lambda: "")
    assert room_bar.join_address("http://[::1]:8501/", {}).found == "none"


# ---- the lecturer's page


def _at(store: Store, monkeypatch: pytest.MonkeyPatch, **link: str) -> AppTest:
    from app.server import library as kept

    monkeypatch.setattr(kept, "opened", lambda: kept.Opened(store))
    return open_page("lessons", {state.OWNER: "k" * 32}, **{"lang": "ko", "plan": "50"} | link)


def _press(app: AppTest, key: str) -> None:
    app.button(key=key).click()
    app.run()
    assert not app.exception


def _room_of(app: AppTest, store: Store) -> Room:
    return rooms_of(store).find(app.session_state["lessons.room"])


@pytest.mark.slow
def test_a_class_alone_with_simulated_students(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    app = _at(store, monkeypatch)
    _press(app, "lessons.room.open")
    for lesson in PLANS["50"].by_name:
        room = _room_of(app, store)
        assert (room.step, room.is_open) == (step_of(lesson, "ko"), True)
        _press(app, "lessons.room.simulate")
        assert rooms_of(store).n_answers(room.id, room.step) == 20
        if lesson == "exit":
            _press(app, "lessons.room.reveal")
            break
        assert not _room_of(app, store).state.revealed
        _press(app, "lessons.reveal")
        room = _room_of(app, store)
        assert room.state.revealed and not room.is_open
        _press(app, "lessons.understand")
        assert _room_of(app, store).step == step_of(lesson, "ko", True)
        _press(app, "lessons.room.simulate")
        _press(app, "lessons.room.reveal")
        _press(app, "lessons.next")
    room = _room_of(app, store)
    first = next(button for button in app.button if button.key and button.key.startswith("lessons.room.hide."))
    first.click()
    app.run()
    assert sum(answer.is_hidden for answer in rooms_of(store).answers(room.id)) == 1
    _press(app, "lessons.room.end")
    assert rooms_of(store).find(room.id)  # not without being asked
    _press(app, "lessons.room.end_sure")
    with pytest.raises(UnknownIdError):
        rooms_of(store).find(room.id)


def test_the_lecturer_asks_and_the_class_merges(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    app = _at(store, monkeypatch)
    _press(app, "lessons.room.open")
    app.selectbox(key="lessons.room.own.kind").select("merge").run()
    app.text_area(key="lessons.room.own.content").input("low:5 lower:2 newest:6").run()
    _press(app, "lessons.room.own.ask")
    room = _room_of(app, store)
    assert room.step == own_step(1)
    rooms_of(store).answer(room.id, room.step, "p", "l\u00a0+\u00a0o", 1)
    _press(app, "lessons.room.reveal")
    with pytest.raises(ClosedError):
        rooms_of(store).answer(room.id, room.step, "q", "l\u00a0+\u00a0o")
    _press(app, "lessons.room.reopen")
    assert _room_of(app, store).is_open and not _room_of(app, store).state.revealed
    assert rooms_of(store).answer(room.id, room.step, "q", "l\u00a0+\u00a0o").is_taken
    _press(app, "lessons.room.reveal")
    assert [one.student for one in rooms_of(store).answers(room.id, room.step)] == [1, 2]
    _press(app, "lessons.room.vote")
    room = _room_of(app, store)
    assert room.step == own_step(2) and room.is_open
    found = posed_question(room)
    assert found is not None
    assert "lo w ×5" in found.given
    _press(app, "lessons.room.back")
    assert _room_of(app, store).step == step_of("tokens", "ko")


def test_a_room_is_opened_with_its_password_and_ended_when_that_is_confirmed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_end, "room_door", lambda: Door("가나다"))
    monkeypatch.setattr(teacher.time, "sleep", lambda seconds: None)
    app = _at(store, monkeypatch)
    app.text_input(key="lessons.room.password").input("wrong")
    _press(app, "lessons.room.open")
    assert rooms_of(store).owned("k" * 32) == []
    app.text_input(key="lessons.room.password").input("가나다")
    _press(app, "lessons.room.open")
    room = _room_of(app, store)
    rooms_of(store).answer(room.id, room.step, "p", "1")
    _press(app, "lessons.room.end")
    assert any(one.key == f"csv.answers-{room.id}" for one in app.get("download_button"))
    _press(app, "lessons.room.end_not")
    assert not rooms_of(store).find(room.id).is_kept
    _press(app, "lessons.room.end")
    _press(app, "lessons.room.keep")
    assert rooms_of(store).find(room.id).is_kept and not app.session_state["lessons.room"]
    _press(app, f"lessons.room.end.{room.id}")
    _press(app, "lessons.room.end_sure")
    assert rooms_of(store).owned("k" * 32) == []


def test_the_handout_of_a_lecturer_has_answers(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handout, "library", lambda: store)
    client = TestClient(Starlette(routes=[Route("/handout", handout.handout)]))
    first, second = _asking(store), _asking(store)
    key = rooms_of(store).lecturer_key(first.id)
    whole = client.get(f"/handout?plan=50&lang=en&room={first.id}&key={key}").text
    assert whole == handout.handout_page("50", "en", has_answers=True) and 'class="answers"' in whole
    plain = handout.handout_page("50", "en")
    assert 'class="answers"' not in plain
    for room, wrong in ((first, ""), (first, "x"), (second, key), (first, rooms_of(store).lecturer_key(second.id))):
        assert client.get(f"/handout?plan=50&lang=en&room={room.id}&key={wrong}").text == plain
    assert (
        client.get(f"/handout?plan=50&lang=en&room=nothing&key={rooms_of(store).lecturer_key('nothing')}").text == plain
    )
    # A room opens the answers of the plan that it follows, and of no other.
    third = _asking(store, plan="20")
    for plan, has_answers in (("20", True), ("50", False), ("90", False)):
        address = f"/handout?plan={plan}&lang=en&room={third.id}&key={rooms_of(store).lecturer_key(third.id)}"
        assert client.get(address).text == handout.handout_page(plan, "en", has_answers)


def test_the_projector_shows_what_bytes_are_asked_of(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    app = _at(store, monkeypatch, plan="90", lesson="bytes")
    _press(app, "lessons.room.open")
    assert _room_of(app, store).step == step_of("bytes", "ko")
    shown = " ".join(node.value for node in app.markdown)
    assert "안녕" in shown and "😀" in shown


def _revealed(store: Store, monkeypatch: pytest.MonkeyPatch, lesson: str) -> AppTest:
    """A lesson as its class' answers are shown."""
    app = _at(store, monkeypatch, plan="90", lesson=lesson)
    _press(app, "lessons.room.open")
    _press(app, "lessons.room.simulate")
    _press(app, "lessons.reveal")
    return app


@pytest.mark.slow
@pytest.mark.parametrize(("lesson", "is_scored"), [("tokens", False), ("unigram", True)])
def test_scores_are_shown_from_the_fourth_lesson_on_and_explained(
    store: Store, monkeypatch: pytest.MonkeyPatch, lesson: str, is_scored: bool
) -> None:
    app = _revealed(store, monkeypatch, lesson)
    said = [str(node.value) for node in (*app.markdown, *app.caption)]
    drawn = [node.proto.bytes.decode() for node in app.main if node.type == "bidi_component"]
    charts = [str(node.proto) for node in app.main if node.type == "plotly_chart"]
    shown = "\n".join(said + drawn + charts)
    answers = [answer.content for answer in rooms_of(store).answers(_room_of(app, store).id)]
    question = LESSONS[lesson].questions["ko"]
    share = question.agreement([question.read(one) for one in answers])
    assert translate("room.agreement", "ko", share=100 * share) in shown
    # Ids are random letters, of which two may be F1.
    assert bool(re.search(r"\bF1\b", shown)) == ("α" in shown) == is_scored
    assert (translate("room.scores", "ko") in shown) == is_scored


def test_somebody_elses_room_is_not_steered(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    room = _asking(store)
    app = _at(store, monkeypatch)
    app.query_params["room"] = room.id
    app.session_state["lessons.room"] = room.id
    app.run()
    assert not app.exception
    assert room.code in app.info[0].value
    assert rooms_of(store).find(room.id) == room

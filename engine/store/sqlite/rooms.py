"""Rooms of classes, and what was answered in them."""

import json
import secrets
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.store.sqlite.database import connection, delete, transaction
from engine.store.sqlite.schema import TEXT_SECONDS
from engine.store.sqlite.table import as_id, hashed
from engine.store.store import MAX_ANSWER, Answer, ClosedError, Room, RoomLimitError, UnknownIdError

ROOM_SECONDS = 86_400
MAX_ROOMS, MAX_OWNED = 60, 4
MAX_STUDENTS, MAX_ANSWERS = 400, 20_000
# Without letters that look like others, or like figures.
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_CODE_LENGTH = 4
# An answer that was on its way when the time was over.
_LATE_SECONDS = 2
_COLUMNS = "id, code, language, step, is_open, ends, state, version, expires"


class SqliteRooms:
    """Rooms in the file at `path`, see `engine.store.store.Rooms`. One transaction an answer."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def open(self, owner: str, language: str, state: Mapping[str, Any]) -> Room:
        """Begin a room, see `engine.store.store.Rooms`."""
        now = int(time.time())
        room_id = secrets.token_urlsafe(12)
        with transaction(self._path) as db:
            db.execute("DELETE FROM room WHERE expires < ?", (now,))
            n_all, n_owned = db.execute(
                "SELECT count(*), coalesce(sum(owner = ?), 0) FROM room", (hashed(owner),)
            ).fetchone()
            if n_owned >= MAX_OWNED:
                raise RoomLimitError(
                    "you have {limit} rooms open; end one of them first", code="room.owned", limit=MAX_OWNED
                )
            if n_all >= MAX_ROOMS:
                raise RoomLimitError(
                    "this server has {limit} rooms open, and no more; try again later", code="room.all", limit=MAX_ROOMS
                )
            code = _free_code(db)
            values = (room_id, code, hashed(owner), language, "", 0, 0, json.dumps(dict(state)), 1, now + ROOM_SECONDS)
            db.execute(f"INSERT INTO room ({_COLUMNS_WITH_OWNER}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        return self.find(room_id)

    def find(self, room_id: str) -> Room:
        """The room of that id, see `engine.store.store.Rooms`."""
        query = f"SELECT {_COLUMNS} FROM room WHERE id = ? AND expires >= ?"
        with connection(self._path) as db:
            row = db.execute(query, (as_id(room_id), int(time.time()))).fetchone()
        if row is None:
            raise _gone()
        return _room(row)

    def id_of(self, code: str) -> str:
        """The id of the room with that code, see `engine.store.store.Rooms`."""
        with connection(self._path) as db:
            query = "SELECT id FROM room WHERE code = ? AND expires >= ?"
            row = db.execute(query, (as_id(code.upper()), int(time.time()))).fetchone()
        if row is None:
            raise UnknownIdError("no room has this code; look at the screen again", code="room.no_code")
        return str(row[0])

    def owns(self, room_id: str, owner: str) -> bool:
        """Whether the room is there and that owner's."""
        with connection(self._path) as db:
            query = "SELECT 1 FROM room WHERE id = ? AND owner = ? AND expires >= ?"
            return db.execute(query, (as_id(room_id), hashed(owner), int(time.time()))).fetchone() is not None

    def owned(self, owner: str) -> list[Room]:
        """Rooms of one owner, the newest first."""
        query = f"SELECT {_COLUMNS} FROM room WHERE owner = ? AND expires >= ? ORDER BY number DESC"
        with connection(self._path) as db:
            return [_room(row) for row in db.execute(query, (hashed(owner), int(time.time())))]

    def change(self, room: Room, owner: str) -> Room:
        """Write what is asked, see `engine.store.store.Rooms`."""
        query = (
            "UPDATE room SET language = ?, step = ?, is_open = ?, ends = ?, state = ?, version = version + 1"
            " WHERE id = ? AND owner = ?"
        )
        values = (room.language, room.step, int(room.is_open), room.ends, json.dumps(room.state))
        self._change(query, *values, as_id(room.id), hashed(owner))
        return self.find(room.id)

    def answer(self, room_id: str, step: str, student: str, content: str) -> str:
        """Take an answer, see `engine.store.store.Rooms`."""
        now, name = int(time.time()), _student(room_id, student)
        with transaction(self._path) as db:
            query = "SELECT number, step, is_open, ends FROM room WHERE id = ? AND expires >= ?"
            found = db.execute(query, (as_id(room_id), now)).fetchone()
            if found is None:
                raise _gone()
            room, asked, is_open, ends = found
            query = "SELECT content FROM answer WHERE room = ? AND step = ? AND student = ?"
            kept = db.execute(query, (room, step, name)).fetchone()
            if kept is not None:
                return str(kept[0])
            if asked != step or not is_open or (ends and now > ends + _LATE_SECONDS):
                raise ClosedError("this question takes no more answers", code="room.closed")
            _check_room(db, room, name)
            query = "INSERT INTO answer (room, step, student, content, created) VALUES (?, ?, ?, ?, ?)"
            db.execute(query, (room, step, name, content[:MAX_ANSWER], now))
        return content[:MAX_ANSWER]

    def own_answer(self, room_id: str, step: str, student: str) -> str | None:
        """What a student answered; None for nothing."""
        query = (
            "SELECT content FROM answer JOIN room ON room.number = answer.room"
            " WHERE room.id = ? AND answer.step = ? AND student = ?"
        )
        with connection(self._path) as db:
            row = db.execute(query, (as_id(room_id), step, _student(room_id, student))).fetchone()
        return None if row is None else str(row[0])

    def answers(self, room_id: str, step: str = "") -> list[Answer]:
        """All answers in the order in which they came, or those to one question."""
        query = (
            "SELECT answer.number, answer.step, student, content, created, is_hidden FROM answer"
            " JOIN room ON room.number = answer.room WHERE room.id = ? ORDER BY answer.number"
        )
        with connection(self._path) as db:
            rows = db.execute(query, (as_id(room_id),)).fetchall()
        students: dict[str, int] = {}
        numbered = [
            Answer(number, of, students.setdefault(student, len(students) + 1), content, created, bool(is_hidden))
            for number, of, student, content, created, is_hidden in rows
        ]
        return [answer for answer in numbered if not step or answer.step == step]

    def n_answers(self, room_id: str, step: str) -> int:
        """How many answered a question."""
        query = (
            "SELECT count(*) FROM answer JOIN room ON room.number = answer.room WHERE room.id = ? AND answer.step = ?"
        )
        with connection(self._path) as db:
            return int(db.execute(query, (as_id(room_id), step)).fetchone()[0])

    def hide(self, room_id: str, owner: str, number: int, is_hidden: bool = True) -> None:
        """Take an answer out of what is shown, or put it back; phones look again."""
        with transaction(self._path) as db:
            query = "UPDATE room SET version = version + 1 WHERE id = ? AND owner = ?"
            if db.execute(query, (as_id(room_id), hashed(owner))).rowcount != 1:
                raise _gone()
            query = "UPDATE answer SET is_hidden = ? WHERE number = ? AND room = (SELECT number FROM room WHERE id = ?)"
            db.execute(query, (int(is_hidden), number, as_id(room_id)))

    def keep(self, room_id: str, owner: str) -> Room:
        """Keep the answers as long as texts are kept."""
        expires = int(time.time()) + TEXT_SECONDS
        self._change("UPDATE room SET expires = ? WHERE id = ? AND owner = ?", expires, as_id(room_id), hashed(owner))
        return self.find(room_id)

    def delete(self, room_id: str, owner: str) -> None:
        """Remove a room of the owner's with its answers."""

        def change(db: sqlite3.Connection) -> None:
            query = "DELETE FROM room WHERE id = ? AND owner = ?"
            if db.execute(query, (as_id(room_id), hashed(owner))).rowcount != 1:
                raise _gone()

        delete(self._path, change)

    def _change(self, query: str, *values: str | int) -> None:
        with transaction(self._path) as db:
            if db.execute(query, values).rowcount != 1:
                raise _gone()


_COLUMNS_WITH_OWNER = _COLUMNS.replace("code,", "code, owner,")


def _room(row: tuple[Any, ...]) -> Room:
    room = Room(*row)
    return room._replace(is_open=bool(room.is_open), state=_parsed(str(room.state)))


def _parsed(text: str) -> dict[str, Any]:
    """Empty where it was damaged on the disk."""
    try:
        state = json.loads(text)
    except ValueError:
        return {}
    return state if isinstance(state, dict) else {}


def _gone() -> UnknownIdError:
    return UnknownIdError("this room has ended, or it is not yours", code="room.gone")


def _student(room_id: str, secret: str) -> str:
    """Another one in every room, so that nobody is followed from one to the next."""
    return hashed(f"{room_id}/{secret}")


def _free_code(db: sqlite3.Connection) -> str:
    while True:
        code = "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LENGTH))
        if db.execute("SELECT 1 FROM room WHERE code = ?", (code,)).fetchone() is None:
            return code


def _check_room(db: sqlite3.Connection, room: int, student: str) -> None:
    """RoomLimitError where the room has no place for the answer of this student."""
    query = "SELECT count(*), count(DISTINCT student), coalesce(sum(student = ?), 0) FROM answer WHERE room = ?"
    n_answers, n_students, n_own = db.execute(query, (student, room)).fetchone()
    if n_answers >= MAX_ANSWERS or (not n_own and n_students >= MAX_STUDENTS):
        raise RoomLimitError("this room is full", code="room.full")

"""Rooms of classes, and their answers."""

import hashlib
import secrets
import sqlite3
import time
from pathlib import Path

from app.server.store.room_state import RoomState, read_room_state
from app.server.store.sqlite.clock import Clock
from app.server.store.sqlite.database import connection, delete, transaction
from app.server.store.sqlite.phones import LETTERS, join, joined, leave, participants, participation_code, require_there
from app.server.store.sqlite.schema import TEXT_SECONDS, Row
from app.server.store.sqlite.table import StoreTable, as_id, hashed
from app.server.store.store import (
    MAX_ANSWER,
    ClosedError,
    Joined,
    Kept,
    Room,
    RoomLimitError,
    RoomUse,
    StudentAnswer,
    UnknownIdError,
    Visit,
)

ROOM_SECONDS = 86_400
MAX_ROOMS, MAX_FROM_NETWORK, MAX_OWNED = 100, 20, 4
MAX_ANSWERS = 40_000
_CODE_LENGTH = 4
# Tolerance for an answer in transit when the time ran out.
_LATE_SECONDS = 2
_COLUMNS = "id, code, language, step, is_open, ends, state, version, expires, takes_phones, kept_bytes"
_ALL_COLUMNS = ", ".join(f"room.{name}" for name in _COLUMNS.split(", "))
_THERE = "expires >= ? AND resumes IS NULL"
_OPEN = f"{_THERE} AND kept_bytes IS NULL"
_GOES_ON = "kept_bytes IS NULL AND resumes IS NULL"
# How long a room that its lecturer has ended can be resumed.
RESUME_SECONDS = 60
# Answers that were cleared: those of the step with this at its end.
_ASIDE = "~"
_OF = "SELECT number FROM room WHERE id = ?"


class SqliteRooms(StoreTable):
    """Classes with their answers, one transaction an answer.

    Of a student nothing is kept but a hash of a secret that their phone made up.
    """

    def __init__(self, path: Path, max_bytes: int, owner_bytes: int) -> None:
        super().__init__(path, max_bytes, owner_bytes)
        self._clock = Clock()

    def open(self, owner: str, language: str, state: RoomState, network: str = "") -> Room:
        """Begin a room.

        Parameters
        ----------
        network : where it is opened from; kept as a hash until the room is closed.

        Raises
        ------
        RoomLimitError : the owner, the network or the server has as many open as it may.
        """
        room_id, me, place = secrets.token_urlsafe(12), hashed(owner), hashed(f"network/{network}")
        with transaction(self._path) as db:
            query = f"""
                SELECT count(*), coalesce(sum(network = ?), 0), coalesce(sum(owner = ?), 0) FROM room WHERE {_OPEN}
            """
            n_all, n_near, n_owned = db.execute(query, (place, me, self._clock.early())).fetchone()
            if n_owned >= MAX_OWNED:
                raise RoomLimitError("room.owned", limit=MAX_OWNED)
            if n_near >= MAX_FROM_NETWORK:
                raise RoomLimitError("room.network", limit=MAX_FROM_NETWORK)
            if n_all >= MAX_ROOMS:
                raise RoomLimitError("room.all", limit=MAX_ROOMS)
            expires = self._clock.late() + ROOM_SECONDS
            query = """
                INSERT INTO room (id, code, owner, network, language, step, is_open, ends, state, version, expires)
                VALUES (?, ?, ?, ?, ?, '', 0, 0, ?, 1, ?)
            """
            db.execute(query, (room_id, _free_code(db), me, place, language, state.to_json(), expires))
        return self.find(room_id)

    def find(self, room_id: str) -> Room:
        """The room of that id.

        Raises
        ------
        UnknownIdError : there is none; it may have ended.
        """
        with connection(self._path) as db:
            return self._find(db, room_id)

    def _find(self, db: sqlite3.Connection, room_id: str) -> Room:
        query = f"SELECT {_COLUMNS} FROM room WHERE id = ? AND {_THERE}"
        row = db.execute(query, (as_id(room_id), self._clock.early())).fetchone()
        if row is None:
            raise _gone()
        return _room(row)

    def id_of(self, code: str) -> str:
        """The id of the room with that code.

        Raises
        ------
        UnknownIdError : there is none.
        """
        with connection(self._path) as db:
            query = f"SELECT id FROM room WHERE code = ? AND {_OPEN}"
            row = db.execute(query, (as_id(code.upper()), self._clock.early())).fetchone()
        if row is None:
            raise UnknownIdError("room.no_code")
        return str(row[0])

    def owns(self, room_id: str, owner: str) -> bool:
        """Whether the room exists and is the owner's."""
        with connection(self._path) as db:
            query = f"SELECT 1 FROM room WHERE id = ? AND owner = ? AND {_THERE}"
            return db.execute(query, (as_id(room_id), hashed(owner), self._clock.early())).fetchone() is not None

    def owned(self, owner: str) -> list[Room]:
        """Rooms of one owner, kept ones included, newest first."""
        query = f"SELECT {_COLUMNS} FROM room WHERE owner = ? AND {_THERE} ORDER BY number DESC"
        with connection(self._path) as db:
            return [_room(row) for row in db.execute(query, (hashed(owner), self._clock.early()))]

    def all(self) -> list[RoomUse]:
        """Everyone's rooms, newest first."""
        query = """
            SELECT id, iif(kept_bytes IS NULL, code, ''),
            (SELECT count(*) FROM phone WHERE phone.room = room.number AND NOT is_gone),
            (SELECT count(*) FROM answer WHERE answer.room = room.number), expires
            FROM room ORDER BY number DESC
        """
        with connection(self._path) as db:
            return [RoomUse(*row) for row in db.execute(query)]

    def change(self, room: Room, owner: str) -> Room:
        """Write language, step, is_open, ends and state as `room` says; returns it with its new version.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """
        with transaction(self._path) as db:
            number = self._write(db, room, owner)
            query = f"SELECT 1 FROM answer WHERE room = ? AND step LIKE '%{_ASIDE}'"
            has_cleared = db.execute(query, (number,)).fetchone() is not None
        if has_cleared:  # nobody can bring them back any more
            delete(self._path, lambda db: self._forget_cleared(db, number))
        return self.find(room.id)

    def _forget_cleared(self, db: sqlite3.Connection, number: int) -> None:
        db.execute(f"DELETE FROM answer WHERE room = ? AND step LIKE '%{_ASIDE}'", (number,))

    def _write(self, db: sqlite3.Connection, room: Room, owner: str) -> int:
        """Write the room; returns its number."""
        query = f"""
            UPDATE room SET language = ?, step = ?, is_open = ?, ends = ?, state = ?, version = version + 1
            WHERE id = ? AND owner = ? AND {_GOES_ON}
        """
        values = (room.language, room.step, int(room.is_open), room.ends, room.state.to_json())
        _change_one(db, query, *values, as_id(room.id), hashed(owner))
        return int(db.execute(_OF, (as_id(room.id),)).fetchone()[0])

    def ask_again(self, room: Room, owner: str) -> Room:
        """As `change`, and clear the answers to the room's question, until its next change."""

        def clear(db: sqlite3.Connection) -> None:
            number = self._write(db, room, owner)
            self._forget_cleared(db, number)
            query = f"UPDATE answer SET step = step || '{_ASIDE}' WHERE room = ? AND step = ?"
            db.execute(query, (number, room.step))

        delete(self._path, clear)
        return self.find(room.id)

    def undo_ask_again(self, room: Room, owner: str) -> Room:
        """As `change`, and bring cleared answers back; what a phone has answered since then counts."""

        def restore(db: sqlite3.Connection) -> None:
            number = self._write(db, room, owner)
            query = f"UPDATE OR IGNORE answer SET step = rtrim(step, '{_ASIDE}') WHERE room = ? AND step = ?"
            db.execute(query, (number, room.step + _ASIDE))
            self._forget_cleared(db, number)

        delete(self._path, restore)
        return self.find(room.id)

    def visit(self, room_id: str, student: str) -> Visit:
        """What a phone finds; one that was never there joins.

        Raises
        ------
        JoiningClosedError : it was never there, and the room takes no more phones.
        RemovedError : it has left, or was removed.
        RoomLimitError : the room is full.
        UnknownIdError : there is no such room, or it is kept.
        """
        found = self._seen(room_id, student)
        if found is None:
            self.find(room_id)  # takes no lock if there is no such room
            with transaction(self._path) as db:
                number, takes_phones = self._open_room(db, room_id, "takes_phones")
                join(db, number, _student(room_id, student), takes_phones)
            found = self._seen(room_id, student)
        if found is None:
            raise _gone()
        return found

    def _seen(self, room_id: str, student: str) -> Visit | None:
        """The view of a phone in the room; None if it is not in it, or there is no open room."""
        query = f"""
            SELECT {_ALL_COLUMNS}, is_gone, content FROM room
            JOIN phone ON phone.room = room.number AND phone.student = ?
            LEFT JOIN answer ON answer.room = room.number AND answer.step = room.step
            AND answer.student = phone.student WHERE room.id = ? AND {_OPEN}
        """
        with connection(self._path) as db:
            values = (_student(room_id, student), as_id(room_id), self._clock.early())
            row = db.execute(query, values).fetchone()
        if row is None:
            return None
        *columns, is_gone, content = row
        require_there(is_gone)
        return Visit(_room(tuple(columns)), content)

    def _open_room(self, db: sqlite3.Connection, room_id: str, columns: str) -> Row:
        """Number and these columns of an open room."""
        query = f"SELECT number, {columns} FROM room WHERE id = ? AND {_OPEN}"
        found = db.execute(query, (as_id(room_id), self._clock.early())).fetchone()
        if found is None:
            raise _gone()
        return tuple(found)

    def answer(self, room_id: str, step: str, student: str, content: str, turn: int = 0) -> Kept:
        """Take an answer, in place of the phone's earlier one; returns what is kept.

        Parameters
        ----------
        turn : higher for what a phone sent later; what is sent again has the same one.

        Raises
        ------
        ClosedError : the room asks something else, or takes no more answers, and nothing is kept of this phone.
        JoiningClosedError, RemovedError, RoomLimitError, UnknownIdError : as for `visit`.
        """
        now, name, content = int(time.time()), _student(room_id, student), content[:MAX_ANSWER]
        with transaction(self._path) as db:
            room, asked, is_open, ends, takes_phones = self._open_room(db, room_id, "step, is_open, ends, takes_phones")
            join(db, room, name, takes_phones)
            query = "SELECT content, turn FROM answer WHERE room = ? AND step = ? AND student = ?"
            kept = db.execute(query, (room, step, name)).fetchone()
            is_over = asked != step or not is_open or (ends and now > ends + _LATE_SECONDS)
            if kept is not None and (is_over or turn <= kept[1]):
                return Kept(str(kept[0]), is_taken=turn == kept[1])
            if is_over:
                raise ClosedError("room.closed")
            if kept is None:
                _check_answers(db, room)
            query = """
                INSERT INTO answer (room, step, student, content, created, turn) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (room, step, student) DO UPDATE
                SET content = excluded.content, created = excluded.created, turn = excluded.turn
            """
            db.execute(query, (room, step, name, content, now, turn))
        return Kept(content, is_taken=True)

    def withdraw(self, room_id: str, student: str) -> Room:
        """Remove all answers of a phone, which leaves the room; returns it.

        Raises
        ------
        UnknownIdError : there is no such room, or it is kept.
        """

        def change(db: sqlite3.Connection) -> None:
            number, state = self._open_room(db, room_id, "state")
            is_asked = leave(db, number, "student = ?", _student(room_id, student))
            # Revealed answers have changed for everyone; otherwise nobody else needs to be notified.
            if is_asked and read_room_state(state).revealed:
                db.execute("UPDATE room SET version = version + 1 WHERE number = ?", (number,))

        delete(self._path, change)
        return self.find(room_id)

    def joined(self, room_id: str) -> list[Joined]:
        """When the phones in the room joined, earliest first."""
        with connection(self._path) as db:
            return joined(db, as_id(room_id))

    def participants(self, room_id: str) -> list[str]:
        """The participation codes of the phones that answered something, in alphabetical order."""
        with connection(self._path) as db:
            return participants(db, as_id(room_id))

    def participation_code(self, room_id: str, student: str) -> str:
        """The participation code of a phone in this room."""
        return participation_code(_student(room_id, student))

    def let_join(self, room_id: str, owner: str, takes_phones: bool) -> None:
        """Whether phones may join that are not in the room.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """
        query = f"UPDATE room SET takes_phones = ? WHERE id = ? AND owner = ? AND {_GOES_ON}"
        with transaction(self._path) as db:
            _change_one(db, query, int(takes_phones), as_id(room_id), hashed(owner))

    def remove_phones(self, room_id: str, owner: str, first: int, last: int) -> Room:
        """Remove phones that joined between these seconds, with all their answers; returns the room.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """

        def change(db: sqlite3.Connection) -> None:
            number = self._touch(db, room_id, owner)
            leave(db, number, "joined BETWEEN ? AND ?", first, last)

        delete(self._path, change)
        return self.find(room_id)

    def _touch(self, db: sqlite3.Connection, room_id: str, owner: str) -> int:
        """Increment the version of an owner's open room; returns its number."""
        query = f"UPDATE room SET version = version + 1 WHERE id = ? AND owner = ? AND {_GOES_ON}"
        _change_one(db, query, as_id(room_id), hashed(owner))
        return int(db.execute(_OF, (as_id(room_id),)).fetchone()[0])

    def own_answer(self, room_id: str, step: str, student: str, turn: int = 0) -> Kept | None:
        """The stored answer of a student; None if there is none."""
        query = f"SELECT content, turn FROM answer WHERE room = ({_OF}) AND step = ? AND student = ?"
        with connection(self._path) as db:
            row = db.execute(query, (as_id(room_id), step, _student(room_id, student))).fetchone()
        return None if row is None else Kept(str(row[0]), is_taken=turn == row[1])

    def answers(self, room_id: str, step: str = "") -> list[StudentAnswer]:
        """All answers, or those to one question, in the order they first arrived."""
        with connection(self._path) as db:
            return _answers(db, room_id, step)

    def shown(self, room_id: str) -> tuple[Room, list[StudentAnswer]]:
        """The room and the answers to its current question, as of the same moment."""
        with connection(self._path) as db:
            db.execute("BEGIN")
            room = self._find(db, room_id)
            return room, _answers(db, room_id, room.step)

    def n_answers(self, room_id: str, step: str) -> int:
        """Number of answers to a question."""
        with connection(self._path) as db:
            query = f"SELECT count(*) FROM answer WHERE room = ({_OF}) AND step = ?"
            return int(db.execute(query, (as_id(room_id), step)).fetchone()[0])

    def hide(self, room_id: str, owner: str, number: int, is_hidden: bool = True) -> None:
        """Hide an answer, or show it again; phones are notified."""
        with transaction(self._path) as db:
            room = self._touch(db, room_id, owner)
            query = "UPDATE answer SET is_hidden = ? WHERE number = ? AND room = ?"
            db.execute(query, (int(is_hidden), number, room))

    def keep(self, room_id: str, owner: str) -> None:
        """Close the room and keep its answers as long as texts are kept. It has no code from then on.

        Raises
        ------
        FullError, OwnerFullError : the answers have no place.
        """
        with transaction(self._path) as db:
            room = self._touch(db, room_id, owner)
            query = "SELECT coalesce(sum(length(CAST(content AS BLOB))), 0) FROM answer WHERE room = ?"
            size = int(db.execute(query, (room,)).fetchone()[0])
            self._check_space(db, owner, size, size)
            query = """
                UPDATE room SET kept_bytes = ?, expires = ?, code = id, network = '', is_open = 0 WHERE number = ?
            """
            db.execute(query, (size, self._clock.late() + TEXT_SECONDS, room))

    def lecturer_key(self, room_id: str) -> str:
        """A secret of the room that its id does not reveal; empty if there is no such room."""
        with connection(self._path) as db:
            query = f"SELECT owner FROM room WHERE id = ? AND {_THERE}"
            row = db.execute(query, (as_id(room_id), self._clock.early())).fetchone()
        # The key is derived from the owner's hash, which cannot be derived from it.
        return "" if row is None else hashlib.blake2b(room_id.encode(), key=row[0].encode(), digest_size=16).hexdigest()

    def purge(self, grace_seconds: int = 0) -> None:
        """Remove rooms that expired at least `grace_seconds` ago, with all their answers."""
        over = self._clock.early() - grace_seconds

        def change(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM room WHERE expires < ?", (over,))

        with connection(self._path) as db:
            is_any = db.execute("SELECT 1 FROM room WHERE expires < ?", (over,)).fetchone()
        if is_any:
            delete(self._path, change)

    def end(self, room_id: str, owner: str) -> None:
        """End a room of the owner's; it is removed with its answers unless it is resumed within a minute.

        Raises
        ------
        UnknownIdError : there is none, or it is not the owner's.
        """
        query = "UPDATE room SET resumes = expires, expires = ? WHERE id = ? AND owner = ? AND resumes IS NULL"
        with transaction(self._path) as db:
            _change_one(db, query, self._clock.late() + RESUME_SECONDS, as_id(room_id), hashed(owner))

    def resume(self, room_id: str, owner: str) -> Room:
        """Go on with a room that has just ended.

        Raises
        ------
        UnknownIdError : it is gone, has not ended, or is not the owner's.
        """
        query = """
            UPDATE room SET expires = resumes, resumes = NULL, version = version + 1
            WHERE id = ? AND owner = ? AND resumes IS NOT NULL AND expires >= ?
        """
        with transaction(self._path) as db:
            _change_one(db, query, as_id(room_id), hashed(owner), self._clock.early())
        return self.find(room_id)

    def empty(self, room_id: str, owner: str, state: RoomState) -> Room:
        """Remove all phones and answers, and begin again in `state`, for another class; returns the room.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """

        def change(db: sqlite3.Connection) -> None:
            number = self._touch(db, room_id, owner)
            leave(db, number, "NOT is_gone")
            query = """
                UPDATE room SET step = '', is_open = 0, ends = 0, state = ?, takes_phones = 1, expires = ?
                WHERE number = ?
            """
            db.execute(query, (state.to_json(), self._clock.late() + ROOM_SECONDS, number))

        delete(self._path, change)
        return self.find(room_id)

    def remove(self, room_id: str) -> None:
        """Remove anyone's room: for the teacher."""
        delete(self._path, lambda db: _change_one(db, "DELETE FROM room WHERE id = ?", as_id(room_id)))


def _change_one(db: sqlite3.Connection, query: str, *values: str | int) -> None:
    """Change one row; UnknownIdError if there is none."""
    if db.execute(query, values).rowcount != 1:
        raise _gone()


def _room(row: Row) -> Room:
    room = Room(*row)
    is_kept = room.is_kept is not None
    return room._replace(
        code="" if is_kept else room.code,
        is_open=bool(room.is_open),
        state=read_room_state(str(room.state)),
        takes_phones=bool(room.takes_phones),
        is_kept=is_kept,
    )


def _answers(db: sqlite3.Connection, room_id: str, step: str) -> list[StudentAnswer]:
    query = f"""
        SELECT answer.number, answer.step, place, content, created, is_hidden FROM answer
        JOIN phone ON phone.room = answer.room AND phone.student = answer.student
        WHERE answer.room = ({_OF}) AND iif(? = '', answer.step NOT LIKE '%{_ASIDE}', answer.step = ?)
        ORDER BY answer.number
    """
    rows = db.execute(query, (as_id(room_id), step, step))
    return [StudentAnswer(*row)._replace(is_hidden=bool(row[-1])) for row in rows]


def _gone() -> UnknownIdError:
    return UnknownIdError("room.gone")


def _student(room_id: str, secret: str) -> str:
    """A hash that differs between rooms, so that nobody can be tracked from one to the next."""
    return hashed(f"{room_id}/{secret}")


def _free_code(db: sqlite3.Connection) -> str:
    while True:
        code = "".join(secrets.choice(LETTERS) for _ in range(_CODE_LENGTH))
        if db.execute("SELECT 1 FROM room WHERE code = ?", (code,)).fetchone() is None:
            return code


def _check_answers(db: sqlite3.Connection, room: int) -> None:
    """RoomLimitError if the room has no space for another answer."""
    if db.execute("SELECT count(*) FROM answer WHERE room = ?", (room,)).fetchone()[0] >= MAX_ANSWERS:
        raise RoomLimitError("room.full")

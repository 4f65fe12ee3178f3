"""Rooms of classes: opened, changed, used again, ended, resumed and kept by their lecturers."""

import hashlib
import secrets
import time

from app.classroom.store.phones import LETTERS, leave
from app.classroom.store.records import Room, RoomLimitError, RoomState, RoomUse, read_room_state
from app.server.store.database import Database, Row, Transaction
from app.server.store.schema import TEXT_SECONDS
from app.server.store.store import UnknownIdError
from app.server.store.table import StoreTable, as_id, hashed
from app.server.visitors import region


class Clock:
    """The wall clock now, and the wall clock at the start plus the time passed since.

    They differ if somebody has set the former. An expiry is set by the later one and checked against the earlier one:
    a clock that jumps, forward or back, may extend it but never shortens it.
    """

    def __init__(self) -> None:
        self._start = time.time() - _passed()

    def early(self) -> int:
        """The earlier time: what has expired by it has expired."""
        return int(min(time.time(), self._start + _passed()))

    def late(self) -> int:
        """The later time, for setting an expiry."""
        return int(max(time.time(), self._start + _passed()))


ROOM_SECONDS = 86_400
MAX_ROOMS, MAX_FROM_REGION, MAX_FROM_NETWORK, MAX_OWNED = 100, 40, 20, 4
# A room that no phone has joined since then gives up its place where there is none.
_IDLE_SECONDS = 3600
# How long a room that its lecturer has ended can be resumed.
RESUME_SECONDS = 60
_CODE_LENGTH = 4
COLUMNS = "id, code, language, step, is_open, ends, state, version, expires, takes_phones, kept_bytes"
_THERE = "expires >= ? AND resumes IS NULL"
OPEN = f"{_THERE} AND kept_bytes IS NULL"
_GOES_ON = "kept_bytes IS NULL AND resumes IS NULL"
# Answers that were cleared: those of the step with this at its end.
ASIDE = "~"
OF = "SELECT number FROM room WHERE id = ?"


class RoomTable(StoreTable):
    """Rooms, without what phones do in them."""

    def __init__(self, database: Database, max_bytes: int, owner_bytes: int) -> None:
        super().__init__(database, max_bytes, owner_bytes)
        self._clock = Clock()

    def open(self, owner: str, language: str, state: RoomState, network: str = "", has_password: bool = False) -> Room:
        """Begin a room.

        Parameters
        ----------
        network : where it is opened from; kept as a hash, as is its region, until the room is closed.
        has_password : the owner knows a password of the operator; networks do not matter, and places are twice as many.

        Raises
        ------
        RoomLimitError : the owner, the network, its region or the server has as many open as it may.
        """
        room_id, me = secrets.token_urlsafe(12), hashed(owner)
        around, place = hashed(f"region/{region(network)}"), hashed(f"network/{network}")
        with self._database.transaction() as db:
            query = f"""
                SELECT count(*), count(*) FILTER (WHERE network LIKE ?), count(*) FILTER (WHERE network LIKE ?),
                count(*) FILTER (WHERE owner = ?) FROM room WHERE {OPEN}
            """
            values = (f"%{place}", f"{around}%", me, self._clock.early())
            n_all, n_near, n_around, n_owned = db.execute(query, values).fetchone()
            if n_owned >= MAX_OWNED:
                raise RoomLimitError("room.owned", limit=MAX_OWNED)
            if n_near >= MAX_FROM_NETWORK and not has_password:
                raise RoomLimitError("room.network", limit=MAX_FROM_NETWORK)
            if n_around >= MAX_FROM_REGION and not has_password:
                raise RoomLimitError("room.network", limit=MAX_FROM_REGION)
            if n_all >= MAX_ROOMS * (1 + has_password) and not self._end_idle(db):
                raise RoomLimitError("room.all", limit=MAX_ROOMS)
            expires = self._clock.late() + ROOM_SECONDS
            query = """
                INSERT INTO room (id, code, owner, network, language, step, is_open, ends, state, version, expires)
                VALUES (?, ?, ?, ?, ?, '', 0, 0, ?, 1, ?)
            """
            db.execute(query, (room_id, _free_code(db), me, around + place, language, state.to_json(), expires))
        return self.find(room_id)

    def _end_idle(self, db: Transaction) -> bool:
        """End the oldest room that no phone has joined for an hour; whether there was one."""
        query = f"""
            DELETE FROM room WHERE number = (SELECT min(number) FROM room WHERE {OPEN} AND expires < ?
            AND NOT EXISTS (SELECT 1 FROM phone WHERE phone.room = room.number))
        """
        latest = self._clock.late() + ROOM_SECONDS - _IDLE_SECONDS
        return db.execute(query, (self._clock.early(), latest)).rowcount > 0

    def find(self, room_id: str) -> Room:
        """The room of that id.

        Raises
        ------
        UnknownIdError : there is none; it may have ended.
        """
        with self._database.reading() as db:
            return self._find(db, room_id)

    def _find(self, db: Transaction, room_id: str) -> Room:
        query = f"SELECT {COLUMNS} FROM room WHERE id = ? AND {_THERE}"
        row = db.execute(query, (as_id(room_id), self._clock.early())).fetchone()
        if row is None:
            raise gone()
        return as_room(row)

    def id_of(self, code: str) -> str:
        """The id of the room with that code.

        Raises
        ------
        UnknownIdError : there is none.
        """
        with self._database.reading() as db:
            query = f"SELECT id FROM room WHERE code = ? AND {OPEN}"
            row = db.execute(query, (as_id(code.upper()), self._clock.early())).fetchone()
        if row is None:
            raise UnknownIdError("room.no_code")
        return str(row[0])

    def owns(self, room_id: str, owner: str) -> bool:
        with self._database.reading() as db:
            query = f"SELECT 1 FROM room WHERE id = ? AND owner = ? AND {_THERE}"
            return db.execute(query, (as_id(room_id), hashed(owner), self._clock.early())).fetchone() is not None

    def owned(self, owner: str) -> list[Room]:
        query = f"SELECT {COLUMNS} FROM room WHERE owner = ? AND {_THERE} ORDER BY number DESC"
        with self._database.reading() as db:
            return [as_room(row) for row in db.execute(query, (hashed(owner), self._clock.early()))]

    def all(self) -> list[RoomUse]:
        """Everyone's rooms, newest first."""
        query = """
            SELECT id, CASE WHEN kept_bytes IS NULL THEN code ELSE '' END,
            (SELECT count(*) FROM phone WHERE phone.room = room.number AND is_gone = 0),
            (SELECT count(*) FROM answer WHERE answer.room = room.number), expires
            FROM room ORDER BY number DESC
        """
        with self._database.reading() as db:
            return [RoomUse(*row) for row in db.execute(query)]

    def change(self, room: Room, owner: str) -> Room:
        """Write language, step, is_open, ends and state as `room` says; returns it with its new version.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """
        with self._database.transaction() as db:
            number = self._write(db, room, owner)
            query = f"SELECT 1 FROM answer WHERE room = ? AND step LIKE '%{ASIDE}'"
            has_cleared = db.execute(query, (number,)).fetchone() is not None
        if has_cleared:  # nobody can bring them back any more
            self._database.delete(lambda db: self._forget_cleared(db, number))
        return self.find(room.id)

    def _forget_cleared(self, db: Transaction, number: int) -> None:
        db.execute(f"DELETE FROM answer WHERE room = ? AND step LIKE '%{ASIDE}'", (number,))

    def _write(self, db: Transaction, room: Room, owner: str) -> int:
        """Write the room; returns its number."""
        query = f"""
            UPDATE room SET language = ?, step = ?, is_open = ?, ends = ?, state = ?, version = version + 1
            WHERE id = ? AND owner = ? AND {_GOES_ON}
        """
        values = (room.language, room.step, int(room.is_open), room.ends, room.state.to_json())
        _change_one(db, query, *values, as_id(room.id), hashed(owner))
        return int(db.execute(OF, (as_id(room.id),)).fetchone()[0])

    def ask_again(self, room: Room, owner: str) -> Room:
        """As `change`, and clear the answers to the room's question, until its next change."""

        def clear(db: Transaction) -> None:
            number = self._write(db, room, owner)
            self._forget_cleared(db, number)
            query = f"UPDATE answer SET step = step || '{ASIDE}' WHERE room = ? AND step = ?"
            db.execute(query, (number, room.step))

        self._database.delete(clear)
        return self.find(room.id)

    def undo_ask_again(self, room: Room, owner: str) -> Room:
        """As `change`, and bring cleared answers back; what a phone has answered since then counts."""

        def restore(db: Transaction) -> None:
            number = self._write(db, room, owner)
            query = """
                UPDATE answer SET step = ? WHERE room = ? AND step = ?
                AND student NOT IN (SELECT student FROM answer WHERE room = ? AND step = ?)
            """
            db.execute(query, (room.step, number, room.step + ASIDE, number, room.step))
            self._forget_cleared(db, number)

        self._database.delete(restore)
        return self.find(room.id)

    def let_join(self, room_id: str, owner: str, takes_phones: bool) -> None:
        """Whether phones may join that are not in the room.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """
        query = f"UPDATE room SET takes_phones = ? WHERE id = ? AND owner = ? AND {_GOES_ON}"
        with self._database.transaction() as db:
            _change_one(db, query, int(takes_phones), as_id(room_id), hashed(owner))

    def _touch(self, db: Transaction, room_id: str, owner: str) -> int:
        query = f"UPDATE room SET version = version + 1 WHERE id = ? AND owner = ? AND {_GOES_ON}"
        _change_one(db, query, as_id(room_id), hashed(owner))
        return int(db.execute(OF, (as_id(room_id),)).fetchone()[0])

    def keep(self, room_id: str, owner: str) -> None:
        """Close the room and keep its answers as long as texts are kept. It has no code from then on.

        Raises
        ------
        FullError, OwnerFullError : the answers have no place.
        """
        with self._database.transaction() as db:
            room = self._touch(db, room_id, owner)
            contents = db.execute("SELECT content FROM answer WHERE room = ?", (room,))
            size = sum(len(content.encode()) for (content,) in contents)
            self._check_space(db, owner, size, size)
            query = """
                UPDATE room SET kept_bytes = ?, expires = ?, code = id, network = '', is_open = 0 WHERE number = ?
            """
            db.execute(query, (size, self._clock.late() + TEXT_SECONDS, room))

    def lecturer_key(self, room_id: str) -> str:
        """A secret of the room that its id does not reveal; empty if there is no such room."""
        with self._database.reading() as db:
            query = f"SELECT owner FROM room WHERE id = ? AND {_THERE}"
            row = db.execute(query, (as_id(room_id), self._clock.early())).fetchone()
        # The key is derived from the owner's hash, which cannot be derived from it.
        return "" if row is None else hashlib.blake2b(room_id.encode(), key=row[0].encode(), digest_size=16).hexdigest()

    def purge(self, grace_seconds: int = 0) -> None:
        """Remove rooms that expired at least `grace_seconds` ago, with all their answers."""
        over = self._clock.early() - grace_seconds

        def change(db: Transaction) -> None:
            db.execute("DELETE FROM room WHERE expires < ?", (over,))

        with self._database.reading() as db:
            is_any = db.execute("SELECT 1 FROM room WHERE expires < ?", (over,)).fetchone()
        if is_any:
            self._database.delete(change)

    def end(self, room_id: str, owner: str) -> None:
        """End a room of the owner's; it is removed with its answers unless it is resumed within a minute.

        Raises
        ------
        UnknownIdError : there is none, or it is not the owner's.
        """
        query = "UPDATE room SET resumes = expires, expires = ? WHERE id = ? AND owner = ? AND resumes IS NULL"
        with self._database.transaction() as db:
            _change_one(db, query, self._clock.late() + RESUME_SECONDS, as_id(room_id), hashed(owner))

    def resume(self, room_id: str, owner: str) -> Room:
        """Go on with a room that was ended, or closed and kept, within the last minute; the latter has a new code.

        Raises
        ------
        UnknownIdError : it is gone, goes on, or is not the owner's.
        """
        ended = """
            UPDATE room SET expires = resumes, resumes = NULL, version = version + 1
            WHERE id = ? AND owner = ? AND resumes IS NOT NULL AND expires >= ?
        """
        kept = """
            UPDATE room SET kept_bytes = NULL, code = ?, expires = ?, version = version + 1
            WHERE id = ? AND owner = ? AND resumes IS NULL AND kept_bytes IS NOT NULL AND expires >= ?
        """
        room, now = (as_id(room_id), hashed(owner)), self._clock.early()
        with self._database.transaction() as db:
            if not db.execute(ended, (*room, now)).rowcount:
                again, recent = self._clock.late() + ROOM_SECONDS, now + TEXT_SECONDS - RESUME_SECONDS
                _change_one(db, kept, _free_code(db), again, *room, recent)
        return self.find(room_id)

    def empty(self, room_id: str, owner: str, state: RoomState) -> Room:
        """Remove all phones and answers, and begin again in `state`, for another class; returns the room.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """

        def change(db: Transaction) -> None:
            number = self._touch(db, room_id, owner)
            leave(db, number, "is_gone = 0")
            query = """
                UPDATE room SET step = '', is_open = 0, ends = 0, state = ?, takes_phones = 1, expires = ?
                WHERE number = ?
            """
            db.execute(query, (state.to_json(), self._clock.late() + ROOM_SECONDS, number))

        self._database.delete(change)
        return self.find(room_id)

    def remove(self, room_id: str) -> None:
        self._database.delete(lambda db: _change_one(db, "DELETE FROM room WHERE id = ?", as_id(room_id)))


def _change_one(db: Transaction, query: str, *values: str | int) -> None:
    if db.execute(query, values).rowcount != 1:
        raise gone()


def as_room(row: Row) -> Room:
    """The room in a row of COLUMNS."""
    room = Room(*row)
    is_kept = room.is_kept is not None
    return room._replace(
        code="" if is_kept else room.code,
        is_open=bool(room.is_open),
        state=read_room_state(str(room.state)),
        takes_phones=bool(room.takes_phones),
        is_kept=is_kept,
    )


def gone() -> UnknownIdError:
    return UnknownIdError("room.gone")


def _free_code(db: Transaction) -> str:
    while True:
        code = "".join(secrets.choice(LETTERS) for _ in range(_CODE_LENGTH))
        if db.execute("SELECT 1 FROM room WHERE code = ?", (code,)).fetchone() is None:
            return code


def _passed() -> float:
    """Seconds since an arbitrary moment, monotonic; including sleep if the system counts it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()

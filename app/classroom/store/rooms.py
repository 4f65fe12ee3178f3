"""What phones do in the rooms of classes: join, answer and leave."""

import time

from app.classroom.store.phones import join, joined, leave, participants, participation_code, require_there
from app.classroom.store.records import (
    MAX_ANSWER,
    ClosedError,
    Joined,
    Room,
    RoomLimitError,
    StoredAnswer,
    StudentAnswer,
    Visit,
    read_room_state,
)
from app.classroom.store.room_table import ASIDE, COLUMNS, OF, OPEN, RoomTable, as_room, gone
from app.server.store.database import Database, Row, Together, Transaction
from app.server.store.table import as_id, hashed
from app.server.store.tables import Store

MAX_ANSWERS = 40_000
# Tolerance for an answer in transit when the time ran out.
_LATE_SECONDS = 2
_ALL_COLUMNS = ", ".join(f"room.{name}" for name in COLUMNS.split(", "))


class Rooms(RoomTable):
    """Classes with their phones and answers; what phones send at the same moment shares a transaction.

    Of a student nothing is kept but a hash of a secret that their phone made up.
    """

    def __init__(self, database: Database, max_bytes: int, owner_bytes: int) -> None:
        super().__init__(database, max_bytes, owner_bytes)
        self._together = Together(database)

    def visit(self, room_id: str, student: str) -> Visit:
        """What a phone finds; one that was never there joins.

        Raises
        ------
        JoiningClosedError : it was never there, and the room takes no more phones.
        RemovedError : it has left, or was removed.
        RoomLimitError : the room is full.
        UnknownIdError : there is no such room, or it is kept.
        """
        with self._database.reading() as db:
            found = self._seen(db, room_id, student)
            if found is None:
                self._find(db, room_id)  # so that no lock is taken if there is no such room
        return found or self._together.run(lambda db: self._join(db, room_id, student))

    def _join(self, db: Transaction, room_id: str, student: str) -> Visit:
        number, takes_phones = self._open_room(db, room_id, "takes_phones")
        join(db, number, _student(room_id, student), takes_phones)
        found = self._seen(db, room_id, student)
        if found is None:
            raise gone()
        return found

    def _seen(self, db: Transaction, room_id: str, student: str) -> Visit | None:
        """The view of a phone in the room; None if it is not in it, or there is no open room."""
        query = f"""
            SELECT {_ALL_COLUMNS}, is_gone, content FROM room
            JOIN phone ON phone.room = room.number AND phone.student = ?
            LEFT JOIN answer ON answer.room = room.number AND answer.step = room.step
            AND answer.student = phone.student WHERE room.id = ? AND {OPEN}
        """
        row = db.execute(query, (_student(room_id, student), as_id(room_id), self._clock.early())).fetchone()
        if row is None:
            return None
        *columns, is_gone, content = row
        require_there(is_gone)
        return Visit(as_room(tuple(columns)), content)

    def _open_room(self, db: Transaction, room_id: str, columns: str) -> Row:
        """Number and these columns of an open room."""
        query = f"SELECT number, {columns} FROM room WHERE id = ? AND {OPEN}"
        found = db.execute(query, (as_id(room_id), self._clock.early())).fetchone()
        if found is None:
            raise gone()
        return tuple(found)

    def answer(self, room_id: str, step: str, student: str, content: str, turn: int = 0) -> StoredAnswer:
        """Take an answer, in place of the phone's earlier one; returns what is kept.

        Parameters
        ----------
        turn : higher for what a phone sent later; what is sent again has the same one.

        Raises
        ------
        ClosedError : the room asks something else, or takes no more answers, and nothing is kept of this phone.
        JoiningClosedError, RemovedError, RoomLimitError, UnknownIdError : as for `visit`.
        """
        return self._together.run(lambda db: self._take(db, room_id, step, student, content[:MAX_ANSWER], turn))

    def _take(self, db: Transaction, room_id: str, step: str, student: str, content: str, turn: int) -> StoredAnswer:
        now, name = int(time.time()), _student(room_id, student)
        room, asked, is_open, ends, takes_phones = self._open_room(db, room_id, "step, is_open, ends, takes_phones")
        join(db, room, name, takes_phones)
        query = "SELECT content, turn FROM answer WHERE room = ? AND step = ? AND student = ?"
        kept = db.execute(query, (room, step, name)).fetchone()
        is_over = asked != step or not is_open or (ends and now > ends + _LATE_SECONDS)
        if kept is not None and (is_over or turn <= kept[1]):
            return StoredAnswer(str(kept[0]), is_taken=turn == kept[1])
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
        return StoredAnswer(content, is_taken=True)

    def withdraw(self, room_id: str, student: str) -> Room:
        """Remove all answers of a phone, which leaves the room; returns it.

        Raises
        ------
        UnknownIdError : there is no such room, or it is kept.
        """

        def change(db: Transaction) -> None:
            number, state = self._open_room(db, room_id, "state")
            is_asked = leave(db, number, "student = ?", _student(room_id, student))
            # Revealed answers have changed for everyone; otherwise nobody else needs to be notified.
            if is_asked and read_room_state(state).revealed:
                db.execute("UPDATE room SET version = version + 1 WHERE number = ?", (number,))

        self._database.delete(change)
        return self.find(room_id)

    def joined(self, room_id: str) -> list[Joined]:
        """When the phones in the room joined, earliest first."""
        with self._database.reading() as db:
            return joined(db, as_id(room_id))

    def participants(self, room_id: str) -> list[str]:
        with self._database.reading() as db:
            return participants(db, as_id(room_id))

    def participation_code(self, room_id: str, student: str) -> str:
        return participation_code(_student(room_id, student))

    def remove_phones(self, room_id: str, owner: str, first: int, last: int) -> Room:
        """Remove phones that joined between these seconds, with all their answers; returns the room.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """

        def change(db: Transaction) -> None:
            number = self._touch(db, room_id, owner)
            leave(db, number, "joined BETWEEN ? AND ?", first, last)

        self._database.delete(change)
        return self.find(room_id)

    def own_answer(self, room_id: str, step: str, student: str, turn: int = 0) -> StoredAnswer | None:
        query = f"SELECT content, turn FROM answer WHERE room = ({OF}) AND step = ? AND student = ?"
        with self._database.reading() as db:
            row = db.execute(query, (as_id(room_id), step, _student(room_id, student))).fetchone()
        return None if row is None else StoredAnswer(str(row[0]), is_taken=turn == row[1])

    def answers(self, room_id: str, step: str = "") -> list[StudentAnswer]:
        with self._database.reading() as db:
            return _answers(db, room_id, step)

    def snapshot(self, room_id: str) -> tuple[Room, list[StudentAnswer]]:
        """The room and the answers to its current question, as of the same moment."""
        with self._database.reading() as db:
            room = self._find(db, room_id)
            return room, _answers(db, room_id, room.step)

    def n_answers(self, room_id: str, step: str) -> int:
        with self._database.reading() as db:
            query = f"SELECT count(*) FROM answer WHERE room = ({OF}) AND step = ?"
            return int(db.execute(query, (as_id(room_id), step)).fetchone()[0])

    def hide(self, room_id: str, owner: str, number: int, is_hidden: bool = True) -> None:
        """Hide an answer, or show it again; phones are notified."""
        with self._database.transaction() as db:
            room = self._touch(db, room_id, owner)
            query = "UPDATE answer SET is_hidden = ? WHERE number = ? AND room = ?"
            db.execute(query, (int(is_hidden), number, room))


def rooms_of(store: Store) -> Rooms:
    return store.table(Rooms)


def _answers(db: Transaction, room_id: str, step: str) -> list[StudentAnswer]:
    query = f"""
        SELECT answer.number, answer.step, place, content, created, is_hidden FROM answer
        JOIN phone ON phone.room = answer.room AND phone.student = answer.student
        WHERE answer.room = ({OF}) AND CASE WHEN ? = '' THEN answer.step NOT LIKE '%{ASIDE}' ELSE answer.step = ? END
        ORDER BY answer.number
    """
    rows = db.execute(query, (as_id(room_id), step, step))
    return [StudentAnswer(*row)._replace(is_hidden=bool(row[-1])) for row in rows]


def _student(room_id: str, secret: str) -> str:
    """A hash that differs between rooms, so that nobody can be tracked from one to the next."""
    return hashed(f"{room_id}/{secret}")


def _check_answers(db: Transaction, room: int) -> None:
    """RoomLimitError if the room has no space for another answer."""
    if db.execute("SELECT count(*) FROM answer WHERE room = ?", (room,)).fetchone()[0] >= MAX_ANSWERS:
        raise RoomLimitError("room.full")

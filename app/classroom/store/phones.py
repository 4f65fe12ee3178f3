"""Phones that have joined a room, each stored as a hash of the secret it made up, salted with the room."""

import hashlib
import time

from app.classroom.store.records import Joined, JoiningClosedError, RemovedError, RoomLimitError
from app.server.store.database import Transaction

MAX_STUDENTS = 1500
# Without letters that are easily confused with others or with digits.
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
# Maximum number of removed phones remembered, as hashes, so that repeated floods do not fill the disk.
_MAX_GONE = 5000


def participation_code(student: str) -> str:
    """A phone's code for one room, from its hash there: for lists of who took part, without names."""
    number = int.from_bytes(hashlib.blake2b(student.encode(), digest_size=8, person=b"attendance").digest())
    letters = []
    for _ in range(8):
        number, place = divmod(number, len(LETTERS))
        letters.append(LETTERS[place])
    return f"{''.join(letters[:4])}-{''.join(letters[4:])}"


def participants(db: Transaction, room_id: str) -> list[str]:
    query = """
        SELECT DISTINCT answer.student FROM answer JOIN room ON room.number = answer.room WHERE room.id = ?
    """
    return sorted(participation_code(str(student)) for (student,) in db.execute(query, (room_id,)))


def join(db: Transaction, room: int, student: str, takes_phones: bool) -> None:
    """Add the phone unless it has already joined. Call it in a transaction.

    Raises
    ------
    JoiningClosedError, RemovedError, RoomLimitError : it may not be in the room.
    """
    found = db.execute("SELECT is_gone FROM phone WHERE room = ? AND student = ?", (room, student)).fetchone()
    if found is not None:
        require_there(found[0])
        return
    if not takes_phones:
        raise JoiningClosedError("room.joining_closed")
    query = "SELECT count(*) FILTER (WHERE is_gone = 0), coalesce(max(place), 0) FROM phone WHERE room = ?"
    n_there, last = db.execute(query, (room,)).fetchone()
    if n_there >= MAX_STUDENTS:
        raise RoomLimitError("room.full")
    query = "INSERT INTO phone (room, student, place, joined) VALUES (?, ?, ?, ?)"
    db.execute(query, (room, student, last + 1, int(time.time())))


def require_there(is_gone: int) -> None:
    """RemovedError for a phone that has left or was removed."""
    if is_gone:
        raise RemovedError("room.removed")


def leave(db: Transaction, room: int, condition: str, *values: str | int) -> bool:
    """Mark phones as gone and delete their answers; whether any was to the current question. In a transaction."""
    chosen = f"SELECT student FROM phone WHERE room = ? AND {condition}"
    query = f"""
        SELECT count(*) FROM answer JOIN room ON room.number = answer.room AND room.step = answer.step
        WHERE answer.room = ? AND student IN ({chosen})
    """
    is_asked = bool(db.execute(query, (room, room, *values)).fetchone()[0])
    db.execute(f"DELETE FROM answer WHERE room = ? AND student IN ({chosen})", (room, room, *values))
    db.execute(f"UPDATE phone SET is_gone = 1 WHERE room = ? AND {condition}", (room, *values))
    query = (
        "DELETE FROM phone WHERE room = ? AND is_gone = 1 AND place < (SELECT max(place) FROM phone WHERE room = ?) - ?"
    )
    db.execute(query, (room, room, _MAX_GONE))
    return is_asked


def joined(db: Transaction, room_id: str) -> list[Joined]:
    """When the phones in the room joined."""
    query = """
        SELECT joined, count(*), count(*) FILTER (WHERE EXISTS (
            SELECT 1 FROM answer WHERE answer.room = room.number AND answer.step = room.step
            AND answer.student = phone.student
        )) FROM phone JOIN room ON room.number = phone.room WHERE room.id = ? AND is_gone = 0
        GROUP BY joined ORDER BY joined
    """
    return [Joined(*row) for row in db.execute(query, (room_id,))]

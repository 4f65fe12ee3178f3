"""The store: all tables of one file."""

import hashlib
import sqlite3
import threading
import time
import zlib
from pathlib import Path
from typing import TypeVar

from app.server.store.sqlite.database import connection, delete, prepare, transaction
from app.server.store.sqlite.runs import SqliteRuns
from app.server.store.sqlite.schema import TEXT_SECONDS
from app.server.store.sqlite.table import StoreTable, as_id, hashed, stored_bytes
from app.server.store.store import MAX_TEXT_BYTES, LibraryError, SavedText, UnknownIdError

_BEGINNING = 60
T = TypeVar("T", bound=StoreTable)


class SqliteTexts(StoreTable):
    """Texts of links that are too long to be part of one."""

    def save(self, text: str, owner: str) -> str:
        """Save a text for a link; returns its id. The same text of the same owner keeps its id.

        Raises
        ------
        LibraryError : it is too long, or the library or the disk is full.
        """
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > MAX_TEXT_BYTES:
            raise LibraryError("library.text_too_long", megabytes=MAX_TEXT_BYTES / 1e6)
        # Derived from the owner's secret: as unguessable as that, and saving the same text twice stores it once.
        text_id = hashlib.blake2b(data, key=hashed(owner).encode()[:64], digest_size=12).hexdigest()
        packed = zlib.compress(data)
        with transaction(self._path) as db:
            now = int(time.time())
            db.execute("DELETE FROM text WHERE expires < ?", (now,))
            if db.execute("UPDATE text SET expires = ? WHERE id = ?", (now + TEXT_SECONDS, text_id)).rowcount == 0:
                self._check_space(db, owner, len(packed), len(packed))
                values = (text_id, hashed(owner), packed, now, now + TEXT_SECONDS)
                db.execute("INSERT INTO text (id, owner, content, created, expires) VALUES (?, ?, ?, ?, ?)", values)
        return text_id

    def find(self, text_id: str) -> str:
        """The text with this id.

        Raises
        ------
        UnknownIdError : there is none.
        LibraryError : the text was damaged on the disk.
        """
        with connection(self._path) as db:
            row = db.execute("SELECT content FROM text WHERE id = ?", (as_id(text_id),)).fetchone()
        if row is None:
            raise UnknownIdError("library.text_gone")
        try:
            return _unpacked(row[0], MAX_TEXT_BYTES)
        except (zlib.error, UnicodeDecodeError):
            raise LibraryError("library.text_damaged") from None

    def owned(self, owner: str) -> list[SavedText]:
        query = "SELECT id, content, length(content), created, expires FROM text WHERE owner = ? ORDER BY number DESC"
        with connection(self._path) as db:
            rows = db.execute(query, (hashed(owner),)).fetchall()
        return [SavedText(text_id, _beginning(content), *rest) for text_id, content, *rest in rows]

    def delete(self, text_id: str, owner: str) -> None:
        """Remove a text of the owner's; links to it stop working.

        Raises
        ------
        UnknownIdError : there is none, or it is not the owner's.
        """

        def change(db: sqlite3.Connection) -> None:
            query = "DELETE FROM text WHERE id = ? AND owner = ?"
            if db.execute(query, (as_id(text_id), hashed(owner))).rowcount == 0:
                raise UnknownIdError("library.text_gone")

        delete(self._path, change)

    def count(self) -> int:
        with connection(self._path) as db:
            return int(db.execute("SELECT count(*) FROM text").fetchone()[0])


class SqliteStore:
    """A store in a folder. Whatever fails is a LibraryError.

    Parameters
    ----------
    folder : created if missing.
    max_bytes : limit on models, texts and kept rooms together.
    owner_bytes : limit on those of one owner; by default the same.

    Attributes
    ----------
    set_aside : where the damaged store lies that was found at the opening; empty where there was none.
    salvaged : what could be read of that one and is in this one: how many of each `run`, `text`, `room` and `answer`.

    Raises
    ------
    LibraryError : it is not writable, or belongs to another program or a newer version.
    """

    def __init__(self, folder: Path, max_bytes: int = 2 << 30, owner_bytes: int | None = None) -> None:
        self.folder = folder
        self._path, self.set_aside, self.salvaged = prepare(folder)
        self._max_bytes, self._owner_bytes = max_bytes, owner_bytes or max_bytes
        self._tables: dict[type[StoreTable], StoreTable] = {}
        self._lock = threading.Lock()
        self.runs, self.texts = self.table(SqliteRuns), self.table(SqliteTexts)

    def table(self, kind: type[T]) -> T:
        """The table of that kind in this file: a feature has its own. At every call the same object."""
        with self._lock:
            if kind not in self._tables:
                self._tables[kind] = kind(self._path, self._max_bytes, self._owner_bytes)
            table = self._tables[kind]
        assert isinstance(table, kind)
        return table

    def size(self) -> int:
        with connection(self._path) as db:
            return stored_bytes(db)

    def remove_all(self) -> None:
        """Remove every run, text and room: for the teacher."""

        def change(db: sqlite3.Connection) -> None:
            for table in ("run", "model", "corpus", "text", "answer", "phone", "room"):
                db.execute(f"DELETE FROM {table}")

        delete(self._path, change)


def _unpacked(content: bytes, limit: int, errors: str = "surrogatepass") -> str:
    return zlib.decompressobj().decompress(content, limit).decode("utf-8", errors)


def _beginning(content: bytes) -> str:
    """The first characters of a compressed text, on one line; empty if it is damaged on disk."""
    try:
        text = _unpacked(content, 4 * _BEGINNING, "ignore")  # truncation may split a character
    except zlib.error:
        return ""
    return " ".join(text.split())[:_BEGINNING].rstrip()

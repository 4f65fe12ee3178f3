"""The store: all tables of one file."""

import sqlite3
from pathlib import Path

from app.server.store.sqlite.database import connection, delete, prepare
from app.server.store.sqlite.rooms import SqliteRooms
from app.server.store.sqlite.runs import SqliteRuns
from app.server.store.sqlite.table import stored_bytes
from app.server.store.sqlite.texts import SqliteTexts


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
        self.runs = SqliteRuns(self._path, max_bytes, owner_bytes or max_bytes)
        self.texts = SqliteTexts(self._path, max_bytes, owner_bytes or max_bytes)
        self.rooms = SqliteRooms(self._path, max_bytes, owner_bytes or max_bytes)

    def size(self) -> int:
        with connection(self._path) as db:
            return stored_bytes(db)

    def remove_all(self) -> None:
        """Remove every run, text and room: for the teacher."""

        def change(db: sqlite3.Connection) -> None:
            for table in ("run", "model", "corpus", "text", "answer", "phone", "room"):
                db.execute(f"DELETE FROM {table}")

        delete(self._path, change)

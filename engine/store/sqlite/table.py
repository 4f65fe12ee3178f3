"""What the tables have in common: the file, its limit, and how owners and ids stand in it."""

import hashlib
import sqlite3
from pathlib import Path

from engine.store.sqlite.database import connection
from engine.store.store import FullError


class Table:
    """A table of the file at `path`; models and texts together may take `max_bytes`."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self._path, self._max_bytes = path, max_bytes

    def _check_space(self, db: sqlite3.Connection, size: int) -> None:
        if stored_bytes(db) + size > self._max_bytes:
            raise FullError(self._max_bytes)


def stored_bytes(db: sqlite3.Connection) -> int:
    """Bytes that models and texts take."""
    models = db.execute("SELECT coalesce(sum(size), 0) FROM model").fetchone()[0]
    texts = db.execute("SELECT coalesce(sum(length(content)), 0) FROM text").fetchone()[0]
    return int(models + texts)


def shrink(path: Path) -> None:
    """Give the pages of what was removed back to the disk."""
    with connection(path) as db:
        # As a script: execute() would stop behind the first page.
        db.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")


def as_id(text: str) -> str:
    """`text` as it can be asked for: an id is ASCII, and half a surrogate pair is none at all."""
    return text if text.isascii() else ""


def hashed(owner: str) -> str:
    """What the file keeps of an owner's secret. It comes from the browser: it may be anything."""
    return hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()

"""What the tables have in common: the file, its limit, and how owners and ids stand in it."""

import hashlib
import sqlite3
from pathlib import Path

from engine.store.store import FullError, OwnerFullError


class Table:
    """A table of the file at `path`; all models and texts may take `max_bytes`, those of an owner `owner_bytes`."""

    def __init__(self, path: Path, max_bytes: int, owner_bytes: int) -> None:
        self._path, self._max_bytes, self._owner_bytes = path, max_bytes, owner_bytes

    def _check_space(self, db: sqlite3.Connection, owner: str, size: int, is_new: bool = True) -> None:
        """FullError where so many bytes are too many; those of a model that others have saved count for its owner."""
        if owned_bytes(db, owner) + size > self._owner_bytes:
            raise OwnerFullError(self._owner_bytes)
        if is_new and stored_bytes(db) + size > self._max_bytes:
            raise FullError(self._max_bytes)


def owned_bytes(db: sqlite3.Connection, owner: str) -> int:
    """Bytes of an owner's models, equal ones once, and texts."""
    query = "SELECT coalesce(sum(size), 0) FROM model WHERE sha256 IN (SELECT sha256 FROM run WHERE owner = ?)"
    models = db.execute(query, (hashed(owner),)).fetchone()[0]
    query = "SELECT coalesce(sum(length(content)), 0) FROM text WHERE owner = ?"
    return int(models + db.execute(query, (hashed(owner),)).fetchone()[0])


def stored_bytes(db: sqlite3.Connection) -> int:
    """Bytes that models and texts take."""
    models = db.execute("SELECT coalesce(sum(size), 0) FROM model").fetchone()[0]
    texts = db.execute("SELECT coalesce(sum(length(content)), 0) FROM text").fetchone()[0]
    return int(models + texts)


def as_id(text: str) -> str:
    """`text` as it can be asked for: an id is ASCII, and half a surrogate pair is none at all."""
    return text if text.isascii() else ""


def hashed(owner: str) -> str:
    """What the file keeps of an owner's secret. It comes from the browser: it may be anything."""
    return hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()

"""Shared by the tables: their database, its limits, and how owners and ids are stored."""

import hashlib

from app.server.store.database import Database, Transaction
from app.server.store.store import FullError, OwnerFullError


class StoreTable:
    """A table: models, texts and kept rooms together may take `max_bytes`, one owner's `owner_bytes`."""

    def __init__(self, database: Database, max_bytes: int, owner_bytes: int) -> None:
        self._database, self._max_bytes, self._owner_bytes = database, max_bytes, owner_bytes

    def _check_space(self, db: Transaction, owner: str, size: int, new_size: int) -> None:
        """FullError if `size` bytes exceed the owner's limit, or the `new_size` of them not yet stored the library's.

        LibraryError if they exceed the disk's.
        """
        if size and owned_bytes(db, owner) + size > self._owner_bytes:
            raise OwnerFullError("library.owner_full", megabytes=self._owner_bytes / 1e6)
        if new_size and stored_bytes(db) + new_size > self._max_bytes:
            raise FullError("library.full", megabytes=self._max_bytes / 1e6)
        self._database.require_space(new_size)


def owned_bytes(db: Transaction, owner: str) -> int:
    """Bytes of an owner's models and their texts (equal ones counted once), texts of links, and kept rooms."""
    query = """
        SELECT (SELECT coalesce(sum(size), 0) FROM model WHERE sha256 IN (SELECT sha256 FROM run WHERE owner = ?))
            + (SELECT coalesce(sum(size), 0) FROM corpus WHERE sha256 IN (SELECT corpus FROM run WHERE owner = ?))
            + (SELECT coalesce(sum(length(content)), 0) FROM text WHERE owner = ?)
            + (SELECT coalesce(sum(kept_bytes), 0) FROM room WHERE owner = ?)
    """
    return int(db.execute(query, 4 * (hashed(owner),)).fetchone()[0])


def stored_bytes(db: Transaction) -> int:
    """Bytes of models, texts and kept rooms."""
    query = """
        SELECT (SELECT coalesce(sum(size), 0) FROM model) + (SELECT coalesce(sum(size), 0) FROM corpus)
            + (SELECT coalesce(sum(length(content)), 0) FROM text) + (SELECT coalesce(sum(kept_bytes), 0) FROM room)
    """
    return int(db.execute(query).fetchone()[0])


def as_id(text: str) -> str:
    """`text` as a query parameter: an id is ASCII, and a lone surrogate could not be encoded."""
    return text if text.isascii() else ""


def hashed(owner: str) -> str:
    return hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()

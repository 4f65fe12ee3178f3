"""Texts behind an id, packed."""

import hashlib
import zlib

from engine.store.sqlite.database import connection, transaction
from engine.store.sqlite.table import Table, as_id, hashed
from engine.store.store import MAX_TEXT_BYTES, LibraryError, UnknownIdError


class SqliteTexts(Table):
    """Texts of links, see `engine.store.store.Texts`."""

    def save(self, text: str, owner: str) -> str:
        """Keep a text for a link; returns its id. The same text of the same owner keeps its id.

        Raises
        ------
        LibraryError : it is too long, or the library or the disk is full.
        """
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > MAX_TEXT_BYTES:
            raise LibraryError(
                "the text is longer than {megabytes:g} MB; links are for shorter texts",
                code="library.text_too_long",
                megabytes=MAX_TEXT_BYTES / 1e6,
            )
        # Derived from the owner's secret: as unguessable as that, and pressing the button twice stores nothing twice.
        text_id = hashlib.blake2b(data, key=hashed(owner).encode()[:64], digest_size=12).hexdigest()
        packed = zlib.compress(data)
        with transaction(self._path) as db:
            if db.execute("SELECT 1 FROM text WHERE id = ?", (text_id,)).fetchone() is None:
                self._check_space(db, len(packed))
                values = (text_id, hashed(owner), packed)
                db.execute("INSERT INTO text (id, owner, content) VALUES (?, ?, ?)", values)
        return text_id

    def find(self, text_id: str) -> str:
        """The text of that id.

        Raises
        ------
        UnknownIdError : there is none.
        """
        with connection(self._path) as db:
            row = db.execute("SELECT content FROM text WHERE id = ?", (as_id(text_id),)).fetchone()
        if row is None:
            raise UnknownIdError("the text of this link is no longer on the server", code="library.text_gone")
        try:
            return zlib.decompressobj().decompress(row[0], MAX_TEXT_BYTES).decode("utf-8", "surrogatepass")
        except (zlib.error, UnicodeDecodeError):
            raise LibraryError(
                "the text of this link was damaged on the disk; ask for a new link", code="library.text_damaged"
            ) from None

    def count(self) -> int:
        """How many texts are kept."""
        with connection(self._path) as db:
            return int(db.execute("SELECT count(*) FROM text").fetchone()[0])

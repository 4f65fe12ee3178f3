"""The store in a folder."""

from pathlib import Path

from app.server.store.sqlite.database import SqliteDatabase, prepare
from app.server.store.tables import Store


class SqliteStore(Store):
    """A store in a folder, which is created if missing.

    Raises
    ------
    LibraryError : it is not writable, or belongs to another program or a newer version.
    """

    def __init__(self, folder: Path, max_bytes: int = 2 << 30, owner_bytes: int | None = None) -> None:
        self.folder = folder
        path, self.set_aside, self.salvaged = prepare(folder)
        super().__init__(SqliteDatabase(path), max_bytes, owner_bytes)

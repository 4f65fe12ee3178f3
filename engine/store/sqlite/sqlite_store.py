"""All tables of one file."""

from pathlib import Path

from engine.store.sqlite.database import connection, prepare, transaction
from engine.store.sqlite.runs import SqliteRuns
from engine.store.sqlite.table import shrink, stored_bytes
from engine.store.sqlite.texts import SqliteTexts


class SqliteStore:
    """A store in a folder, see `engine.store.store.Store`.

    Parameters
    ----------
    folder : made if it is not there.
    max_bytes : most bytes that models and texts may take together.

    Raises
    ------
    LibraryError : it cannot be written, or belongs to another program or a newer version.
    """

    def __init__(self, folder: Path, max_bytes: int = 2 << 30) -> None:
        self.folder = folder
        self._path, self.set_aside = prepare(folder)
        self.runs = SqliteRuns(self._path, max_bytes)
        self.texts = SqliteTexts(self._path, max_bytes)

    def size(self) -> int:
        """Bytes that models and texts take."""
        with connection(self._path) as db:
            return stored_bytes(db)

    def remove_all(self) -> None:
        """Remove every run and every text: for the teacher."""
        with transaction(self._path) as db:
            for table in ("run", "model", "text"):
                db.execute(f"DELETE FROM {table}")
        shrink(self._path)

"""The version of a file, and bringing its tables up to date."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain

from app.server.store.schema import APPLICATION_ID, VERSION, migrations


def version_of(db: sqlite3.Connection) -> int:
    """Version of the tables in the file; 0 for a new file."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def is_foreign(db: sqlite3.Connection) -> bool:
    application = db.execute("PRAGMA application_id").fetchone()[0]
    n_tables = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    return application != APPLICATION_ID and n_tables > 0


def migrate(db: sqlite3.Connection, target: int = VERSION) -> None:
    """Bring the tables to this version, in one transaction: a process that dies in between changes nothing.

    If there is nothing to migrate, nothing is written, so that a library on a full disk can still be opened.
    """
    if version_of(db) >= target:
        return
    with committed(db):
        # Read inside the transaction: another process may have migrated while this one waited.
        if (version := version_of(db)) < target:
            for statement in chain.from_iterable(migrations(version, target)):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {target}")
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")


@contextmanager
def committed(db: sqlite3.Connection) -> Iterator[None]:
    """A transaction, rolled back by an error."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        # After some errors, such as a full disk, SQLite has already rolled back.
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise


def as_text(data: bytes) -> str:
    """How connections read texts: a bad sector may be in a name, and the run is still listed, and can be deleted."""
    return data.decode("utf-8", "backslashreplace")

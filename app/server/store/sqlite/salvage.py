"""Recover rows from a damaged file.

A damaged page loses the rows on it, and those whose values continue on it. SQLite finds the others by rowid, unless the
page is the first one of the file or of a table.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from app.server.store.database import Row
from app.server.store.schema import APPLICATION_ID, OLDEST, TABLES, VERSION
from app.server.store.sqlite.migration import as_text, version_of

# A table is given up after this many consecutive unreadable rowids: no single page of the tree covers more.
_MAX_GAP = 20_000
# Rows that are useless without the row they refer to.
_BELONGS = (
    ("run", "sha256 NOT IN (SELECT sha256 FROM model)"),
    ("model", "sha256 NOT IN (SELECT sha256 FROM run)"),
    ("corpus", "sha256 NOT IN (SELECT corpus FROM run WHERE corpus IS NOT NULL)"),
    ("answer", "room NOT IN (SELECT number FROM room)"),
    ("phone", "room NOT IN (SELECT number FROM room)"),
)


def damaged_version(path: Path) -> int:
    """Schema version of a damaged file of this program; 0 if unreadable."""
    # If the file is empty, SQLite would delete its log.
    with suppress(sqlite3.DatabaseError), closing(opened_at(path, "immutable=1")) as damaged:
        if damaged.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID:
            version = version_of(damaged)
            return version if OLDEST <= version <= VERSION else 0
    return 0


def copy_readable(path: Path, new: sqlite3.Connection) -> dict[str, int]:
    """Copy the readable rows of a damaged file, if their references are readable too, into empty tables of its version.

    Returns
    -------
    Number of rows copied, by table.
    """
    has_log = path.with_name(f"{path.name}-wal").exists()
    with closing(opened_at(path, "mode=ro" if has_log else "immutable=1")) as damaged:
        names = _names(new, "SELECT name FROM sqlite_schema WHERE type = 'table'")
        tables = [table for table in TABLES if table in names]
        for table in tables:
            columns = _names(new, f"SELECT name FROM pragma_table_info('{table}')")
            insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
            for row in _readable(damaged, f"SELECT rowid, {', '.join(columns)} FROM {table}", _last(damaged)):
                with suppress(sqlite3.IntegrityError):  # garbage
                    new.execute(insert, row)
    if "corpus" in tables:
        new.execute("UPDATE run SET corpus = NULL WHERE corpus NOT IN (SELECT sha256 FROM corpus)")
    for table, condition in _BELONGS:
        if table in tables:
            new.execute(f"DELETE FROM {table} WHERE {condition}")
    return {table: new.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables}


def opened_at(path: Path, mode: str) -> sqlite3.Connection:
    """A connection in a mode of SQLite's addresses: with `mode=ro` and `immutable=1` not a byte of the file changes."""
    db = sqlite3.connect(f"file:{quote(str(path))}?{mode}", uri=True)
    db.text_factory = as_text
    return db


def _names(db: sqlite3.Connection, query: str) -> list[str]:
    return [name for (name,) in db.execute(query)]


def _last(damaged: sqlite3.Connection) -> float:
    """An upper bound on the rowids of all tables: models are saved with runs."""
    with suppress(sqlite3.DatabaseError):
        return damaged.execute("SELECT max(seq) FROM sqlite_sequence").fetchone()[0] or 0
    return float("inf")


def _readable(damaged: sqlite3.Connection, query: str, end: float) -> Iterator[Row]:
    """Rows in the order of their numbers, without those that cannot be read."""
    last = n_failed = 0
    while last < end and n_failed < _MAX_GAP:
        try:
            for number, *row in damaged.execute(f"{query} WHERE rowid > ? ORDER BY rowid", (last,)):
                if number <= last:
                    break  # garbage, skipped
                last, n_failed = number, 0
                yield tuple(row)
            else:
                return
        except sqlite3.DatabaseError:
            pass
        last, n_failed = last + 1, n_failed + 1

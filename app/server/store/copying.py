"""Copying a library from one database into another: into PostgreSQL when a server grows, or back."""

from app.server.store.database import Database, Transaction
from app.server.store.schema import TABLES
from app.server.store.store import LibraryError

# A model has megabytes.
_ROWS = 16


def copy_library(source: Database, target: Database) -> dict[str, int]:
    """Copy every row, with its number, into empty tables, in one transaction; returns how many, by table.

    Raises
    ------
    LibraryError : there is something in the target already, or one of the two fails; nothing was copied.
    """
    with source.reading() as old, target.transaction() as new:
        for table in TABLES:
            if new.execute(f"SELECT 1 FROM {table}").fetchone() is not None:
                raise LibraryError("library.not_empty")
        copied = {table: _copy(old, new, table) for table in TABLES}
        target.follow_numbers(new)
    return copied


def _copy(old: Transaction, new: Transaction, table: str) -> int:
    """Copy the rows in the order of their first column, which is unique; returns how many."""
    first = old.execute(f"SELECT * FROM {table} WHERE false")
    columns = [column[0] for column in first.description]
    names, places = ", ".join(columns), ", ".join("?" * len(columns))
    n_rows, query, values = 0, f"SELECT {names} FROM {table}", list[object]()
    while rows := old.execute(f"{query} ORDER BY {columns[0]} LIMIT {_ROWS}", values).fetchall():
        for row in rows:
            new.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", row)
        n_rows += len(rows)
        query, values = f"SELECT {names} FROM {table} WHERE {columns[0]} > ?", [rows[-1][0]]
    return n_rows

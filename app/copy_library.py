"""`python -m app.copy_library FROM TO`: copy a library, each a folder or the address of a PostgreSQL database."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from app.server.store.database import Database, Transaction
from app.server.store.opening import as_place, open_store
from app.server.store.schema import TABLES
from app.server.store.sqlite.database import FILE
from app.server.store.store import LibraryError
from engine.errors import InputError
from engine.messages import locale_language

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Copy, and print how many rows there are of each kind. Returns an exit code."""
    parser = argparse.ArgumentParser(prog="python -m app.copy_library", description=__doc__)
    parser.add_argument("source", metavar="FROM", help="of a library that nobody uses meanwhile; it is not changed")
    parser.add_argument("target", metavar="TO", help="where there is no library yet, or an empty one")
    given = parser.parse_args(arguments)
    source, target = (as_place(place) for place in (given.source, given.target))
    try:
        if isinstance(source, Path) and not (source / FILE).exists():
            raise LibraryError("library.missing", folder=source)
        copied = copy_library(*(open_store(place).database for place in (source, target)))
    except InputError as error:
        sys.stderr.write(f"{error.text(locale_language())}\n")
        return 2
    sys.stdout.write("".join(f"{table} {n_rows}\n" for table, n_rows in copied.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`python -m app.copy_library FROM TO`: copy a library, each a folder or the address of a PostgreSQL database."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from app.server.store.opening import as_place, open_store
from app.server.store.sqlite.database import FILE
from app.server.store.store import LibraryError
from app.server.store.tables import copy_library
from engine.errors import InputError
from engine.messages import locale_language


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

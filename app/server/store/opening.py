"""Where the store is, and opening it: the only module that knows both databases."""

from collections.abc import Mapping
from pathlib import Path

from app.server.limits import PREFIX
from app.server.store.sqlite.database import SqliteDatabase, check_file, prepare
from app.server.store.store import LibraryError
from app.server.store.tables import Store
from engine.machine.folders import data_folder

LIBRARY_VARIABLE = f"{PREFIX}LIBRARY"
_OFF = "off"
_SERVERS = ("postgresql://", "postgres://")


class SqliteStore(Store):
    """A store in a folder, which is created if missing.

    Raises
    ------
    LibraryError : it is not writable, belongs to another program, or is of a version that does not fit.
    """

    def __init__(self, folder: Path, max_bytes: int = 2 << 30, owner_bytes: int | None = None) -> None:
        self.folder = folder
        path, self.set_aside, self.salvaged = prepare(folder)
        super().__init__(SqliteDatabase(path), max_bytes, owner_bytes)


def library_place(environment: Mapping[str, str]) -> Path | str | None:
    """The folder, or the address of the database, named by the environment, else the default data folder; or None."""
    named = environment.get(LIBRARY_VARIABLE, "").strip()
    if named.lower() == _OFF:
        return None
    return as_place(named) if named else data_folder()


def is_on_server(environment: Mapping[str, str]) -> bool:
    """Whether it names a database server, by which processes hear of each other."""
    return isinstance(library_place(environment), str)


def as_place(named: str) -> Path | str:
    return named if "://" in named else Path(named).expanduser()


def open_store(place: Path | str, max_bytes: int = 2 << 30, owner_bytes: int | None = None) -> Store:
    """The store at that place; a folder is created if missing.

    Raises
    ------
    LibraryError : it cannot be used, is another program's, or of a version that does not fit.
    """
    if isinstance(place, Path):
        return SqliteStore(place, max_bytes, owner_bytes)
    if not place.startswith(_SERVERS):
        raise LibraryError("library.wrong_url")
    try:
        from app.server.store.postgresql.database import PostgresqlDatabase
    except ImportError:  # psycopg, which only those install who need it
        raise LibraryError("library.no_driver") from None
    return Store(PostgresqlDatabase(place), max_bytes, owner_bytes)


def check_library(environment: Mapping[str, str]) -> None:
    """Raise LibraryError if the environment names a database that cannot be used, or a library that does not fit."""
    place = library_place(environment)
    if isinstance(place, str):
        open_store(place).database.close()
    elif place is not None:
        check_file(place)

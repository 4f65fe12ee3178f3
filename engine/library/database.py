"""The file of the library: opening it, and saying what is wrong with it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import InputError
from engine.library.schema import VERSION, is_foreign, migrate, version_of

FILE = "library.sqlite"

# Another process may be writing a large model.
_BUSY_SECONDS = 10.0
_LARGEST_LOG = 16 << 20

_HEAD = b"SQLite format 3\0"
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space on it",
    sqlite3.SQLITE_IOERR: "the disk is full or does not work; free some space on it",
    sqlite3.SQLITE_READONLY: "its folder or file may not be written; change the permissions or choose another folder",
    sqlite3.SQLITE_CANTOPEN: "its folder or file may not be written; change the permissions or choose another folder",
    sqlite3.SQLITE_PERM: "its folder or file may not be written; change the permissions or choose another folder",
    sqlite3.SQLITE_BUSY: "another program is using it; try again in a moment",
    sqlite3.SQLITE_LOCKED: "another program is using it; try again in a moment",
    sqlite3.SQLITE_CORRUPT: "its file is damaged; restart the program, which sets the file aside and begins a new one",
    sqlite3.SQLITE_NOTADB: "its file is damaged; restart the program, which sets the file aside and begins a new one",
    sqlite3.SQLITE_TOOBIG: "the model is larger than the library can hold; save it as a file",
}


class LibraryError(InputError):
    """The library cannot do what was asked; nothing was changed. The message says why."""


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection as it comes: it changes no setting of the file and translates no error."""
    db = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        yield db
    finally:
        db.close()


@contextmanager
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for one piece of work; LibraryError for whatever SQLite reports.

    Nothing is begun: `BEGIN IMMEDIATE` is the caller's, and what is not committed at the end is rolled back.
    """
    try:
        with _opened(path) as db:
            _configure(db)
            yield db
    except sqlite3.Error as error:
        raise LibraryError(f"the library cannot be used: {_reason(error)}") from None


@contextmanager
def transaction(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection inside a transaction that is committed at the end, whole or not at all."""
    with connection(path) as db:
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
            db.execute("COMMIT")
        except BaseException:
            # After some errors, a full disk among them, SQLite has rolled back by itself.
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")
            raise


def prepare(folder: Path) -> tuple[Path, str]:
    """Open or begin the library in `folder`; returns its file, and where a damaged one was set aside, else "".

    Raises
    ------
    LibraryError : the folder cannot be written, the file is another program's or a newer version's.
    """
    path = folder / FILE
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(
            f"the library cannot be used: the folder {folder} cannot be made ({error.strerror or error})"
        ) from None
    set_aside = ""
    if path.exists() and _is_damaged(path):
        set_aside = str(_set_aside(path))
    if path.exists():
        _require_ours(path)
    with connection(path) as db:
        migrate(db)
    return path, set_aside


def _require_ours(path: Path) -> None:
    """LibraryError for another program's file or a newer version's, which stays as it is to the last byte."""
    try:
        with _opened(path) as db:
            foreign, newer = is_foreign(db), version_of(db) > VERSION
    except sqlite3.Error as error:
        raise LibraryError(f"the library cannot be used: {_reason(error)}") from None
    if foreign:
        raise LibraryError(f"{path} belongs to another program; choose another folder for the library")
    if newer:
        raise LibraryError(f"{path} was made by a newer version of this program; update, or choose another folder")


def _configure(db: sqlite3.Connection) -> None:
    # Pages of what was removed leave the file, and their content goes for good. The first is possible before there is a
    # table only, and later it would write: a library on a full disk could not even be read.
    if db.execute("PRAGMA page_count").fetchone()[0] == 0:
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
    db.execute("PRAGMA secure_delete = ON")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA foreign_keys = ON")
    db.execute(f"PRAGMA journal_size_limit = {_LARGEST_LOG}")


def _is_damaged(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(len(_HEAD))
    except OSError as error:
        raise LibraryError(f"the library cannot be read: {error.strerror or error}; check {path}") from None
    # SQLite would take a file that is cut off so early for a new one. An empty one is new.
    if head and head != _HEAD:
        return True
    try:
        with _opened(path) as db:
            return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except sqlite3.Error as error:
        if _code(error) in _DAMAGED:
            return True
        raise LibraryError(f"the library cannot be used: {_reason(error)}") from None


def _set_aside(path: Path) -> Path:
    number = 1
    while (target := path.with_name(f"library.damaged-{number}.sqlite")).exists():
        number += 1
    try:
        for suffix in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(target.with_name(target.name + suffix))
    except OSError as error:
        raise LibraryError(
            f"the library is damaged and cannot be set aside ({error.strerror or error}); move {path} away"
        ) from None
    return target


def _code(error: sqlite3.Error) -> int:
    """Primary result code; the module gives the extended one."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _reason(error: sqlite3.Error) -> str:
    return _REASONS.get(_code(error), str(error))

"""The library file: opening it, and explaining its errors."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path

from app.server.store.database import Change, Database, Transaction
from app.server.store.schema import require_fitting
from app.server.store.sqlite.migration import as_text, committed, is_foreign, migrate, version_of
from app.server.store.sqlite.salvage import copy_readable, damaged_version, opened_at
from app.server.store.store import LibraryError
from engine.machine.atomic_file import locked

_BYTES = 1 << 20


FILE = "library.sqlite"

# Another process may be writing a large model.
_BUSY_SECONDS = 10.0
_LARGEST_LOG = 16 << 20
# What waits in the log to be copied into the file must fit into the reserve, with what a deletion writes.
_PAGES_IN_LOG, _FIRST_STEP = 100, 6
# The main file goes last: if a start is killed before that, the next start sets it aside.
_SUFFIXES = ("-wal", "-shm", "")

_SMALLEST_PAGE = 512
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# Messages for SQLite's result codes.
REASONS = {
    sqlite3.SQLITE_FULL: "library.disk_full",
    sqlite3.SQLITE_IOERR: "library.disk_fails",
    sqlite3.SQLITE_READONLY: "library.not_writable",
    sqlite3.SQLITE_CANTOPEN: "library.not_writable",
    sqlite3.SQLITE_PERM: "library.not_writable",
    sqlite3.SQLITE_BUSY: "library.busy",
    sqlite3.SQLITE_LOCKED: "library.busy",
    sqlite3.SQLITE_CORRUPT: "library.damaged",
    sqlite3.SQLITE_NOTADB: "library.damaged",
    sqlite3.SQLITE_TOOBIG: "library.too_big",
}
_NO_SPACE = ("library.disk_full", "library.disk_fails")


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A raw connection: it changes no setting of the file and translates no error."""
    if not path.exists():
        with suppress(OSError):  # files that SQLite creates are readable to others; its logs get the rights of the file
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    db = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    db.text_factory = as_text
    try:
        yield db
    finally:
        db.close()


@contextmanager
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for one operation; LibraryError for any error of SQLite.

    It begins no transaction: `BEGIN IMMEDIATE` is up to the caller, and anything uncommitted is rolled back at the end.
    """
    try:
        with _opened(path) as db:
            is_empty = db.execute("PRAGMA page_count").fetchone()[0] == 0
            _configure(db, is_empty)
            if is_empty:  # new, or the file was removed while the server runs
                migrate(db)
            yield db
    except sqlite3.Error as error:
        raise _explained(error) from None


class SqliteDatabase(Database):
    """The file at `path`, opened anew for every transaction.

    Whoever writes holds a lock of its own until the log is copied, too: SQLite before 3.51.3 may lose what is committed
    while two other connections copy (https://sqlite.org/wal.html#walresetbug), which several processes do all the time.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, _lock(path)
        self._open: sqlite3.Connection | None = None

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        with connection(self._path) as db:
            db.execute("BEGIN")
            yield db

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        with locked(self._lock), connection(self._path) as db, committed(db):
            yield db

    def delete(self, change: Change[object]) -> None:
        """Pages are returned to the disk. On a full disk the reserve is used up."""
        with locked(self._lock):
            _also_on_a_full_disk(self._path, partial(_delete, self._path, change))
            with suppress(LibraryError):  # pages left in the file are reused
                _also_on_a_full_disk(self._path, partial(_return_pages, self._path))
            keep_reserve(self._path)

    def stay_open(self) -> None:
        """Without an open connection whoever closes the last one copies SQLite's log into the file, which takes longer
        than writing it.
        """
        with suppress(sqlite3.Error):  # who writes next says why
            if self._open is None:
                db = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
                db.execute("SELECT 1 FROM sqlite_schema").fetchall()
                self._open = db

    def close(self) -> None:
        if self._open is not None:
            with locked(self._lock):  # it may copy the log
                self._open.close()
            self._open = None

    def require_space(self, n_bytes: int) -> None:
        # First in the log, then in the file: what fits only once could not be moved on, nor the log removed.
        if shutil.disk_usage(self._path.parent).free < 2 * n_bytes:
            raise LibraryError("library.disk_full")


def _also_on_a_full_disk(path: Path, step: Callable[[str], None]) -> None:
    try:
        step("ON")
    except LibraryError as error:
        if error.code not in _NO_SPACE:
            raise
        give_back(path)
        # Overwriting deleted data would take as much space again.
        step("FAST")


def _delete(path: Path, change: Change[object], secure: str) -> None:
    with connection(path) as db:
        db.execute(f"PRAGMA secure_delete = {secure}")
        with committed(db):
            change(db)


def _return_pages(path: Path, secure: str) -> None:
    """Return free pages to the disk, in growing steps: each page takes another one in the log until a step is over."""
    with connection(path) as db:
        db.execute(f"PRAGMA secure_delete = {secure}")
        for power in range(_FIRST_STEP, 31):
            # As a script: execute() would stop after the first page. During a class nothing else empties the log.
            db.executescript(f"PRAGMA wal_checkpoint(TRUNCATE); PRAGMA incremental_vacuum({1 << power});")
            if not db.execute("PRAGMA freelist_count").fetchone()[0]:
                break
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def prepare(folder: Path) -> tuple[Path, str, dict[str, int]]:
    """Open or create the library in `folder`.

    Returns
    -------
    Its file; the path of a damaged one that was set aside, else ""; rows recovered from that, by table.

    Raises
    ------
    LibraryError : the folder is not writable, or the file is another program's or of a version that does not fit.
    """
    path = folder / FILE
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        detail = error.strerror or error
        raise LibraryError("library.no_folder", folder=folder, detail=detail) from None
    set_aside, salvaged = "", dict[str, int]()
    if _is_damaged(path):
        version = damaged_version(path)
        if version:
            salvaged = _copy_readable(path, version)
        set_aside = str(_set_aside(path))
        if version:
            _salvage(path).rename(path)
    elif not path.exists() and _salvage(path).exists():  # killed between the two
        _salvage(path).rename(path)
    if path.exists():
        _require_ours(path)
        _close(path)
    with locked(_lock(path)), connection(path) as db:  # others may serve the version before
        migrate(db)
    keep_reserve(path)
    return path, set_aside, salvaged


def _copy_readable(path: Path, version: int) -> dict[str, int]:
    """Create a new file from what can be read of a damaged one of that version, which stays unchanged."""
    new = _salvage(path)
    for suffix in _SUFFIXES:
        _beside(new, suffix).unlink(missing_ok=True)
    try:
        with _opened(new) as db:
            _configure(db, is_empty=True)
            migrate(db, version)
            with committed(db):
                copied = copy_readable(path, db)
            migrate(db)
        return copied
    except sqlite3.Error as error:
        raise _explained(error) from None


def _salvage(path: Path) -> Path:
    return path.with_name("library.salvaged.sqlite")


def _close(path: Path) -> None:
    """Make the files private: earlier versions left them readable to others."""
    for suffix in _SUFFIXES:
        with suppress(OSError):
            _beside(path, suffix).chmod(0o600)


def _require_ours(path: Path) -> None:
    """LibraryError for another program's file, or one of a version that does not fit; it is not changed."""
    try:
        with closing(_looked_at(path)) as db:
            if is_foreign(db):
                raise LibraryError("library.foreign", path=path)
            require_fitting(db, version_of(db), path)
    except sqlite3.Error as error:
        raise _explained(error) from None


def _looked_at(path: Path) -> sqlite3.Connection:
    """A connection that does not copy what a killed process left in the log."""
    return opened_at(path, "mode=ro" if _beside(path, "-wal").exists() else "mode=rw")


def check_file(folder: Path) -> None:
    """LibraryError if there is another program's library, or one of a version that does not fit.

    One that cannot be read is no reason to serve no pages.
    """
    try:
        _require_ours(folder / FILE)
    except LibraryError as error:
        if error.code not in REASONS.values() and error.code != "library.unusable":
            raise


def _configure(db: sqlite3.Connection, is_empty: bool) -> None:
    # Removed pages leave the file, and their content is overwritten. auto_vacuum can only be set before there is a
    # table; setting it later would write, and a library on a full disk could not even be read.
    if is_empty:
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
    db.execute("PRAGMA secure_delete = ON")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA foreign_keys = ON")
    db.execute(f"PRAGMA journal_size_limit = {_LARGEST_LOG}")
    db.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_IN_LOG}")


def _is_damaged(path: Path) -> bool:
    # Only SQLite may open the file: where a process closes it, POSIX takes all its locks away, also those of another
    # store in it, whose log others would then remove (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_).
    try:
        n_bytes, is_readable = path.stat().st_size, path.is_file() and os.access(path, os.R_OK)
    except FileNotFoundError:
        n_bytes, is_readable = 0, True
    except OSError:
        is_readable = False
    if not is_readable:
        raise LibraryError("library.unreadable", path=path)
    if not n_bytes:
        # A new one, unless a killed server left its log: SQLite would delete that.
        return any(log.stat().st_size for log in (_beside(path, "-wal"),) if log.exists())
    # SQLite would take a file of one byte for a new one.
    if n_bytes < _SMALLEST_PAGE:
        return True
    try:
        with closing(_looked_at(path)) as db:
            return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except sqlite3.Error as error:
        if _code(error) in _DAMAGED:
            return True
        raise _explained(error) from None


def _set_aside(path: Path) -> Path:
    number = 1
    while any(_beside(_aside(path, number), suffix).exists() for suffix in _SUFFIXES):
        number += 1
    target = _aside(path, number)
    try:
        for suffix in _SUFFIXES:
            with suppress(FileNotFoundError):
                _beside(path, suffix).rename(_beside(target, suffix))
    except OSError as error:
        detail = error.strerror or error
        raise LibraryError("library.stuck", path=path, detail=detail) from None
    return target


def _lock(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _aside(path: Path, number: int) -> Path:
    return path.with_name(f"library.damaged-{number}.sqlite")


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _code(error: sqlite3.Error) -> int:
    """Primary result code; sqlite3 gives the extended one."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _explained(error: sqlite3.Error) -> LibraryError:
    if _code(error) in REASONS:
        return LibraryError(REASONS[_code(error)])
    # The message may quote user input.
    detail = getattr(error, "sqlite_errorname", type(error).__name__)
    return LibraryError("library.unusable", detail=detail)


def keep_reserve(path: Path) -> None:
    """Reserve the space unless it is already; a full disk has no reserve.

    Parameters
    ----------
    path : of the library.
    """
    reserve = _file(path)
    with suppress(OSError):
        if reserve.exists() and reserve.stat().st_size >= _BYTES:
            return
        try:
            descriptor = os.open(reserve, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(os.urandom(_BYTES))  # zeros might take no space
        except OSError:
            reserve.unlink(missing_ok=True)


def give_back(path: Path) -> bool:
    """Release the space; whether there was any."""
    try:
        _file(path).unlink()
    except OSError:
        return False
    return True


def _file(path: Path) -> Path:
    return path.with_name(f"{path.name}.reserve")

"""The store: runs and the models they share, texts of links, and all other tables of one database."""

import hashlib
import json
import secrets
import threading
import time
import zlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from app.server.store.database import Database, Row, Transaction
from app.server.store.schema import SESSION_SECONDS, TABLES, TEXT_SECONDS
from app.server.store.store import MAX_NAME, MAX_TEXT_BYTES, LibraryError, NewRun, Run, SavedText, UnknownIdError
from app.server.store.table import StoreTable, as_id, hashed, stored_bytes

_BEGINNING = 60
_COPIED_AT_ONCE = 16  # rows: a model has megabytes
T = TypeVar("T", bound=StoreTable)
_COLUMNS = (
    "id, name, corpus_id, corpus_name, corpus_fingerprint, settings, rounds, run.sha256, model.size, created, "
    "coalesce(corpus.size, 0)"
)
_TABLES = "run JOIN model ON model.sha256 = run.sha256 LEFT JOIN corpus ON corpus.sha256 = run.corpus"

J = TypeVar("J", dict[str, object], list[dict[str, object]])


class _Part(NamedTuple):
    """Data shared by equal runs: a row of the table `model` or `corpus`, and the column of `run` that refers to it."""

    table: str
    column: str
    content: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


class Runs(StoreTable):
    """Saved models with what they were trained on. Equal ones are stored once."""

    def save(self, run: NewRun, owner: str) -> str:
        """Save a run; returns its id. On return the run is on disk.

        Raises
        ------
        LibraryError : the name is empty or too long, the library or the disk is full; nothing was saved.
        """
        name, run_id = _checked_name(run.name), secrets.token_urlsafe(16)
        model = _Part("model", "sha256", run.model)
        corpus = None if run.corpus is None else _Part("corpus", "corpus", _packed(run.corpus))
        with self._database.transaction() as db:
            self._add_parts(db, owner, [part for part in (model, corpus) if part])
            db.execute(
                "INSERT INTO run (id, owner, name, corpus_id, corpus_name, corpus_fingerprint, settings, rounds, "
                "sha256, created, corpus) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    run_id,
                    hashed(owner),
                    name,
                    _cleaned(run.corpus_id),
                    _cleaned(run.corpus_name)[:MAX_NAME],
                    _cleaned(run.corpus_fingerprint),
                    json.dumps(run.settings),
                    json.dumps(run.rounds),
                    model.sha256,
                    int(time.time()),
                    corpus and corpus.sha256,
                ),
            )
        return run_id

    def _add_parts(self, db: Transaction, owner: str, parts: Sequence[_Part]) -> None:
        """Store those that are not stored yet; FullError if there is no space."""
        new = [part for part in parts if not _finds(db, f"{part.table} WHERE sha256 = ?", part.sha256)]
        not_owned = [
            part
            for part in parts
            if not _finds(db, f"run WHERE {part.column} = ? AND owner = ?", part.sha256, hashed(owner))
        ]
        self._check_space(db, owner, *(sum(len(part.content) for part in each) for each in (not_owned, new)))
        for part in new:
            values = (part.sha256, len(part.content), part.content)
            db.execute(f"INSERT INTO {part.table} (sha256, size, content) VALUES (?, ?, ?)", values)

    def find(self, run_id: str) -> Run:
        """The run with this id, whoever owns it.

        Raises
        ------
        UnknownIdError : there is none.
        """
        return _run(self._row(_COLUMNS, run_id))

    def model(self, run_id: str) -> bytes:
        """Content of the run's model file.

        Raises
        ------
        UnknownIdError : there is no such run.
        LibraryError : the model is damaged on disk.
        """
        sha256, content = self._row("model.sha256, model.content", run_id)
        if hashlib.sha256(content).hexdigest() != sha256:
            raise LibraryError("library.model_damaged")
        return bytes(content)

    def corpus(self, run_id: str) -> str | None:
        """The run's training text; None if it was not saved.

        Raises
        ------
        UnknownIdError : there is no such run.
        LibraryError : the text is damaged on disk.
        """
        sha256, content = self._row("corpus.sha256, corpus.content", run_id)
        if sha256 is None:
            return None
        if hashlib.sha256(content).hexdigest() != sha256:
            raise LibraryError("library.corpus_damaged")
        return zlib.decompress(content).decode("utf-8", "surrogatepass")

    def owned(self, owner: str) -> list[Run]:
        return self._list("WHERE owner = ?", (hashed(owner),))

    def all(self) -> list[Run]:
        return self._list("", ())

    def owns(self, run_id: str, owner: str) -> bool:
        with self._database.reading() as db:
            query = "SELECT 1 FROM run WHERE id = ? AND owner = ?"
            return db.execute(query, (as_id(run_id), hashed(owner))).fetchone() is not None

    def rename(self, run_id: str, owner: str, name: str) -> None:
        name = _checked_name(name)
        with self._database.transaction() as db:
            query = "UPDATE run SET name = ? WHERE id = ? AND owner = ?"
            _require_one(db.execute(query, (name, as_id(run_id), hashed(owner))).rowcount)

    def delete(self, run_id: str, owner: str) -> None:
        self._delete("DELETE FROM run WHERE id = ? AND owner = ?", as_id(run_id), hashed(owner))

    def remove(self, run_id: str) -> None:
        self._delete("DELETE FROM run WHERE id = ?", as_id(run_id))

    def _delete(self, query: str, *values: str) -> None:
        def change(db: Transaction) -> None:
            _require_one(db.execute(query, values).rowcount)
            _remove_unused_parts(db)

        self._database.delete(change)

    def _row(self, columns: str, run_id: str) -> Row:
        """Columns of a run and its model, in one look: it may be deleted between two."""
        with self._database.reading() as db:
            query = f"SELECT {columns} FROM {_TABLES} WHERE id = ?"
            row = db.execute(query, (as_id(run_id),)).fetchone()
        if row is None:
            raise UnknownIdError("library.run_gone")
        return tuple(row)

    def _list(self, where: str, values: tuple[str, ...]) -> list[Run]:
        query = f"SELECT {_COLUMNS} FROM {_TABLES} {where} ORDER BY number DESC"
        with self._database.reading() as db:
            return [_run(row) for row in db.execute(query, values)]


def _run(row: Row) -> Run:
    return Run(*row)._replace(settings=_parsed(row[5], dict), rounds=_parsed(row[6], list))


def _checked_name(name: str) -> str:
    name = _cleaned(name)
    if not name or len(name) > MAX_NAME:
        raise LibraryError("library.name", limit=MAX_NAME, length=len(name))
    return name


def _cleaned(name: str) -> str:
    """`name` on one line, without unprintable characters."""
    return " ".join("".join(c if c.isprintable() and c != "\ufffd" else " " for c in name).split())


def _require_one(n_rows: int) -> None:
    if n_rows != 1:
        raise UnknownIdError("library.not_yours")


def _parsed(text: str, kind: type[J]) -> J:
    """What `text` says in JSON; empty where it was damaged on the disk: the model has a hash of its own."""
    try:
        value = json.loads(text)
    except ValueError:
        return kind()
    return value if isinstance(value, kind) else kind()


def _finds(db: Transaction, rows: str, *values: str) -> bool:
    return db.execute(f"SELECT 1 FROM {rows}", values).fetchone() is not None


def _packed(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def _remove_unused_parts(db: Transaction) -> None:
    db.execute("DELETE FROM model WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.sha256 = model.sha256)")
    db.execute("DELETE FROM corpus WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.corpus = corpus.sha256)")


class Texts(StoreTable):
    """Texts of links that are too long to be part of one; and a session's own, in case its process dies."""

    def save(self, text: str, owner: str) -> str:
        """Save a text for a link; returns its id. The same text of the same owner keeps its id.

        Raises
        ------
        LibraryError : it is too long, or the library or the disk is full.
        """
        text_id = _text_id(text, owner)
        self._store(text_id, text, owner, TEXT_SECONDS)
        return text_id

    def save_for_session(self, name: str, text: str, owner: str) -> None:
        """Save a session's text for an hour from now, in which its owner finds it by the name.

        Raises
        ------
        LibraryError : it is too long, or the library or the disk is full.
        """
        self._store(_text_id(name, owner, b"session"), text, owner, SESSION_SECONDS)

    def find_for_session(self, name: str, owner: str) -> str:
        """The session's text of this name; errors as of `find`."""
        return self.find(_text_id(name, owner, b"session"))

    def delete_for_session(self, name: str, owner: str) -> None:
        """Remove the session's text of this name; errors as of `delete`."""
        self.delete(_text_id(name, owner, b"session"), owner)

    def _store(self, text_id: str, text: str, owner: str, seconds: int) -> None:
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > MAX_TEXT_BYTES:
            raise LibraryError("library.text_too_long", megabytes=MAX_TEXT_BYTES / 1e6)
        packed = zlib.compress(data)
        with self._database.transaction() as db:
            now = int(time.time())
            db.execute("DELETE FROM text WHERE expires < ?", (now,))
            if db.execute("UPDATE text SET expires = ? WHERE id = ?", (now + seconds, text_id)).rowcount == 0:
                self._check_space(db, owner, len(packed), len(packed))
                values = (text_id, hashed(owner), packed, now, now + seconds)
                db.execute("INSERT INTO text (id, owner, content, created, expires) VALUES (?, ?, ?, ?, ?)", values)

    def purge(self) -> None:
        """Remove texts whose time is over."""
        now = int(time.time())
        with self._database.reading() as db:
            is_any = db.execute("SELECT 1 FROM text WHERE expires < ?", (now,)).fetchone()
        if is_any:
            self._database.delete(lambda db: db.execute("DELETE FROM text WHERE expires < ?", (now,)))

    def find(self, text_id: str) -> str:
        """The text with this id.

        Raises
        ------
        UnknownIdError : there is none.
        LibraryError : the text was damaged on the disk.
        """
        with self._database.reading() as db:
            row = db.execute("SELECT content FROM text WHERE id = ?", (as_id(text_id),)).fetchone()
        if row is None:
            raise UnknownIdError("library.text_gone")
        try:
            return _unpacked(row[0], MAX_TEXT_BYTES)
        except (zlib.error, UnicodeDecodeError):
            raise LibraryError("library.text_damaged") from None

    def owned(self, owner: str) -> list[SavedText]:
        """Texts of the owner's links."""
        query = (
            "SELECT id, content, length(content), created, expires FROM text "
            "WHERE owner = ? AND expires - created >= ? ORDER BY number DESC"
        )
        with self._database.reading() as db:
            rows = db.execute(query, (hashed(owner), TEXT_SECONDS)).fetchall()
        return [SavedText(text_id, _beginning(content), *rest) for text_id, content, *rest in rows]

    def delete(self, text_id: str, owner: str) -> None:
        """Remove a text of the owner's; links to it stop working.

        Raises
        ------
        UnknownIdError : there is none, or it is not the owner's.
        """

        def change(db: Transaction) -> None:
            query = "DELETE FROM text WHERE id = ? AND owner = ?"
            if db.execute(query, (as_id(text_id), hashed(owner))).rowcount == 0:
                raise UnknownIdError("library.text_gone")

        self._database.delete(change)

    def count(self) -> int:
        with self._database.reading() as db:
            return int(db.execute("SELECT count(*) FROM text").fetchone()[0])


class Store:
    """A store in a database. Whatever fails is a LibraryError.

    Parameters
    ----------
    max_bytes : limit on models, texts and kept rooms together.
    owner_bytes : limit on those of one owner; by default the same.

    Attributes
    ----------
    set_aside : where the damaged store lies that was found at the opening; empty where there was none.
    salvaged : what could be read of that one and is in this one: how many of each `run`, `text`, `room` and `answer`.
    """

    set_aside = ""
    salvaged: Mapping[str, int] = MappingProxyType({})

    def __init__(self, database: Database, max_bytes: int = 2 << 30, owner_bytes: int | None = None) -> None:
        self.database = database
        self._max_bytes, self._owner_bytes = max_bytes, owner_bytes or max_bytes
        self._tables: dict[type[StoreTable], StoreTable] = {}
        self._lock = threading.Lock()
        self.runs, self.texts = self.table(Runs), self.table(Texts)

    def table(self, kind: type[T]) -> T:
        """The table of that kind: a feature has its own. At every call the same object."""
        with self._lock:
            if kind not in self._tables:
                self._tables[kind] = kind(self.database, self._max_bytes, self._owner_bytes)
            table = self._tables[kind]
        assert isinstance(table, kind)
        return table

    def size(self) -> int:
        with self.database.reading() as db:
            return stored_bytes(db)

    def remove_all(self) -> None:
        """Remove every run, text and room: for the teacher."""

        def change(db: Transaction) -> None:
            for table in reversed(TABLES):
                db.execute(f"DELETE FROM {table}")

        self.database.delete(change)


def _text_id(content: str, owner: str, kind: bytes = b"") -> str:
    """Derived from the owner's secret: as unguessable as that, and saving the same text twice stores it once."""
    data, key = content.encode("utf-8", "surrogatepass"), hashed(owner).encode()[:64]
    return hashlib.blake2b(data, key=key, digest_size=12, person=kind).hexdigest()


def _unpacked(content: bytes, limit: int, errors: str = "surrogatepass") -> str:
    return zlib.decompressobj().decompress(content, limit).decode("utf-8", errors)


def _beginning(content: bytes) -> str:
    """The first characters of a compressed text, on one line; empty if it is damaged on disk."""
    try:
        text = _unpacked(content, 4 * _BEGINNING, "ignore")  # truncation may split a character
    except zlib.error:
        return ""
    return " ".join(text.split())[:_BEGINNING].rstrip()


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
    while rows := old.execute(f"{query} ORDER BY {columns[0]} LIMIT {_COPIED_AT_ONCE}", values).fetchall():
        for row in rows:
            new.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", row)
        n_rows += len(rows)
        query, values = f"SELECT {names} FROM {table} WHERE {columns[0]} > ?", [rows[-1][0]]
    return n_rows

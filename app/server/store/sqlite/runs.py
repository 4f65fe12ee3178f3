"""Runs, and the models they share."""

import hashlib
import json
import secrets
import sqlite3
import time
import zlib
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from app.server.store.sqlite.database import connection, delete, transaction
from app.server.store.sqlite.schema import Row
from app.server.store.sqlite.table import StoreTable, as_id, hashed
from app.server.store.store import MAX_NAME, LibraryError, NewRun, Run, UnknownIdError

_COLUMNS = (
    "id, name, corpus_id, corpus_name, corpus_fingerprint, settings, rounds, run.sha256, model.size, created, "
    "coalesce(corpus.size, 0)"
)
_TABLES = "run JOIN model ON model.sha256 = run.sha256 LEFT JOIN corpus ON corpus.sha256 = run.corpus"

T = TypeVar("T", dict[str, object], list[dict[str, object]])


class _Part(NamedTuple):
    """Data shared by equal runs: a row of the table `model` or `corpus`, and the column of `run` that refers to it."""

    table: str
    column: str
    content: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


class SqliteRuns(StoreTable):
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
        with transaction(self._path) as db:
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

    def _add_parts(self, db: sqlite3.Connection, owner: str, parts: Sequence[_Part]) -> None:
        """Store those that are not stored yet; FullError if there is no space."""
        new = [part for part in parts if not _finds(db, f"{part.table} WHERE sha256 = ?", part.sha256)]
        not_owned = [
            part
            for part in parts
            if not _finds(db, f"run WHERE {part.column} = ? AND owner = ?", part.sha256, hashed(owner))
        ]
        self._check_space(db, owner, *(sum(len(part.content) for part in each) for each in (not_owned, new)))
        for part in new:
            db.execute(f"INSERT INTO {part.table} VALUES (?, ?, ?)", (part.sha256, len(part.content), part.content))

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
        with connection(self._path) as db:
            query = "SELECT 1 FROM run WHERE id = ? AND owner = ?"
            return db.execute(query, (as_id(run_id), hashed(owner))).fetchone() is not None

    def rename(self, run_id: str, owner: str, name: str) -> None:
        name = _checked_name(name)
        with transaction(self._path) as db:
            query = "UPDATE run SET name = ? WHERE id = ? AND owner = ?"
            _require_one(db.execute(query, (name, as_id(run_id), hashed(owner))).rowcount)

    def delete(self, run_id: str, owner: str) -> None:
        self._delete("DELETE FROM run WHERE id = ? AND owner = ?", as_id(run_id), hashed(owner))

    def remove(self, run_id: str) -> None:
        self._delete("DELETE FROM run WHERE id = ?", as_id(run_id))

    def _delete(self, query: str, *values: str) -> None:
        def change(db: sqlite3.Connection) -> None:
            _require_one(db.execute(query, values).rowcount)
            _remove_unused_parts(db)

        delete(self._path, change)

    def _row(self, columns: str, run_id: str) -> Row:
        """Columns of a run and its model, in one look: it may be deleted between two."""
        with connection(self._path) as db:
            query = f"SELECT {columns} FROM {_TABLES} WHERE id = ?"
            row = db.execute(query, (as_id(run_id),)).fetchone()
        if row is None:
            raise UnknownIdError("library.run_gone")
        return tuple(row)

    def _list(self, where: str, values: tuple[str, ...]) -> list[Run]:
        query = f"SELECT {_COLUMNS} FROM {_TABLES} {where} ORDER BY number DESC"
        with connection(self._path) as db:
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


def _parsed(text: str, kind: type[T]) -> T:
    """What `text` says in JSON; empty where it was damaged on the disk: the model has a hash of its own."""
    try:
        value = json.loads(text)
    except ValueError:
        return kind()
    return value if isinstance(value, kind) else kind()


def _finds(db: sqlite3.Connection, rows: str, *values: str) -> bool:
    return db.execute(f"SELECT 1 FROM {rows}", values).fetchone() is not None


def _packed(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def _remove_unused_parts(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM model WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.sha256 = model.sha256)")
    db.execute("DELETE FROM corpus WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.corpus = corpus.sha256)")

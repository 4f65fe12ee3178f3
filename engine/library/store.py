"""Saving, finding, sharing and removing runs, and texts behind an id.

An id is unguessable: whoever has it may open what it names, nobody else learns that it exists. An owner is named by a
secret of their own, of which the file keeps only a hash. A run is one transaction, its model included: it is there
with everything, or not at all.
"""

import hashlib
import json
import secrets
import sqlite3
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from engine.library.database import LibraryError, connection, prepare, transaction

MAX_NAME = 120
MAX_TEXT_BYTES = 2_000_000

_COLUMNS = "id, name, corpus_id, corpus_name, corpus_fingerprint, settings, rounds, run.sha256, size, created"


class UnknownIdError(LibraryError):
    """Nothing with that id is there, or it is not the owner's."""


@dataclass(frozen=True)
class NewRun:
    """What is to be saved.

    Parameters
    ----------
    corpus_id : names the corpus in links; corpus_name : what its user calls it, may be empty.
    corpus_fingerprint : SHA-256 of the corpus, hex, as in the model file.
    settings, rounds : of the training, as JSON can hold them.
    model : content of the model file.
    """

    name: str
    corpus_id: str
    corpus_name: str
    corpus_fingerprint: str
    settings: Mapping[str, Any]
    rounds: Sequence[Mapping[str, Any]]
    model: bytes


class Run(NamedTuple):
    """A run as it is listed."""

    id: str
    name: str
    corpus_id: str
    corpus_name: str
    corpus_fingerprint: str
    settings: dict[str, Any]
    rounds: list[dict[str, Any]]
    sha256: str  # of the model file
    size: int  # of the model file, bytes
    created: int  # seconds since 1970, by the clock of the server

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> "Run":
        """A row of _COLUMNS."""
        return cls(*row)._replace(settings=_parsed(row[5], dict), rounds=_parsed(row[6], list))


class Library:
    """The library in a folder.

    Parameters
    ----------
    folder : made if it is not there.
    max_bytes : most bytes that models and texts may take together.

    Raises
    ------
    LibraryError : it cannot be written, or belongs to another program or a newer version.
    """

    def __init__(self, folder: Path, max_bytes: int = 2 << 30) -> None:
        self.folder, self._max_bytes = folder, max_bytes
        # Not empty: a damaged file was found and lies here now.
        self._path, self.set_aside = prepare(folder)

    def save(self, run: NewRun, owner: str) -> str:
        """Save a run; returns its id. When it returns, the run is on the disk.

        Raises
        ------
        LibraryError : the name is empty or too long, the library or the disk is full; nothing was saved.
        """
        name, run_id, sha256 = _checked_name(run.name), secrets.token_urlsafe(16), hashlib.sha256(run.model).hexdigest()
        with transaction(self._path) as db:
            if db.execute("SELECT 1 FROM model WHERE sha256 = ?", (sha256,)).fetchone() is None:
                self._check_space(db, len(run.model))
                db.execute("INSERT INTO model VALUES (?, ?, ?)", (sha256, len(run.model), run.model))
            db.execute(
                "INSERT INTO run (id, owner, name, corpus_id, corpus_name, corpus_fingerprint, settings, rounds, "
                "sha256, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    run_id,
                    _hashed(owner),
                    name,
                    _cleaned(run.corpus_id),
                    _cleaned(run.corpus_name)[:MAX_NAME],
                    _cleaned(run.corpus_fingerprint),
                    json.dumps(run.settings),
                    json.dumps(run.rounds),
                    sha256,
                    int(time.time()),
                ),
            )
        return run_id

    def find(self, run_id: str) -> Run:
        """The run of that id, whoever owns it.

        Raises
        ------
        UnknownIdError : there is none.
        """
        return Run.from_row(self._row(_COLUMNS, run_id))

    def model(self, run_id: str) -> bytes:
        """Content of the run's model file.

        Raises
        ------
        UnknownIdError : there is no such run.
        LibraryError : the model was damaged on the disk.
        """
        sha256, content = self._row("sha256, content", run_id)
        if hashlib.sha256(content).hexdigest() != sha256:
            raise LibraryError(
                "the model of this run was damaged on the disk; train it again", code="library.model_damaged"
            )
        return bytes(content)

    def owned(self, owner: str) -> list[Run]:
        """Runs of one owner, the newest first."""
        return self._list("WHERE owner = ?", (_hashed(owner),))

    def all(self) -> list[Run]:
        """Every run, the newest first."""
        return self._list("", ())

    def owns(self, run_id: str, owner: str) -> bool:
        """Whether the run is there and that owner's."""
        with connection(self._path) as db:
            query = "SELECT 1 FROM run WHERE id = ? AND owner = ?"
            return db.execute(query, (_id(run_id), _hashed(owner))).fetchone() is not None

    def rename(self, run_id: str, owner: str, name: str) -> None:
        """Give a run of the owner's another name."""
        name = _checked_name(name)
        with transaction(self._path) as db:
            query = "UPDATE run SET name = ? WHERE id = ? AND owner = ?"
            _require_one(db.execute(query, (name, _id(run_id), _hashed(owner))).rowcount)

    def delete(self, run_id: str, owner: str) -> None:
        """Remove a run of the owner's; its links end."""
        with transaction(self._path) as db:
            query = "DELETE FROM run WHERE id = ? AND owner = ?"
            _require_one(db.execute(query, (_id(run_id), _hashed(owner))).rowcount)
            _remove_unused_models(db)
        self._shrink()

    def remove(self, run_id: str) -> None:
        """Remove anybody's run: for the teacher."""
        with transaction(self._path) as db:
            _require_one(db.execute("DELETE FROM run WHERE id = ?", (_id(run_id),)).rowcount)
            _remove_unused_models(db)
        self._shrink()

    def remove_all(self) -> None:
        """Remove every run and every text: for the teacher."""
        with transaction(self._path) as db:
            for table in ("run", "model", "text"):
                db.execute(f"DELETE FROM {table}")
        self._shrink()

    def save_text(self, text: str, owner: str) -> str:
        """Keep a text for a link; returns its id. The same text of the same owner keeps its id.

        Raises
        ------
        LibraryError : it is too long, or the library or the disk is full.
        """
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > MAX_TEXT_BYTES:
            raise LibraryError(
                "the text is longer than {megabytes:g} MB; links are for shorter texts",
                code="library.text_too_long",
                megabytes=MAX_TEXT_BYTES / 1e6,
            )
        # Derived from the owner's secret: as unguessable as that, and pressing the button twice stores nothing twice.
        text_id = hashlib.blake2b(data, key=_hashed(owner).encode()[:64], digest_size=12).hexdigest()
        packed = zlib.compress(data)
        with transaction(self._path) as db:
            if db.execute("SELECT 1 FROM text WHERE id = ?", (text_id,)).fetchone() is None:
                self._check_space(db, len(packed))
                values = (text_id, _hashed(owner), packed)
                db.execute("INSERT INTO text (id, owner, content) VALUES (?, ?, ?)", values)
        return text_id

    def text(self, text_id: str) -> str:
        """The text of that id.

        Raises
        ------
        UnknownIdError : there is none.
        """
        with connection(self._path) as db:
            row = db.execute("SELECT content FROM text WHERE id = ?", (_id(text_id),)).fetchone()
        if row is None:
            raise UnknownIdError("the text of this link is no longer on the server", code="library.text_gone")
        try:
            return zlib.decompressobj().decompress(row[0], MAX_TEXT_BYTES).decode("utf-8", "surrogatepass")
        except (zlib.error, UnicodeDecodeError):
            raise LibraryError(
                "the text of this link was damaged on the disk; ask for a new link", code="library.text_damaged"
            ) from None

    def n_texts(self) -> int:
        """How many texts are kept."""
        with connection(self._path) as db:
            return int(db.execute("SELECT count(*) FROM text").fetchone()[0])

    def size(self) -> int:
        """Bytes that models and texts take."""
        with connection(self._path) as db:
            return _size(db)

    def _row(self, columns: str, run_id: str) -> Sequence[Any]:
        """Columns of a run and its model, in one look: it may be deleted between two."""
        with connection(self._path) as db:
            query = f"SELECT {columns} FROM run JOIN model USING (sha256) WHERE id = ?"
            row = db.execute(query, (_id(run_id),)).fetchone()
        if row is None:
            raise UnknownIdError(
                "there is no such run in the library: it was deleted, or the link is damaged", code="library.run_gone"
            )
        return tuple(row)

    def _list(self, where: str, values: tuple[str, ...]) -> list[Run]:
        query = f"SELECT {_COLUMNS} FROM run JOIN model USING (sha256) {where} ORDER BY number DESC"
        with connection(self._path) as db:
            return [Run.from_row(row) for row in db.execute(query, values)]

    def _check_space(self, db: sqlite3.Connection, size: int) -> None:
        if _size(db) + size > self._max_bytes:
            raise FullError(self._max_bytes)

    def _shrink(self) -> None:
        """Give the pages of what was removed back to the disk."""
        with connection(self._path) as db:
            # As a script: execute() would stop behind the first page.
            db.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")


class FullError(LibraryError):
    """The library has reached its limit.

    Parameters
    ----------
    max_bytes : the limit.
    """

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"the library holds {max_bytes / 1e6:,.0f} MB, which is its limit; delete runs to make room")
        self.max_bytes = max_bytes


def _size(db: sqlite3.Connection) -> int:
    models = db.execute("SELECT coalesce(sum(size), 0) FROM model").fetchone()[0]
    texts = db.execute("SELECT coalesce(sum(length(content)), 0) FROM text").fetchone()[0]
    return int(models + texts)


def _id(text: str) -> str:
    """`text` as it can be asked for: an id is ASCII, and half a surrogate pair is none at all."""
    return text if text.isascii() else ""


def _hashed(owner: str) -> str:
    # The secret comes from the browser: it may be anything.
    return hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()


def _checked_name(name: str) -> str:
    name = _cleaned(name)
    if not name or len(name) > MAX_NAME:
        raise LibraryError(
            "a run needs a name of 1 to {limit} characters; this one has {length}",
            code="library.name",
            limit=MAX_NAME,
            length=len(name),
        )
    return name


def _cleaned(name: str) -> str:
    """`name` in one line, without what cannot be seen or stored."""
    return " ".join("".join(c if c.isprintable() and c != "\ufffd" else " " for c in name).split())


def _require_one(n_rows: int) -> None:
    if n_rows != 1:
        raise UnknownIdError("there is no such run in the library, or it is not yours", code="library.not_yours")


def _parsed(text: str, kind: type) -> Any:
    """What `text` says in JSON; empty where it was damaged on the disk: the model has a hash of its own."""
    try:
        value = json.loads(text)
    except ValueError:
        return kind()
    return value if isinstance(value, kind) else kind()


def _remove_unused_models(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM model WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.sha256 = model.sha256)")

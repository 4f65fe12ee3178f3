"""The tables, their migrations from older versions, in SQLite's words, and which versions fit this program."""

from pathlib import Path

from app.server.store.database import Transaction
from app.server.store.store import LibraryError

# "TTok": identifies the files of this program, and its lock in PostgreSQL.
APPLICATION_ID = 0x54546F6B

TEXT_SECONDS = 180 * 86_400  # how long texts of links and kept rooms are stored
SESSION_SECONDS = 3600  # and a session's own texts

_ROOMS_WITH_PHONES = (
    # For a kept room, bytes of its answers; NULL while it is open. Codes are unique and a kept room has none, so the
    # column contains its id, which is longer than any code.
    "ALTER TABLE room ADD COLUMN kept_bytes INTEGER",
    "ALTER TABLE room ADD COLUMN takes_phones INTEGER NOT NULL DEFAULT 1",
    # Hash of the network it was opened from, while it is open.
    "ALTER TABLE room ADD COLUMN network TEXT NOT NULL DEFAULT ''",
    """
    UPDATE room SET code = id, is_open = 0, kept_bytes = (
        SELECT coalesce(sum(length(CAST(content AS BLOB))), 0) FROM answer WHERE answer.room = room.number
    ) WHERE expires > strftime('%s') + 86400
    """,
    # Phones that have joined. `place` counts from 1 in every room. A phone that has left or was removed stays as its
    # hash, so that its delayed answers are not accepted.
    """
    CREATE TABLE phone (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        room INTEGER NOT NULL REFERENCES room (number) ON DELETE CASCADE,
        student TEXT NOT NULL,
        place INTEGER NOT NULL,
        joined INTEGER NOT NULL,
        is_gone INTEGER NOT NULL DEFAULT 0,
        UNIQUE (room, student)
    ) STRICT
    """,
    """
    INSERT INTO phone (room, student, place, joined)
    SELECT room, student, row_number() OVER (PARTITION BY room ORDER BY min(number)), min(created)
    FROM answer GROUP BY room, student
    """,
    # Of a phone's answers to a question, the one with the highest turn counts.
    "ALTER TABLE answer ADD COLUMN turn INTEGER NOT NULL DEFAULT 0",
)

# What is brought up to date, and the release that brings there what is older.
OLDEST, OLDEST_RELEASE = 2, "1.0.0"

# The first entry makes the tables of version OLDEST, each other one those of the next version. Never change a released
# entry: add one. An entry that takes away what the release before reads or writes also sets `serves`: CONTRIBUTING.md.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # Equal models are stored once: a class tends to save the same one thirty times.
        """
        CREATE TABLE model (
            sha256 TEXT PRIMARY KEY,
            size INTEGER NOT NULL,
            content BLOB NOT NULL
        ) STRICT
        """,
        # `number` gives the order, independent of clock changes; `created` is for people.
        """
        CREATE TABLE run (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            name TEXT NOT NULL,
            corpus_id TEXT NOT NULL,
            corpus_name TEXT NOT NULL,
            corpus_fingerprint TEXT NOT NULL,
            settings TEXT NOT NULL,
            rounds TEXT NOT NULL,
            sha256 TEXT NOT NULL REFERENCES model (sha256),
            created INTEGER NOT NULL
        ) STRICT
        """,
        "CREATE INDEX run_by_owner ON run (owner)",
        "CREATE INDEX run_by_model ON run (sha256)",
        """
        CREATE TABLE text (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            content BLOB NOT NULL
        ) STRICT
        """,
        "CREATE INDEX text_by_owner ON text (owner)",
    ),
    (
        # Seconds since 1970. Existing texts expire as if they were saved now.
        "ALTER TABLE text ADD COLUMN created INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE text ADD COLUMN expires INTEGER NOT NULL DEFAULT 0",
        f"UPDATE text SET created = strftime('%s'), expires = strftime('%s') + {TEXT_SECONDS}",
    ),
    (
        """
        CREATE TABLE room (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            code TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            language TEXT NOT NULL,
            step TEXT NOT NULL,
            is_open INTEGER NOT NULL,
            ends INTEGER NOT NULL,
            state TEXT NOT NULL,
            version INTEGER NOT NULL,
            expires INTEGER NOT NULL
        ) STRICT
        """,
        # Nobody answers twice: `student` is a hash of the phone's secret and the room.
        """
        CREATE TABLE answer (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            room INTEGER NOT NULL REFERENCES room (number) ON DELETE CASCADE,
            step TEXT NOT NULL,
            student TEXT NOT NULL,
            content TEXT NOT NULL,
            created INTEGER NOT NULL,
            is_hidden INTEGER NOT NULL DEFAULT 0,
            UNIQUE (room, step, student)
        ) STRICT
        """,
        "CREATE INDEX room_by_owner ON room (owner)",
    ),
    (
        # Training texts of runs, compressed, if their owners keep them; equal ones are stored once.
        """
        CREATE TABLE corpus (
            sha256 TEXT PRIMARY KEY,
            size INTEGER NOT NULL,
            content BLOB NOT NULL
        ) STRICT
        """,
        "ALTER TABLE run ADD COLUMN corpus TEXT REFERENCES corpus (sha256)",
        "CREATE INDEX run_by_corpus ON run (corpus)",
    ),
    _ROOMS_WITH_PHONES,
    # For a room that its lecturer has ended, when it would have expired; it expires a minute after its end.
    ("ALTER TABLE room ADD COLUMN resumes INTEGER",),
    # Not kept: what the processes of a server in PostgreSQL do now, and did last (`app.server.work.shared_queue`).
    (
        """
        CREATE TABLE work (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL,
            kind TEXT NOT NULL,
            visitors TEXT NOT NULL,
            turn INTEGER NOT NULL,
            began INTEGER NOT NULL,
            is_over INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """,
    ),
    # The oldest VERSION of a program that may read and write these tables.
    ("CREATE TABLE serves (oldest INTEGER PRIMARY KEY)", "INSERT INTO serves VALUES (9)"),
)

VERSION = OLDEST + len(MIGRATIONS) - 1

# Known by the hash of what they hold; all others have numbers.
SHARED = ("model", "corpus")
# Each after those that it refers to.
TABLES = (*SHARED, "run", "text", "room", "phone", "answer")


def migrations(version: int, target: int) -> tuple[tuple[str, ...], ...]:
    """Entries that lead from one version, or from 0 where there are no tables yet, to another."""
    return MIGRATIONS[max(0, version - OLDEST + 1) : target - OLDEST + 1]


def require_fitting(db: Transaction, version: int, place: Path | str) -> None:
    """Raise LibraryError if this program cannot use tables of that version.

    Those of the next release fit, so that both serve at once while one takes the other's place.
    """
    if 0 < version < OLDEST:
        raise LibraryError("library.older", path=place, release=OLDEST_RELEASE)
    if version > VERSION and db.execute("SELECT oldest FROM serves").fetchone()[0] > VERSION:
        raise LibraryError("library.newer", path=place)

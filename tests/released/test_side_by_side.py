"""This program and the next release's serve one library at once: an upgrade, and a rollback, while phones answer.

The next release is this program with a schema that has an expansion more: no release before this one could share a
library, so there is no older program to start. Whole servers that are replaced under load are in `test_serve.py`.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.classroom.store.records import RoomState
from app.classroom.store.rooms import rooms_of
from app.server.store.opening import open_store
from app.server.store.schema import MIGRATIONS
from tests.conftest import ROOT

# Phones that answer all the time; a line for each turn that was confirmed.
_PROGRAM = """
import os, sys, threading
from app.server.store import schema

n_more, place, room, name = int(sys.argv[1]), *sys.argv[2:]
expands = (
    "ALTER TABLE answer ADD COLUMN remark TEXT NOT NULL DEFAULT ''",
    "CREATE TABLE remark (number INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL)",
)
contracts = (f"UPDATE serves SET oldest = {schema.VERSION + 1}",)
schema.MIGRATIONS += (expands, contracts)[:n_more]
schema.VERSION += n_more

from app.classroom.store.rooms import rooms_of
from app.server.store.opening import as_place, open_store
from engine.errors import InputError

try:
    store = open_store(as_place(place))
except InputError as error:
    sys.exit(str(error))
is_over = threading.Event()

def answer(phone):
    turn = 0
    while not is_over.is_set():
        turn += 1
        if not rooms_of(store).answer(room, "tokens.ko", phone, str(turn), turn).is_taken:
            sys.exit(f"{phone} {turn} was not taken")
        if n_more:
            with store.database.transaction() as db:
                db.execute("UPDATE answer SET remark = ? WHERE content = ?", (phone, str(turn)))
        os.write(1, f"{phone} {turn}\\n".encode())  # whole, whichever thread

phones = [threading.Thread(target=answer, args=(f"{name}-{number}",)) for number in range(3)]
for phone in phones:
    phone.start()
sys.stdin.read()
is_over.set()
for phone in phones:
    phone.join()
"""


class Program:
    """A process of this release or `n_more` later; `confirmed` has the last turn of each of its phones."""

    def __init__(self, n_more: int, place: Path | str, room: str, name: str) -> None:
        self.confirmed: dict[str, int] = {}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(n_more), str(place), room, name],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def answers(self, n_more: int = 30) -> None:
        """Wait until so many more answers are confirmed; fails if the process ends before."""
        assert self._process.stdout and self._process.stderr
        for _ in range(n_more):
            line = self._process.stdout.readline()
            assert line, self._process.stderr.read()
            self._take(line)

    def end(self) -> str:
        """Let its phones finish; why it refused to start, or what went wrong."""
        assert self._process.stdin and self._process.stdout and self._process.stderr
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        for line in self._process.stdout:
            self._take(line)
        self._process.wait(60)
        return self._process.stderr.read()

    def kill(self) -> None:
        self._process.kill()
        self.end()

    def close(self) -> None:
        with self._process:
            self._process.kill()

    def _take(self, line: str) -> None:
        phone, turn = line.split()
        self.confirmed[phone] = int(turn)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """A library that no other test uses: its schema will be a later one."""
    if request.param == "sqlite":
        return tmp_path / "library"
    server = request.getfixturevalue("postgresql")
    server.tool("createdb", f"--maintenance-db={server.url()}", "side_by_side")
    return str(server.url("side_by_side"))


@pytest.fixture
def started(place: Path | str) -> Iterator[Callable[[int, str, str], Program]]:
    """Starts a program."""
    programs: list[Program] = []

    def start(n_more: int, room: str, name: str) -> Program:
        programs.append(Program(n_more, place, room, name))
        return programs[-1]

    yield start
    for program in programs:
        program.close()


def test_two_releases_serve_at_once_through_an_upgrade_and_a_rollback(
    place: Path | str, started: Callable[[int, str, str], Program]
) -> None:
    store = open_store(place)
    rooms = rooms_of(store)
    room = rooms.open("me", "ko", RoomState())
    rooms.change(room._replace(step="tokens.ko", is_open=True), "me")
    old = started(0, room.id, "old")
    old.answers()
    new = started(1, room.id, "new")
    new.answers()  # it has expanded the schema
    old.answers()
    back = started(0, room.id, "back")
    back.answers()  # this release opens what the next one has changed
    new.kill()
    old.answers()
    back.answers()
    # A release later, which needs the next one at least: two that are one apart serve at once, never three.
    assert old.end() == back.end() == ""
    later = started(2, room.id, "later")
    later.answers()
    refused, fits = started(0, room.id, "refused"), started(1, room.id, "fits")
    fits.answers()
    later.answers()
    assert "newer version" in refused.end() and not refused.confirmed
    assert later.end() == fits.end() == ""

    for program in (old, new, back, later, fits):
        assert len(program.confirmed) == 3
        for phone, turn in program.confirmed.items():
            answer = rooms.own_answer(room.id, "tokens.ko", phone)
            assert answer is not None
            # Of a killed process one may be stored that it could not confirm any more.
            assert int(answer.content) - turn in ((0, 1) if program is new else (0,))
    assert rooms.n_answers(room.id, "tokens.ko") == 15
    store.database.close()


_TAKES_AWAY = re.compile(r"\b(DROP|RENAME|SET NOT NULL|SET DATA TYPE)\b|ADD COLUMN \w+ \w+ NOT NULL(?! DEFAULT)")


def test_a_migration_that_takes_something_away_says_which_programs_it_still_serves() -> None:
    for entry in MIGRATIONS:
        takes_away = any(_TAKES_AWAY.search(statement) for statement in entry)
        assert not takes_away or any(statement.startswith("UPDATE serves SET oldest") for statement in entry), entry
    with_rules = ("ALTER TABLE a DROP COLUMN b", "ALTER TABLE a ADD COLUMN b TEXT NOT NULL", "DROP TABLE a")
    assert all(map(_TAKES_AWAY.search, with_rules))

"""The library's file, damaged in every place, removed, or left by a process that was killed at every statement."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from app.classroom.store.records import RoomState
from app.classroom.store.rooms import rooms_of
from app.server.store.opening import SqliteStore
from app.server.store.sqlite import migration
from app.server.store.sqlite.database import FILE
from app.server.store.store import LibraryError, NewRun, UnknownIdError
from app.server.store.tables import Store
from tests.conftest import ROOT

ME = "me"


def _run(name: str = "실험", model: bytes = b"model") -> NewRun:
    return NewRun(name, "ko", "", "f" * 64, {"vocab_size": 300}, [{"number": 0}], model)


def _is_whole(path: Path) -> bool:
    db = sqlite3.connect(path)
    try:
        checks = db.execute("PRAGMA integrity_check").fetchall(), db.execute("PRAGMA foreign_key_check").fetchall()
        return checks == ([("ok",)], [])
    finally:
        db.close()


# Every piece of work that writes, in one child a statement, which kills itself before it carries that statement out.
_KILLED_AT_EVERY_STATEMENT = """
import os, signal, sqlite3, sys
from pathlib import Path
from app.server.store.sqlite import database
from app.server.store.opening import SqliteStore
from app.server.store.store import NewRun

folder, first = Path(sys.argv[1]), int(sys.argv[2])

def child(report, last):
    statements = 0

    def count(statement):
        nonlocal statements
        statements += 1
        if statements == last:
            os.kill(os.getpid(), signal.SIGKILL)

    class Counted(sqlite3.Connection):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            self.set_trace_callback(count)

    connect = sqlite3.connect
    database.sqlite3.connect = lambda *args, **options: connect(*args, factory=Counted, **options)
    library = SqliteStore(folder / str(last))
    for number in range(2):
        run = NewRun(str(number), "ko", "", "", {"n": number}, [{"n": number}], bytes([number]) * 20_000)
        os.write(report, f"{library.runs.save(run, 'me')}\\n".encode())
    library.runs.rename(library.runs.all()[1].id, "me", "0")
    library.runs.delete(library.runs.all()[0].id, "me")
    os.write(report, b"deleted\\n")
    os._exit(0)

for last in range(first, 1000):
    read, report = os.pipe()
    pid = os.fork()
    if pid == 0:
        child(report, last)
    os.close(report)
    with open(read, encoding="ascii") as said:
        print(last, *said.read().split(), flush=True)
    if os.waitpid(pid, 0)[1] == 0:
        break
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="forks, and kills itself")
def test_killed_at_every_statement_of_opening_saving_and_deleting(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _KILLED_AT_EVERY_STATEMENT, str(tmp_path), "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[-1][-1] == "deleted" and len(lines) > 40
    for number, *said in lines:
        saved = [word for word in said if word != "deleted"]
        library = SqliteStore(tmp_path / number)
        assert library.set_aside == ""
        assert _is_whole(tmp_path / number / FILE)
        runs = library.runs.all()[::-1]
        # What was on its way may be there or not, whole in either case; what was reported is there.
        assert [run.id for run in runs][: len(saved)] == saved[: len(runs)]
        assert len(runs) >= (len(saved) if len(saved) < 2 else 1)
        for at, run in enumerate(runs):
            assert (run.name, run.settings, run.rounds) == (str(at), {"n": at}, [{"n": at}])
            assert library.runs.model(run.id) == bytes([at]) * 20_000
        if said[-1:] == ["deleted"]:
            assert len(runs) == 1
        library.runs.save(_run(), ME)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """The file of a library with a dozen runs and a text, and the models by id."""
    library = SqliteStore(tmp_path_factory.mktemp("kept"))
    contents = [random.Random(number).randbytes(3000 + 2000 * number) for number in range(12)]
    models = {library.runs.save(_run(f"실험 {at}", content), ME): content for at, content in enumerate(contents)}
    library.texts.save("글 " * 5000, ME)
    return library.folder / FILE, models


def _look(library: SqliteStore, models: dict[str, bytes]) -> int:
    """Ask for everything: an answer is right or a refusal, never another error; how many models came back."""
    right = 0
    for run_id, content in models.items():
        with suppress(LibraryError):
            assert (library.runs.model(run_id), library.runs.find(run_id).id) == (content, run_id)
            right += 1
    questions = library.runs.all, lambda: library.runs.owned(ME), library.texts.count, library.size
    for question in (*questions, lambda: library.texts.find("0")):
        with suppress(LibraryError):
            question()
    return right


@pytest.mark.slow
def test_a_page_that_was_overwritten_gives_no_wrong_answer(kept: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    path, models = kept
    data = path.read_bytes()
    size = int.from_bytes(data[16:18], "big")
    for page in range(len(data) // size):
        nonsense = bytes(size) if page % 2 else random.Random(page).randbytes(size)
        folder = tmp_path / str(page)
        folder.mkdir()
        running = folder / "running"
        shutil.copytree(path.parent, running)
        library = SqliteStore(running)
        damaged = data[: page * size] + nonsense + data[(page + 1) * size :]
        for target in (folder / FILE, running / FILE):
            target.write_bytes(damaged)
        _look(library, models)  # the server is running when it happens
        again = SqliteStore(folder)
        right = _look(again, models)
        if again.set_aside:
            assert Path(again.set_aside).read_bytes() == damaged
            assert _is_whole(folder / FILE)
            assert len(again.runs.all()) == again.salvaged.get("run", 0)
        else:
            # The pages of one model at most: its own hash finds them out.
            assert right >= len(models) - 1
            assert len(again.runs.all()) == len(models)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> SqliteStore:
    """A library with more rows than one page of each table holds."""
    library = SqliteStore(tmp_path_factory.mktemp("filled"))
    for number in range(12):
        run = _run(f"실험 {number}", bytes([number]) * 1000)
        library.runs.save(replace(run, settings={"note": "x" * 1000}), ME)
        library.texts.save(random.Random(number).randbytes(1000).hex(), ME)
    room = rooms_of(library).open(ME, "ko", RoomState())
    room = rooms_of(library).change(room._replace(step="tokens.ko", is_open=True, state=RoomState()), ME)
    for number in range(12):
        rooms_of(library).answer(room.id, "tokens.ko", f"phone {number}", "1")
    return library


def test_rows_of_other_pages_outlive_a_zeroed_page(filled: SqliteStore, tmp_path: Path) -> None:
    path, kept = filled.folder / FILE, {"run": 12, "model": 12, "text": 12, "room": 1, "answer": 12}
    db = sqlite3.connect(path)
    size = db.execute("PRAGMA page_size").fetchone()[0]
    roots = dict(db.execute("SELECT rootpage, name FROM sqlite_schema WHERE type = 'table'"))
    n_pages = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # what the answers left in the log
    db.close()
    data = path.read_bytes()
    all_runs, lost_of = [(run.id, run.name) for run in filled.runs.all()], list[int]()
    for page in {*roots, *range(3, n_pages, n_pages // 8), n_pages}:
        damaged = data[: (page - 1) * size] + bytes(size) + data[page * size :]
        (folder := tmp_path / str(page)).mkdir()
        (folder / FILE).write_bytes(damaged)
        library = SqliteStore(folder)
        if not library.set_aside:  # a page that holds nothing
            continue
        assert Path(library.set_aside).read_bytes() == damaged
        assert _is_whole(folder / FILE)
        lost = {name: n - library.salvaged[name] for name, n in kept.items() if n != library.salvaged[name]}
        if page in roots:
            # A run is nothing without its model, nor an answer without its room.
            assert lost.keys() <= {"run", "model"} or lost.keys() <= {"room", "answer"} or lost == {"text": 12}
        else:
            assert lost.keys() <= {"run", "model"} or len(lost) == 1
            lost_of.append(max(lost.values(), default=0))
        runs = library.runs.all()
        found = {run.id for run in runs}
        assert [(run.id, run.name) for run in runs] == [one for one in all_runs if one[0] in found]
        if runs:
            assert library.runs.model(runs[0].id) == filled.runs.model(runs[0].id)
        assert library.runs.save(_run(), ME)
    assert len(lost_of) > 3 and max(lost_of) < 8


def test_a_damaged_library_of_an_older_version_is_brought_to_this_one(tmp_path: Path) -> None:
    path = tmp_path / FILE
    db = sqlite3.connect(path, isolation_level=None)
    migration.migrate(db, 2)
    for number in range(30):
        db.execute("INSERT INTO text (id, owner, content) VALUES (?, 'a', ?)", (f"t{number}", b"x" * 1000))
    db.close()
    data = bytearray(path.read_bytes())
    data[-4096:] = bytes(4096)
    path.write_bytes(data)
    library = SqliteStore(tmp_path)
    assert library.set_aside and 20 < library.salvaged["text"] < 30
    assert rooms_of(library).open(ME, "ko", RoomState()).code


def test_killed_before_what_was_salvaged_had_its_name(filled: SqliteStore, tmp_path: Path) -> None:
    shutil.copy(filled.folder / FILE, tmp_path / "library.salvaged.sqlite")
    library = SqliteStore(tmp_path)
    assert len(library.runs.all()) == 12
    assert not (tmp_path / "library.salvaged.sqlite").exists()


@pytest.mark.parametrize("length", [1, 15, 16, 99, 100, 4095, 4096, 20_000])
def test_a_file_that_is_cut_off_or_all_zeros_is_set_aside(
    kept: tuple[Path, dict[str, bytes]], tmp_path: Path, length: int
) -> None:
    for number, damaged in enumerate((kept[0].read_bytes()[:length], bytes(length)), 1):
        (tmp_path / FILE).write_bytes(damaged)
        library = SqliteStore(tmp_path)
        assert Path(library.set_aside) == tmp_path / f"library.damaged-{number}.sqlite"
        assert Path(library.set_aside).read_bytes() == damaged
        library.runs.save(_run(), ME)


def test_what_was_damaged_beside_the_model_hides_no_run(tmp_path: Path) -> None:
    library = SqliteStore(tmp_path)
    ids = [library.runs.save(_run(str(number), bytes([number])), ME) for number in range(4)]
    damage = ("settings = '{]'", "rounds = 'x'", "settings = '7'", "name = cast(x'61ff62' AS TEXT)")
    db = sqlite3.connect(tmp_path / FILE)
    for run_id, change in zip(ids, damage, strict=True):
        db.execute(f"UPDATE run SET {change} WHERE id = ?", (run_id,))
    db.commit()
    db.close()
    runs = library.runs.owned(ME)[::-1]
    assert [run.id for run in runs] == ids
    assert [run.settings for run in runs] == [{}, {"vocab_size": 300}, {}, {"vocab_size": 300}]
    assert [run.rounds for run in runs] == [[{"number": 0}], [], [{"number": 0}], [{"number": 0}]]
    assert runs[3].name == r"a\xffb"
    assert [library.runs.model(run_id) for run_id in ids] == [bytes([number]) for number in range(4)]


_KILLED_WITH_A_LOG = """
import os, signal, sqlite3, sys
from pathlib import Path
from app.server.store.opening import SqliteStore
from app.server.store.store import NewRun

library = SqliteStore(Path(sys.argv[1]))
other = sqlite3.connect(library.folder / "library.sqlite")  # whoever closes last writes the log into the file
other.execute("SELECT * FROM run").fetchall()
for _ in range(3):
    print(library.runs.save(NewRun("a", "ko", "", "", {}, [], os.urandom(9000)), "me"), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def logged(tmp_path: Path) -> tuple[Path, list[str]]:
    """A folder in which a killed server left runs in the log, and their ids."""
    command = [sys.executable, "-c", _KILLED_WITH_A_LOG, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (tmp_path / f"{FILE}-wal").stat().st_size > 27_000
    return tmp_path, done.stdout.split()


def test_runs_in_the_log_of_a_killed_server_are_there(logged: tuple[Path, list[str]]) -> None:
    folder, ids = logged
    assert [run.id for run in SqliteStore(folder).runs.all()] == ids[::-1]


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: os.truncate(path, 0)])
def test_the_log_of_a_file_that_is_gone_is_kept(logged: tuple[Path, list[str]], harm: Callable[[Path], object]) -> None:
    folder, _ = logged
    log = (folder / f"{FILE}-wal").read_bytes()
    harm(folder / FILE)
    library = SqliteStore(folder)
    assert Path(f"{library.set_aside}-wal").read_bytes() == log
    library.runs.save(_run(), ME)
    assert SqliteStore(folder).set_aside == ""


_LAST_OTHER = """
import sys
from pathlib import Path
from app.server.store.opening import open_store

print(*sorted(run.name for run in open_store(Path(sys.argv[1])).runs.all()), sep=",")
"""


def test_what_a_process_opens_twice_stays_open_to_others(tmp_path: Path) -> None:
    """Else the next process that closes the file removes its log, under those who go on writing into it."""

    def others() -> str:
        command = [sys.executable, "-c", _LAST_OTHER, str(tmp_path)]
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    first = SqliteStore(tmp_path)
    first.database.stay_open()
    first.runs.save(_run("a"), ME)
    second = SqliteStore(tmp_path)
    assert others() == "a"
    second.runs.save(_run("b"), ME)
    first.runs.save(_run("c"), ME)
    assert others() == "a,b,c"
    first.database.close()
    second.runs.save(_run("d"), ME)
    assert others() == "a,b,c,d"


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(LibraryError) as refused:
        SqliteStore(tmp_path)
    assert refused.value.code == "library.unreadable" and str(tmp_path / FILE) in str(refused.value)


def test_a_file_that_is_removed_while_the_server_runs_is_begun_again(tmp_path: Path) -> None:
    library = SqliteStore(tmp_path / "library")
    run_id = library.runs.save(_run(), ME)
    (library.folder / FILE).unlink()
    with pytest.raises(UnknownIdError):
        library.runs.model(run_id)
    run_id = library.runs.save(_run(), ME)
    assert SqliteStore(library.folder).runs.model(run_id) == b"model"
    shutil.rmtree(library.folder)
    with pytest.raises(LibraryError, match="not writable"):
        library.runs.save(_run(), ME)


@pytest.mark.parametrize("word", ["\ud800", "가", "", "\x00", "x" * 100_000])
def test_no_word_of_a_link_is_too_strange_to_be_asked_for(store: Store, word: str) -> None:
    library = store
    kept = library.runs.save(NewRun("a", word[:50], word[:50], word[:50], {"a": word}, [], b"x"), word)
    questions: list[Callable[[], object]] = [
        lambda: library.runs.find(word),
        lambda: library.runs.model(word),
        lambda: library.texts.find(word),
        lambda: library.runs.rename(word, ME, "b"),
        lambda: library.runs.delete(word, ME),
        lambda: library.runs.remove(word),
    ]
    for question in questions:
        with pytest.raises(UnknownIdError):
            question()
    assert not library.runs.owns(word, word) and library.runs.owns(kept, word)
    assert [run.id for run in library.runs.owned(word)] == [kept]

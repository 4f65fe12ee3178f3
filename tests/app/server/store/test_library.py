"""The run library: what owners, others and the teacher can do, and what happens when things go wrong."""

import ast
import os
import random
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.server.store import schema, store, tables
from app.server.store.opening import SqliteStore
from app.server.store.sqlite.database import FILE
from app.server.store.store import FullError, LibraryError, NewRun, OwnerFullError, UnknownIdError
from app.server.store.tables import Store
from tests.app.sources import nodes, parsed
from tests.conftest import ROOT


def new_run(name: str = "첫 실험", model: bytes = b"model") -> NewRun:
    return NewRun(name, "ko", "", "f" * 64, {"vocab_size": 2000}, [{"number": 0, "objective": 1.5}], model)


@pytest.fixture
def library(store: Store) -> Store:
    """On each database."""
    return store


@pytest.fixture
def in_folder(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "library")


def test_what_was_saved_is_found(library: Store, open_library: Callable[..., Store]) -> None:
    run_id = library.runs.save(new_run(), "me")
    run = open_library().runs.find(run_id)
    assert (run.id, run.name, run.corpus_id, run.size) == (run_id, "첫 실험", "ko", 5)
    assert (run.settings, run.rounds) == ({"vocab_size": 2000}, [{"number": 0, "objective": 1.5}])
    assert library.runs.model(run_id) == b"model"
    assert len(run_id) >= 20


def test_owners_see_their_own_runs_only(library: Store) -> None:
    mine, yours = library.runs.save(new_run("내 것"), "me"), library.runs.save(new_run("네 것"), "you")
    assert [run.id for run in library.runs.owned("me")] == [mine]
    assert [run.id for run in library.runs.all()] == [yours, mine]
    assert library.runs.owns(mine, "me") and not library.runs.owns(mine, "you")
    assert library.runs.find(mine).name == "내 것"  # with the id anybody may open it
    for change in (lambda: library.runs.rename(mine, "you", "x"), lambda: library.runs.delete(mine, "you")):
        with pytest.raises(UnknownIdError, match="not yours"):
            change()
    assert library.runs.find(mine).name == "내 것"


def test_the_file_does_not_hold_the_owners_secret(in_folder: SqliteStore) -> None:
    in_folder.runs.save(new_run(), "a-secret-of-mine")
    in_folder.texts.save("가", "a-secret-of-mine")
    assert b"a-secret-of-mine" not in (in_folder.folder / FILE).read_bytes()


def test_renaming_and_deleting(library: Store) -> None:
    run_id = library.runs.save(new_run(), "me")
    library.runs.rename(run_id, "me", "  둘째\n실험 ")
    assert library.runs.find(run_id).name == "둘째 실험"
    library.runs.delete(run_id, "me")
    with pytest.raises(UnknownIdError):
        library.runs.model(run_id)
    assert library.runs.owned("me") == []


@pytest.mark.parametrize("name", ["", " \n", "x" * 121, "\ud800"])
def test_a_run_needs_a_name(library: Store, name: str) -> None:
    with pytest.raises(LibraryError, match="1 to 120"):
        library.runs.save(new_run(name), "me")
    assert library.runs.all() == []


@pytest.mark.parametrize("name", ["'; DROP TABLE run; --", "<script>alert(1)</script>", "\u202egpj.exe", "a\x00b"])
def test_names_are_only_names(library: Store, name: str) -> None:
    run_id = library.runs.save(new_run(name), "me")
    assert library.runs.find(run_id).name == " ".join(name.replace("\u202e", " ").replace("\x00", " ").split())


def test_equal_models_are_stored_once_and_leave_with_their_last_run(library: Store) -> None:
    model = os.urandom(1_000_000)
    ids = [library.runs.save(new_run(model=model), owner) for owner in ("me", "you")]
    assert library.size() == len(model)
    library.runs.remove(ids[0])
    assert library.runs.model(ids[1]) == model
    library.runs.remove(ids[1])
    assert library.size() == 0


def test_the_disk_has_the_pages_of_deleted_models_back(in_folder: SqliteStore) -> None:
    in_folder.runs.remove(in_folder.runs.save(new_run(model=os.urandom(1_000_000)), "me"))
    left = [path.stat().st_size for path in in_folder.folder.iterdir() if path.suffix != ".reserve"]
    assert sum(left) < 200_000


def test_the_teacher_removes_everything(library: Store) -> None:
    run_id, text_id = library.runs.save(new_run(), "me"), library.texts.save("글", "you")
    library.remove_all()
    assert (library.runs.all(), library.texts.count(), library.size()) == ([], 0, 0)
    for missing in (lambda: library.runs.find(run_id), lambda: library.texts.find(text_id)):
        with pytest.raises(UnknownIdError):
            missing()


@pytest.mark.parametrize("text", ["가나다 " * 5000, "", "a\x00\ud800😀"])
def test_texts_after_an_id(library: Store, text: str) -> None:
    text_id = library.texts.save(text, "me")
    assert library.texts.find(text_id) == text
    assert library.texts.save(text, "me") == text_id and library.texts.count() == 1
    assert library.texts.save(text, "you") != text_id


def test_a_text_of_a_session_is_its_owners_for_an_hour(library: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        library.texts.save_for_session("text.0123", "글", "me")
    assert library.texts.find_for_session("text.0123", "me") == "글" and library.texts.count() == 1
    for name, owner in (("text.0124", "me"), ("text.0123", "you")):
        with pytest.raises(UnknownIdError):
            library.texts.find_for_session(name, owner)
    link = library.texts.save("text.0123", "me")
    assert [text.id for text in library.texts.owned("me")] == [link]
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now + 3590)
    library.texts.purge()
    library.texts.save_for_session("text.0123", "글", "me")
    monkeypatch.setattr("time.time", lambda: now + 3590 + 3601)
    library.texts.purge()
    assert library.texts.count() == 1 and library.texts.find(link) == "text.0123"
    library.texts.save_for_session("text.0123", "글", "me")
    library.texts.delete_for_session("text.0123", "me")
    assert library.texts.count() == 1


def test_limits(open_library: Callable[..., Store]) -> None:
    library = open_library(max_bytes=1000)
    library.runs.save(new_run(model=bytes(900)), "me")
    library.runs.save(new_run(model=bytes(900)), "you")
    with pytest.raises(FullError, match="limit of 0 MB"):
        library.runs.save(new_run(model=bytes(901)), "me")
    with pytest.raises(LibraryError, match="longer than"):
        library.texts.save("x" * (store.MAX_TEXT_BYTES + 1), "me")
    assert len(library.runs.all()) == 2


def test_an_owner_has_a_part_of_the_library(open_library: Callable[..., Store]) -> None:
    library = open_library(max_bytes=3000, owner_bytes=1000)
    model, other = os.urandom(600), os.urandom(600)
    first = library.runs.save(new_run(model=model), "me")
    library.runs.save(new_run(model=model), "me")  # equal ones count once
    for save in (
        lambda: library.runs.save(new_run(model=other), "me"),
        lambda: library.texts.save(os.urandom(500).hex(), "me"),
    ):
        with pytest.raises(OwnerFullError) as full:
            save()
        assert full.value.values == {"megabytes": 0.001}
    library.runs.save(new_run(model=other), "you")
    with pytest.raises(OwnerFullError):  # nor what is there already
        library.runs.save(new_run(model=other), "me")
    library.texts.save("글", "me")
    for run in library.runs.owned("me"):
        library.runs.delete(run.id, "me")
    assert first not in [run.id for run in library.runs.all()]
    library.runs.save(new_run(model=other), "me")


def test_owners_see_and_delete_their_own_texts(library: Store) -> None:
    ids = [library.texts.save(text, "me") for text in ("첫째\n 글 " * 50, "둘째 글", "")]
    yours = library.texts.save("남의 글", "you")
    listed = library.texts.owned("me")
    assert [text.id for text in listed] == ids[::-1]
    assert [text.beginning for text in listed] == ["", "둘째 글", ("첫째 글 " * 50)[:60].strip()]
    assert all(text.expires - text.created == schema.TEXT_SECONDS and text.size > 0 for text in listed)
    with pytest.raises(UnknownIdError):
        library.texts.delete(yours, "me")
    library.texts.delete(ids[1], "me")
    assert [text.id for text in library.texts.owned("me")] == [ids[2], ids[0]]
    with pytest.raises(UnknownIdError):
        library.texts.find(ids[1])
    assert library.texts.find(yours) == "남의 글"


def test_a_text_goes_after_its_date_unless_it_is_saved_again(library: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_800_000_000
    monkeypatch.setattr("time.time", lambda: now)
    old, renewed = (library.texts.save(text, "me") for text in ("옛 글", "다시 쓸 글"))
    now += schema.TEXT_SECONDS - 1
    library.texts.save("다시 쓸 글", "me")
    assert library.texts.find(old) == "옛 글"
    now += 2
    library.texts.save("새 글", "you")
    with pytest.raises(UnknownIdError):
        library.texts.find(old)
    assert [text.id for text in library.texts.owned("me")] == [renewed]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such rights there")
def test_nobody_else_may_read_the_library(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    mask = os.umask(0)
    try:
        library = SqliteStore(folder)
        library.runs.save(new_run(), "me")
        db = sqlite3.connect(folder / FILE)  # as long as somebody reads the logs are there
        db.execute("SELECT * FROM run").fetchall()
        library.texts.save("글", "me")
        modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
        db.close()
    finally:
        os.umask(mask)
    assert len(modes) == 5 and set(modes.values()) == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    (folder / FILE).chmod(0o644)  # as earlier versions made it
    SqliteStore(folder)
    assert (folder / FILE).stat().st_mode & 0o777 == 0o600


def test_a_clock_that_jumps_changes_no_order(library: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = []
    for now in (2e9, 1e9, 0.0, 3e9, -5.0):
        monkeypatch.setattr(tables.time, "time", lambda now=now: now)
        ids.append(library.runs.save(new_run(), "me"))
    assert [run.id for run in library.runs.owned("me")] == ids[::-1]
    assert [run.created for run in library.runs.owned("me")] == [-5, 3_000_000_000, 0, 1_000_000_000, 2_000_000_000]


_SQL = re.compile(
    r"\b(SELECT\b.+\bFROM|INSERT INTO|UPDATE\b.+\bSET|DELETE FROM|(CREATE|DROP|ALTER) TABLE|PRAGMA)\b", re.DOTALL
)


def test_only_the_store_knows_the_database() -> None:
    found, of_one, drivers = [], set(), {"sqlite3", "psycopg", "psycopg_pool"}
    for path, tree in parsed("app", "engine").items():
        for node in nodes(tree):
            names = {alias.name for alias in getattr(node, "names", []) if isinstance(alias, ast.alias)}
            texts = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if drivers & {name.partition(".")[0] for name in names | {getattr(node, "module", None) or ""}}:
                of_one.add(Path(path).parent.as_posix())
            if _SQL.search(texts):
                found.append(Path(path))
    # What is searched for is there, and nowhere else.
    assert {"database.py", "schema.py", "table.py", "tables.py"} <= {path.name for path in found}
    store = "app/server/store"
    assert of_one == {f"{store}/sqlite", f"{store}/postgresql"}
    assert {path.parent.as_posix() for path in found} == {store, "app/classroom/store", *of_one}


def test_a_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    db.execute("CREATE TABLE a (b)")
    db.close()
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(LibraryError, match="another program"):
        SqliteStore(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before


def _zeros_in_the_middle(data: bytes) -> bytes:
    return data[: len(data) // 3] + bytes(len(data) // 3) + data[2 * (len(data) // 3) :]


@pytest.mark.parametrize(
    "damage",
    [lambda data: b"nonsense" * 1000, _zeros_in_the_middle, lambda data: data[: len(data) // 2], lambda _: b"x"],
)
def test_a_damaged_file_is_set_aside(in_folder: SqliteStore, damage: Callable[[bytes], bytes]) -> None:
    for number in range(20):
        in_folder.runs.save(new_run(f"{number}", os.urandom(5000)), "me")
    path = in_folder.folder / FILE
    damaged = damage(path.read_bytes())
    path.write_bytes(damaged)
    again = SqliteStore(in_folder.folder)
    assert again.set_aside.endswith("library.damaged-1.sqlite")
    assert Path(again.set_aside).read_bytes() == damaged
    assert len(again.runs.all()) == again.salvaged.get("run", 0) < 20
    assert again.runs.model(again.runs.save(new_run(), "me")) == b"model"


def test_a_model_that_was_changed_on_the_disk_is_not_opened(in_folder: SqliteStore) -> None:
    run_id = in_folder.runs.save(new_run(model=b"0123456789abcdef"), "me")
    path = in_folder.folder / FILE
    path.write_bytes(path.read_bytes().replace(b"0123456789abcdef", b"0123456789abcdeX"))
    with pytest.raises(LibraryError, match="damaged"):
        SqliteStore(in_folder.folder).runs.model(run_id)


def test_a_folder_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file" / "library", tmp_path / "file"):
        with pytest.raises(LibraryError, match="cannot be"):
            SqliteStore(folder)


def _run(script: str, folder: Path, **options) -> "subprocess.CompletedProcess[str]":
    code = textwrap.dedent(script)
    return subprocess.run(
        [sys.executable, "-c", code, str(folder)], cwd=ROOT, capture_output=True, text=True, check=True, **options
    )


_TRY_TO_SAVE = """
    import os, sys
    from pathlib import Path
    from app.server.store.store import LibraryError
    from app.server.store.opening import SqliteStore
    from app.server.store.store import NewRun

    try:
        library = SqliteStore(Path(sys.argv[1]))
        library.runs.save(NewRun("a", "ko", "", "", {}, [], os.urandom(3_000_000)), "me")
        print("saved")
    except LibraryError as error:
        print(error)
"""


def test_a_read_only_folder_is_explained(tmp_path: Path) -> None:
    library = SqliteStore(tmp_path / "library")
    run_id = library.runs.save(new_run(), "me")
    (library.folder / FILE).chmod(0o444)
    library.folder.chmod(0o555)
    for parent in (tmp_path, *list(tmp_path.parents)[:3]):
        parent.chmod(parent.stat().st_mode | 0o055)
    # The administrator may write anywhere, so it is somebody else for a moment.
    me = os.geteuid()
    try:
        if me == 0:
            os.seteuid(65534)
        with pytest.raises(LibraryError, match="not writable"):
            SqliteStore(library.folder)
        with pytest.raises(LibraryError, match="not writable"):
            library.runs.save(new_run(), "me")
    finally:
        os.seteuid(me)
        library.folder.chmod(0o755)
        (library.folder / FILE).chmod(0o644)
    assert SqliteStore(library.folder).runs.model(run_id) == b"model"


def test_a_full_disk_is_explained_and_changes_nothing(tmp_path: Path) -> None:
    library = SqliteStore(tmp_path)
    run_id = library.runs.save(new_run(), "me")

    def fill_the_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    done = _run(_TRY_TO_SAVE, tmp_path, preexec_fn=fill_the_disk)
    assert "the disk is full" in done.stdout
    again = SqliteStore(tmp_path)
    assert again.set_aside == ""
    assert [run.id for run in again.runs.all()] == [run_id]
    assert "saved" in _run(_TRY_TO_SAVE, tmp_path).stdout


# One process after another, each of which saves until it is killed.
_SAVE_FOR_EVER = """
    import os, sys
    from pathlib import Path
    from app.server.store.opening import SqliteStore
    from app.server.store.store import NewRun

    def save():
        library = SqliteStore(Path(sys.argv[1]))
        while True:
            print(f"begin {os.getpid()}", flush=True)
            run_id = library.runs.save(NewRun("a", "ko", "", "", {}, [{"n": 1}], os.urandom(400_000)), "me")
            print(f"saved {run_id}", flush=True)

    for _ in sys.stdin:
        if not (pid := os.fork()):
            save()
        os.waitpid(pid, 0)
        print("killed", flush=True)
"""


@pytest.mark.slow
def test_killed_while_saving_nothing_is_lost_or_half(tmp_path: Path) -> None:
    saved: set[str] = set()
    code = [sys.executable, "-c", textwrap.dedent(_SAVE_FOR_EVER), str(tmp_path)]
    with subprocess.Popen(code, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writers:
        assert writers.stdin is not None and writers.stdout is not None
        for number in range(0, 100, 2):
            writers.stdin.write("\n")
            writers.stdin.flush()
            lines = [writers.stdout.readline() for _ in range(3)]
            # One after another a little later in the save: the first while it begins, the last when it is done.
            for _ in range(number * 20_000):
                pass
            os.kill(int(lines[0].removeprefix("begin ")), signal.SIGKILL)
            lines += iter(writers.stdout.readline, "killed\n")
            saved.update(line.split()[1] for line in lines if line.startswith("saved "))
            library = SqliteStore(tmp_path)
            assert library.set_aside == ""
            runs = library.runs.all()
            assert saved <= {run.id for run in runs}
            assert all(len(library.runs.model(run.id)) == 400_000 for run in runs[:3])
            assert all(run.rounds == [{"n": 1}] for run in runs)
            with sqlite3.connect(tmp_path / FILE) as db:
                assert db.execute("PRAGMA foreign_key_check").fetchall() == []
                assert db.execute("SELECT count(*) FROM model").fetchone()[0] == len(runs)
            db.close()


# One of two servers on the same library: saves runs and texts, lists, deletes every other one of its own.
_SERVE = """
    import os, sys
    from app.server.store.opening import library_place, open_store
    from app.server.store.store import NewRun

    me = sys.argv[2]
    library = open_store(library_place({"THUNDER_TOK_LIBRARY": sys.argv[1]}))
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(25):
        model = b"equal" * 1000 if number % 3 == 0 else os.urandom(20_000)
        run_id = library.runs.save(NewRun(f"{me} {number}", "ko", "", "", {}, [{"n": number}], model), me)
        text_id = library.texts.save(f"{me} {number}", me)
        assert library.runs.model(run_id) == model and library.texts.find(text_id) == f"{me} {number}"
        assert run_id in {run.id for run in library.runs.owned(me)} and len(library.runs.all()) >= 1
        if number % 2:
            library.runs.delete(run_id, me)
            library.texts.delete(text_id, me)
        else:
            print(run_id, text_id, flush=True)
"""


@pytest.mark.slow
def test_two_servers_on_one_library_lose_nothing(place: Path | str, library: Store) -> None:
    code = [sys.executable, "-c", textwrap.dedent(_SERVE), str(place)]
    servers = [
        subprocess.Popen([*code, me], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for me in ("one", "two")
    ]
    for server in servers:
        assert server.stdout is not None and server.stdout.readline() == "ready\n"
    for server in servers:
        assert server.stdin is not None
        server.stdin.write("\n")
        server.stdin.flush()
    kept = [line.split() for server in servers for line in server.communicate(timeout=120)[0].splitlines()]
    assert [server.returncode for server in servers] == [0, 0] and len(kept) == 26
    assert library.set_aside == ""
    assert {run.id for run in library.runs.all()} == {run_id for run_id, _ in kept}
    assert all(len(library.runs.model(run_id)) in (5000, 20_000) for run_id, _ in kept)
    assert {library.texts.find(text_id).split()[0] for _, text_id in kept} == {"one", "two"}


def test_a_run_keeps_its_text_where_its_owner_wants_that(library: Store) -> None:
    text = "나무에 꽃이 피었다.\ud800\n" * 50
    with_text = [library.runs.save(replace(new_run(), corpus=text), owner) for owner in ("a", "b")]
    without = library.runs.save(new_run(), "a")
    size = library.size()
    assert [library.runs.corpus(one) for one in (*with_text, without)] == [text, text, None]
    assert [run.corpus_size > 0 for run in library.runs.all()] == [False, True, True]
    assert size == len(b"model") + library.runs.find(with_text[0]).corpus_size  # equal texts once
    library.runs.delete(with_text[0], "a")
    assert library.runs.corpus(with_text[1]) == text and library.size() == size
    library.runs.delete(with_text[1], "b")
    assert library.size() == len(b"model") and library.runs.corpus(without) is None
    with pytest.raises(UnknownIdError):
        library.runs.corpus(with_text[1])


def test_texts_of_runs_count_in_their_owners_part(open_library: Callable[..., Store]) -> None:
    text = "".join(chr(0xAC00 + k) for k in random.Random(0).choices(range(11_172), k=3000))  # 6 kB, packed
    library = open_library(max_bytes=20_000, owner_bytes=9000)
    library.runs.save(replace(new_run(), corpus=text), "a")
    with pytest.raises(OwnerFullError):
        library.runs.save(replace(new_run(), corpus=text[::-1]), "a")
    library.runs.save(replace(new_run(), corpus=text), "a")  # takes nothing
    assert len(library.runs.owned("a")) == 2


def test_a_text_of_a_run_that_was_damaged_on_the_disk_is_refused(library: Store) -> None:
    run_id = library.runs.save(replace(new_run(), corpus="가" * 100), "a")
    with library.database.transaction() as db:
        db.execute("UPDATE corpus SET content = ?", (b"x",))
    with pytest.raises(LibraryError, match="damaged"):
        library.runs.corpus(run_id)

"""A server that is killed, a disk that is full or read-only: the library is whole, the reason is said, and nothing of a
user's lies about."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from app.classroom.store.records import RoomState
from app.classroom.store.rooms import rooms_of
from app.server.library import Opener
from app.server.store.opening import SqliteStore
from app.server.store.sqlite.database import FILE
from app.server.store.store import LibraryError, NewRun
from app.server.stored_texts import checked_text
from app.server.work.jobs import DONE, JobView, Registry, Request
from app.texts.corpora import builtin_corpus
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.machine.atomic_file import read_file, write_whole
from tests.conftest import ROOT

Wait = Callable[..., None]


def _run(content: bytes) -> NewRun:
    return NewRun("실험", "ko", "", "", {}, [], content)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB, of which a library takes one as its reserve."""
    mount = shutil.which("mount")
    if mount is None or sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root may mount a small file system, and only Linux has tmpfs")
    done = subprocess.run([mount, "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(tmp_path)], capture_output=True)
    if done.returncode:
        pytest.skip("this machine does not let a test mount a file system")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)  # a worker may be about to end


def _free(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def test_a_disk_that_is_full_loses_nothing(small_disk: Path) -> None:
    other = small_disk / "other"
    other.write_bytes(bytes(500_000))
    library = SqliteStore(small_disk / "library")
    saved: dict[str, bytes] = {}

    def fill() -> None:
        for _ in range(100):
            content = os.urandom(100_000)
            saved[library.runs.save(_run(content), "me")] = content

    with pytest.raises(LibraryError, match="the disk is full"):
        fill()
    assert 5 < len(saved) < 20
    # What was saved can be opened while the disk is full.
    again = SqliteStore(small_disk / "library")
    assert again.set_aside == ""
    assert {run.id: again.runs.model(run.id) for run in again.runs.all()} == saved
    # And deleted: there is a reserve for that.
    while _free(small_disk):
        other.write_bytes(other.read_bytes() + bytes(_free(small_disk)))
    for run_id in list(saved)[:2]:
        again.runs.delete(run_id, "me")
    assert set(saved) - {run.id for run in again.runs.all()} == set(list(saved)[:2])
    other.unlink()
    for run_id in list(saved)[2:4]:
        again.runs.delete(run_id, "me")
    again.runs.save(_run(os.urandom(100_000)), "me")
    assert len(again.runs.all()) == len(saved) - 3


@pytest.mark.slow
@pytest.mark.parametrize("n_phones", [0, 3, 300])
@pytest.mark.parametrize("size", [100_000, 1_500_000, 2_500_000])
def test_a_full_disk_lets_delete_again_and_again_also_during_a_class(
    small_disk: Path, n_phones: int, size: int
) -> None:
    subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)
    library = SqliteStore(small_disk / "library")
    room = rooms_of(library).open("teacher", "ko", RoomState())
    for number in range(n_phones):
        rooms_of(library).visit(room.id, f"phone {number}")
    saved: list[str] = []
    with suppress(LibraryError):  # the last ones do not fit
        while len(saved) < 8:
            saved.append(library.runs.save(_run(os.urandom(size)), "me"))
    assert len(saved) >= 4
    for number, run_id in enumerate(saved):
        with (small_disk / "other").open("ab", buffering=0) as other, suppress(OSError):
            while other.write(bytes(4096)):
                pass
        if number % 2:  # what answers left in the log must not be in the way either
            with suppress(LibraryError):
                rooms_of(library).visit(room.id, f"late {number}")
        library.runs.delete(run_id, "me")
        assert [run.id for run in library.runs.all()] == saved[number + 1 :][::-1]
        assert _free(small_disk) > 0.9 * size


@contextmanager
def _read_only(folder: Path) -> Iterator[None]:
    mount = ["mount", "-o"]
    subprocess.run([*mount, "remount,ro", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run([*mount, "remount,rw", str(folder)], check=True)


def test_a_disk_that_became_read_only_is_explained(small_disk: Path) -> None:
    folder = small_disk / "library"
    library = SqliteStore(folder)
    run_id = library.runs.save(_run(b"model"), "me")
    before = (folder / FILE).read_bytes()
    with _read_only(small_disk):
        opener = Opener(folder, 1_000_000, retry_seconds=0)
        for action in (lambda: library.runs.save(_run(b"new"), "me"), lambda: library.runs.delete(run_id, "me")):
            with pytest.raises(LibraryError, match="not writable"):
                action()
        error = opener.opened().error
        assert isinstance(error, LibraryError)
        assert error.code == "library.not_writable"
        with pytest.raises(InputError, match="Read-only file system"):
            write_whole(small_disk / "file", b"content")
        assert (folder / FILE).read_bytes() == before
    # Nobody needs to start the server again.
    found = opener.opened().library
    assert found is not None
    assert (found.set_aside, found.runs.model(run_id)) == ("", b"model")


@pytest.fixture
def registry(small_disk: Path) -> Iterator[Registry]:
    """Jobs whose folder is on the small disk."""
    made = Registry(small_disk)
    yield made
    made.close()


def _failure(registry: Registry, request: Request, wait_until: Wait) -> InputError:
    job_id = registry.submit(request)
    wait_until(lambda: not _view(registry, job_id).is_active, 300)
    error = _view(registry, job_id).error
    assert error is not None
    return error


def _view(registry: Registry, job_id: str) -> JobView:
    job = registry.view(job_id)
    assert job is not None
    return job


def _fill(folder: Path) -> Path:
    """A file that takes all the space there is."""
    path = folder / "fill"
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    return path


@pytest.mark.slow
def test_training_on_a_full_or_read_only_disk_fails_with_its_reason(
    registry: Registry, small_disk: Path, wait_until: Wait
) -> None:
    settings = TrainingSettings(vocab_size=264, min_count=1)
    own, built_in = (
        Request(checked_text("가나다 " * 5000), settings),
        Request(builtin_corpus("toy", ("hug",)), settings),
    )
    fill = _fill(small_disk)
    full = "No space left on device"
    # The text cannot be handed over; the model cannot be saved; a loaded model cannot be kept.
    error = _failure(registry, own, wait_until)
    assert (error.code, error.values) == ("job.not_started", {"detail": full})
    error = _failure(registry, built_in, wait_until)
    assert (error.code, error.values["detail"]) == ("file.unwritable", full)
    with pytest.raises(InputError, match=full):
        registry.models.write("file", bytes(10_000))
    assert [path.name for path in small_disk.iterdir()] == ["fill"]
    with _read_only(small_disk):
        error = _failure(registry, own, wait_until)
        assert (error.code, error.values) == ("job.not_started", {"detail": "Read-only file system"})
    fill.unlink()
    registry.models.write("file", bytes(10_000))
    job_id = registry.submit(built_in)
    wait_until(lambda: _view(registry, job_id).state == DONE, 300)


def _children(pid: int) -> list[int]:
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += [int(child) for child in path.read_text().split()]
    return found


def _trainers(pid: int) -> list[int]:
    """The workers that a server has begun for a training; it keeps others warm for files of visitors."""
    found = []
    for child in _children(pid):
        with suppress(OSError):
            words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            if b"app.worker" in words and b"--warm" not in words:
                found.append(child)
    return found


def _lives(pid: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class _Server:
    """The app as a process of its own, with folders of the test's own."""

    def __init__(self, folder: Path, wait_until: Wait) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"127.0.0.1:{port}"
        self.library, temporary = folder / "library", folder / "tmp"
        temporary.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "streamlit", "run", "app/main.py", f"--server.port={port}"]
        self.process = subprocess.Popen(
            [*command, "--server.address=127.0.0.1"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "THUNDER_TOK_LIBRARY": str(self.library), "TMPDIR": str(temporary)},
        )
        wait_until(self._answers)

    def _answers(self) -> bool:
        with suppress(OSError), urllib.request.urlopen(f"http://{self.address}/_stcore/health", timeout=2) as response:
            return bool(response.status == 200)
        return False

    def visit(self, query: str) -> None:
        """Ask for a page and wait until it begins."""
        message = BackMsg()
        message.rerun_script.query_string = query
        with connect(f"ws://{self.address}/_stcore/stream", subprotocols=[Subprotocol("streamlit")]) as browser:
            browser.send(message.SerializeToString())
            browser.recv(timeout=60)
            self.worker = self._first_worker()

    def _first_worker(self) -> int:
        from tests.conftest import wait_until

        found: list[int] = []
        wait_until(lambda: found or found.extend(_trainers(self.process.pid)))
        return found[0]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc")
def test_a_server_that_is_told_to_end_leaves_nothing(tmp_path: Path, wait_until: Wait) -> None:
    server = _Server(tmp_path, wait_until)
    server.visit("with=none&model=toy~vocab_size-310")
    server.process.terminate()
    server.process.wait(timeout=60)
    assert list((tmp_path / "tmp").glob("thunder-tok-*")) == []
    wait_until(lambda: not Path(f"/proc/{server.worker}").exists())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc")
def test_a_server_that_is_killed_while_it_trains(tmp_path: Path, wait_until: Wait) -> None:
    servers = []
    kept: list[str] = []
    left: set[Path] = set()

    def is_alone() -> bool:
        found = {*(tmp_path / "tmp").glob("thunder-tok-*")}
        return len(found) == 1 and not found & left

    try:
        for number in range(2):
            server = _Server(tmp_path, wait_until)
            servers.append(server)
            # Whatever an earlier server left is gone once this one has a folder of its own.
            server.visit(f"with=none&model=toy~vocab_size-{300 + number}")
            wait_until(is_alone)  # a worker may begin before the folder is there
            left |= {*(tmp_path / "tmp").glob("thunder-tok-*")}
            library = SqliteStore(server.library)
            kept.append(library.runs.save(_run(os.urandom(1000)), "me"))
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            wait_until(lambda server=server: not _lives(server.worker))
            assert [run.id for run in SqliteStore(server.library).runs.all()] == kept[::-1]
            assert SqliteStore(server.library).set_aside == ""
    finally:
        for server in servers:
            server.process.kill()
            server.process.wait()


@pytest.mark.parametrize("path", ["", "/", "\ud800", "a\0b"])
def test_what_cannot_be_a_file_is_named(path: str) -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_file(path)
    with pytest.raises(InputError, match="cannot write"):
        write_whole(path, b"content")

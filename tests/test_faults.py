"""A server that is killed and a disk that is full: the library is whole, and nothing of a user's lies about."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from engine.library.database import LibraryError
from engine.library.store import Library, NewRun
from tests.conftest import ROOT

Wait = Callable[..., None]


def _run(content: bytes) -> NewRun:
    return NewRun("실험", "ko", "", "", {}, [], content)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB."""
    mount = shutil.which("mount")
    if mount is None or sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root may mount a small file system, and only Linux has tmpfs")
    done = subprocess.run([mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(tmp_path)], capture_output=True)
    if done.returncode:
        pytest.skip("this machine does not let a test mount a file system")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_disk_that_is_full_loses_nothing(small_disk: Path) -> None:
    other = small_disk / "other"
    other.write_bytes(bytes(500_000))
    library = Library(small_disk / "library")
    saved: dict[str, bytes] = {}

    def fill() -> None:
        for _ in range(100):
            content = os.urandom(100_000)
            saved[library.save(_run(content), "me")] = content

    with pytest.raises(LibraryError, match="the disk is full"):
        fill()
    assert 5 < len(saved) < 20
    # What was saved can be opened while the disk is full.
    again = Library(small_disk / "library")
    assert again.set_aside == ""
    assert {run.id: again.model(run.id) for run in again.all()} == saved
    other.unlink()
    for run_id in list(saved)[:4]:
        again.delete(run_id, "me")
    again.save(_run(os.urandom(100_000)), "me")
    assert len(again.all()) == len(saved) - 3


def _children(pid: int) -> list[int]:
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += [int(child) for child in path.read_text().split()]
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
            [*command, "--server.address=127.0.0.1"], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "THUNDER_TOK_LIBRARY": str(self.library), "TMPDIR": str(temporary)},
        )  # fmt: skip
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

        wait_until(lambda: _children(self.process.pid))
        return _children(self.process.pid)[0]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc")
def test_a_server_that_is_killed_while_it_trains(tmp_path: Path, wait_until: Wait) -> None:
    servers = []
    kept: list[str] = []
    try:
        for number in range(3):
            server = _Server(tmp_path, wait_until)
            servers.append(server)
            # Whatever an earlier server left is gone once this one has a folder of its own.
            server.visit(f"with=none&model=ko~vocab_size-{1500 + number}")
            folders = list((tmp_path / "tmp").glob("thunder-tok-*"))
            assert len(folders) == 1
            library = Library(server.library)
            kept.append(library.save(_run(os.urandom(1000)), "me"))
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            wait_until(lambda server=server: not _lives(server.worker))
            assert [run.id for run in Library(server.library).all()] == kept[::-1]
            assert Library(server.library).set_aside == ""
    finally:
        for server in servers:
            server.process.kill()
            server.process.wait()

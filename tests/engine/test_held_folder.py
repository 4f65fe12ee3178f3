"""The folder of a process: its own while it lives, removed by the next when it was killed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.machine.folders import held_folder, remove_held
from tests.conftest import ROOT, wait_until

_SERVER = """
import sys, time
from engine.machine.folders import held_folder
folder = held_folder()
(folder / "text.txt").write_text("secret")
print(folder, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list["subprocess.Popen[str]"]]:
    """Two processes with such a folder each, in a folder for temporary files that is the test's own."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    made = [
        subprocess.Popen(
            [sys.executable, "-c", _SERVER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    yield made
    for server in made:
        server.kill()
        server.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such lock there; what a killed server left stays")
def test_the_next_server_removes_what_a_killed_one_left(servers: list["subprocess.Popen[str]"]) -> None:
    folders = []
    for server in servers:
        assert server.stdout is not None
        folders.append(Path(server.stdout.readline().strip()))
    servers[0].kill()
    servers[0].wait()
    assert all((folder / "text.txt").read_text() == "secret" for folder in folders)
    mine = held_folder()
    assert mine.stat().st_mode & 0o077 == 0
    assert [folder.exists() for folder in (*folders, mine)] == [False, True, True]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such lock there; what a killed training left stays")
@pytest.mark.parametrize("has_spool", [False, True])
def test_the_next_training_removes_what_a_killed_one_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_spool: bool
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    spool = tmp_path / "spool" if has_spool else tmp_path
    (text := tmp_path / "a.txt").write_text("나는 간다\n" * 60_000, encoding="utf-8")
    command = [sys.executable, "-m", "engine", "train", str(text), "--vocab-size", "300", "--stream"]
    command += ["--output", str(tmp_path / "m.tok"), *(["--spool", str(spool)] if has_spool else [])]
    killed = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "TMPDIR": str(tmp_path)}, stderr=subprocess.DEVNULL)
    wait_until(lambda: list(spool.glob("thunder-tok-spool-*/lock")))
    killed.kill()
    killed.wait()
    (left,) = spool.glob("thunder-tok-spool-*")
    held = held_folder("spool-", str(spool))
    assert not left.exists() and held.exists()
    remove_held(held)
    other = spool / "thunder-tok-of-another-machine"
    other.mkdir()
    (other / "lock").write_text("another machine")
    remove_held(held_folder("spool-", str(spool)))
    assert [path.name for path in spool.glob("thunder-tok-*")] == [other.name]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such owners there")
def test_what_looks_like_such_a_folder_and_is_not_ours_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    target, unlocked = tmp_path / "elsewhere", tmp_path / "thunder-tok-young"
    for folder in (target, unlocked):
        folder.mkdir()
    for name in ("lock", "text.txt"):
        (target / name).write_text("precious")
    (tmp_path / "thunder-tok-link").symlink_to(target)
    (tmp_path / "thunder-tok-file").write_text("a file")
    kept = [target / "text.txt", unlocked, tmp_path / "thunder-tok-file"]
    if os.geteuid() == 0:  # only an administrator can make, and remove, what is another user's
        foreign = tmp_path / "thunder-tok-foreign"
        foreign.mkdir()
        (foreign / "lock").touch()
        os.chown(foreign, 65534, 65534)
        kept.append(foreign / "lock")
    held_folder()
    assert [path.exists() for path in kept] == [True] * len(kept)


def test_ctrl_c_leaves_none_that_is_half_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(folder: Path) -> list[int]:
        assert folder.is_dir()
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.machine.folders._hold", interrupt)
    with pytest.raises(KeyboardInterrupt):
        held_folder("spool-", str(tmp_path))
    assert not list(tmp_path.iterdir())

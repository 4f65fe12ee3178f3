"""The folders in a user's home: the system's custom for who begins now, the old place for who has something there."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from app.server.library import Opener
from app.server.store.opening import SqliteStore, library_place
from app.server.store.store import NewRun
from engine.machine import folders
from engine.machine.folders import cache_folder, data_folder
from tests.conftest import ROOT

_RUN = NewRun("실험", "ko", "", "", {}, [], b"model")


class _Places(NamedTuple):
    new: Path
    old: Path


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Places:
    """A system whose custom is another place than the first versions chose."""
    found = _Places(tmp_path / "new" / "thunder-tok", tmp_path / "old" / "thunder-tok")
    for kind in ("data", "cache"):
        monkeypatch.setattr(f"platformdirs.user_{kind}_path", lambda *names, **options: found.new)
        monkeypatch.setattr(folders, f"_old_{kind}", lambda: found.old)
    return found


def _names(folder: Path) -> list[str]:
    opened = Opener(folder, 1_000_000).opened()
    assert opened.library is not None
    return [run.name for run in opened.library.runs.all()]


def test_who_begins_now_gets_the_place_of_the_system(places: _Places) -> None:
    assert library_place({}) == places.new
    places.old.mkdir(parents=True)  # an empty folder holds nothing that could be lost
    assert library_place({}) == places.new


def test_a_library_at_the_old_place_stays_in_use(places: _Places) -> None:
    SqliteStore(places.old).runs.save(_RUN, "me")
    for _ in range(2):  # every start
        folder = library_place({})
        assert folder == places.old
        assert _names(folder) == ["실험"]
    assert not places.new.exists()


def test_of_two_libraries_the_new_one_is_used_and_the_old_one_is_left_alone(
    places: _Places, caplog: pytest.LogCaptureFixture
) -> None:
    SqliteStore(places.old).runs.save(_RUN, "me")
    SqliteStore(places.new)
    before = {path.name: path.read_bytes() for path in places.old.iterdir()}
    assert library_place({}) == places.new
    assert str(places.old) in caplog.text
    assert {path.name: path.read_bytes() for path in places.old.iterdir()} == before


@pytest.mark.skipif(os.name == "nt", reason="modes of folders are those of Unix")
def test_folders_that_may_not_be_written_lose_nothing(places: _Places, as_nobody: Callable[..., None]) -> None:
    SqliteStore(places.old).runs.save(_RUN, "me")
    places.new.parent.mkdir()
    as_nobody(places.old, places.new.parent)
    # Not a new library where nobody would find the old runs: it is said what is wrong with the old one.
    assert library_place({}) == places.old
    error = Opener(places.old, 1_000_000).opened().error
    assert error is not None and error.code == "library.not_writable"


@pytest.fixture
def as_nobody(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., None]:
    """Makes folders read-only; and the administrator, who may write anywhere, somebody else."""

    def make(*read_only: Path) -> None:
        me = os.geteuid()
        for folder in read_only:
            for path in (folder, *folder.iterdir()):
                path.chmod(0o555 if path.is_dir() else 0o444)
        for parent in (tmp_path, *list(tmp_path.parents)[:3]):
            parent.chmod(parent.stat().st_mode | 0o055)

        def back() -> None:
            os.seteuid(me)
            for folder in read_only:
                folder.chmod(0o755)

        request.addfinalizer(back)
        if me == 0:
            os.seteuid(65534)

    return make


def test_what_can_be_made_again_lies_where_it_lay(places: _Places) -> None:
    assert cache_folder() == places.new
    assert places.new.is_dir()
    places.new.rmdir()
    (places.old / "kernels-0").mkdir(parents=True)
    assert cache_folder() == places.old


@pytest.mark.skipif(os.name == "nt", reason="the name holds the number of the user")
def test_a_home_without_a_place_for_it_has_its_cache_elsewhere(
    places: _Places, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    places.new.parent.write_text("a file in the way")
    assert cache_folder() == tmp_path / f"thunder-tok-explorer-{os.getuid()}"


@pytest.mark.skipif(sys.platform != "linux", reason="the custom of Linux")
def test_on_linux_everything_is_where_it_always_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert data_folder() == folders._old_data() == tmp_path / ".local" / "share" / "thunder-tok"
    assert cache_folder() == folders._old_cache() == tmp_path / ".cache" / "thunder-tok-explorer"
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert data_folder() == folders._old_data() == Path("/data/thunder-tok")
    assert cache_folder() == folders._old_cache() == tmp_path / "cache" / "thunder-tok-explorer"


@pytest.mark.parametrize(
    ("platform", "data"),
    [("darwin", "Library/Application Support/thunder-tok"), ("win32", "AppData/Local/thunder-tok")],
)
def test_the_old_places_of_other_systems(monkeypatch: pytest.MonkeyPatch, platform: str, data: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    assert folders._old_data() == Path.home() / data
    assert folders._old_cache() == Path.home() / ".cache" / "thunder-tok-explorer"


def test_the_folder_of_kernels_is_named_for_worker_processes_too(tmp_path: Path) -> None:
    script = """
import os, sys
from engine.machine import folders
from engine import _jit
assert "numba" not in sys.modules and "platformdirs" not in sys.modules
named = str(folders.cache_folder() / f"kernels-{_jit.source_hash()}")
print(_jit.kernel_cache() == os.environ["NUMBA_CACHE_DIR"] == named)
"""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment["XDG_CACHE_HOME"] = str(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True"
    # Where somebody else has named it, nobody looks for a home.
    environment["NUMBA_CACHE_DIR"] = str(tmp_path / "named")
    script = "import sys; from engine import _jit; print(_jit.kernel_cache(), 'platformdirs' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(tmp_path / "named"), "False"]


def test_a_folder_that_cannot_be_written_is_replaced_by_one_of_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    folders.safe_folder.cache_clear()
    used = folders.safe_folder(tmp_path)
    assert used != tmp_path and os.access(used, os.W_OK) and "cannot be written" in caplog.text
    used.rmdir()
    folders.safe_folder.cache_clear()

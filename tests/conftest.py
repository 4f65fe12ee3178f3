"""What tests of several files share."""

import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from app.server.store.tables import Store
    from app.server.work.jobs import Registry  # tests of the engine alone do not load the app
    from tests.hub_server import HubServer
    from tests.running.postgresql_server import PostgresqlServer

pytest_plugins = ["tests.running.green"]

# A first call compiles, so a deadline would measure the compiler; the same examples every time.
settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")

# The app hides the reason of an error from visitors; a failing test that starts it should show it.
os.environ.setdefault("STREAMLIT_CLIENT_SHOW_ERROR_DETAILS", "full")

# Messages of the command line are in the language of the locale; those that tests quote are English.
os.environ["LC_ALL"] = "C.UTF-8"

# Most tests are about the built-in corpus, whose model is small; those about shipped models name them.
os.environ["THUNDER_TOK_MODEL"] = "ko"

# Tests that need a run library make one of their own; nobody's real one is touched.
os.environ["THUNDER_TOK_LIBRARY"] = "off"

# Nor does a test ask the network for tokenizers: `hub` below is a server of its own.
os.environ["THUNDER_TOK_HUB"] = "off"

ROOT = Path(__file__).resolve().parent.parent
_MAIN = sys.modules["__main__"]


@pytest.hookimpl(trylast=True)  # after what `-m` leaves out is gone
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Deal the longest tests out to pytest's processes, which begin with them: at the end none waits for another.

    Those of one file go to one process, which starts once what they share. Each process begins with a stretch of the
    list, all of one length, and at its end takes from the end of another's.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in filter(_seconds, items):
        files.setdefault(item.path, []).append(item)
    processes: list[list[pytest.Item]] = [[] for _ in range(int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))]
    for long in sorted(files.values(), key=lambda tests: sum(map(_seconds, tests)), reverse=True):
        min(processes, key=lambda tests: sum(map(_seconds, tests))).extend(long)
    rest = [item for item in items if not _seconds(item)]
    dealt: list[pytest.Item] = []
    for k, first in enumerate(processes):
        dealt += first
        n_more = max(0, len(items) * (k + 1) // len(processes) - len(dealt))
        dealt += rest[:n_more]
        del rest[:n_more]
    items[:] = dealt + rest


def pytest_collection_finish() -> None:
    """What is imported stays: the garbage collector need not look through it, nor at every 700 new objects."""
    gc.freeze()
    gc.set_threshold(20_000)


def pytest_runtest_teardown() -> None:
    """Streamlit's simulator leaves its script as `__main__`, which a process that another test spawns would run."""
    sys.modules["__main__"] = _MAIN


def _seconds(item: pytest.Item) -> float:
    """About how long a test takes, where that is a minute or more: `@pytest.mark.slow(seconds=...)`."""
    marker = item.get_closest_marker("slow")
    return float(marker.kwargs.get("seconds", 0)) if marker else 0


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of large corpora that lies beside the project on some machines."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the corpora of ../shared/data are not on this machine")
    return folder


def wait_until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Poll until the condition holds; fails with its source position where it never does."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"did not come true within {seconds:g} s")
        time.sleep(0.02)


@pytest.fixture(name="wait_until")
def wait_until_fixture() -> Callable[..., None]:
    """`wait_until(condition)`."""
    return wait_until


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Iterator[Registry]":
    """The server's registry, a new one for each test."""
    from app.server.work.jobs import Registry

    own = Registry(tmp_path)
    monkeypatch.setattr("app.server.work.jobs._server_registry", lambda: own)
    yield own
    own.close()


@pytest.fixture(scope="session")
def _shared_registry(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Registry]":
    from app.server.work.jobs import Registry

    own = Registry(tmp_path_factory.mktemp("models"))
    yield own
    own.close()


@pytest.fixture
def shared_registry(_shared_registry: "Registry", monkeypatch: pytest.MonkeyPatch) -> "Registry":
    """The server's registry, one for all tests of a process that ask for it: what one has trained, another finds."""
    monkeypatch.setattr("app.server.work.jobs._server_registry", lambda: _shared_registry)
    return _shared_registry


@pytest.fixture(scope="session", autouse=True)
def _loaded_once() -> Iterator[None]:
    """A process builds the tokenizer of a public or shipped vocabulary once, as the app does; nothing changes one."""
    from engine.public import packed
    from engine.shipped import catalogue

    with pytest.MonkeyPatch.context() as patch:
        for name in ("_gpt2", "from_sentencepiece", "from_splintr", "from_vocab_txt"):
            patch.setattr(packed, name, lru_cache(maxsize=4)(getattr(packed, name)))
        patch.setattr(catalogue, "import_tokenizer", lru_cache(maxsize=4)(catalogue.import_tokenizer))
        yield


@pytest.fixture(scope="module")
def few_fuzz_lines() -> Iterator[None]:
    """Changed vocabularies are checked on fewer lines than a user's: many of them, and small ones."""
    from engine.interop.exports import check_parity

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.fit.changed.check_parity", partial(check_parity, n_fuzz=200))
        yield


@pytest.fixture(scope="session")
def prepared() -> None:
    """The models of a first visitor, as `make run` and `make test` prepare them; else they are trained here."""
    from app import prepare

    assert prepare.main() == 0


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Iterator[HubServer]":
    """A hub of this test, which the program asks, and an empty folder for what it keeps."""
    from tests.hub_server import HubServer

    with HubServer() as server:
        monkeypatch.setenv("THUNDER_TOK_HUB", "on")
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        (folder := tmp_path / "hub").mkdir()
        monkeypatch.setattr("engine.public.hub.safe_cache_folder", lambda name: folder)
        yield server


@pytest.fixture(scope="session")
def postgresql() -> "Iterator[PostgresqlServer]":
    """A server of this process, for all its tests."""
    from tests.running import postgresql_server

    with postgresql_server.running() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Of an empty library, on each database."""
    if request.param == "sqlite":
        return tmp_path / "library"
    from tests.running import postgresql_server

    return postgresql_server.empty(request.getfixturevalue("postgresql").url())


@pytest.fixture
def open_library(place: Path | str) -> "Iterator[Callable[..., Store]]":
    """Opens the library at `place`, as often as it is called, with limits if they are given."""
    from app.server.store.opening import open_store

    opened: list[Store] = []

    def open_one(**limits: int) -> "Store":
        opened.append(open_store(place, **limits))
        return opened[-1]

    yield open_one
    for each in opened:
        each.database.close()


@pytest.fixture
def store(open_library: "Callable[..., Store]") -> "Store":
    """An empty library, on each database."""
    return open_library()

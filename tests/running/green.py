"""Long tests that are skipped where they were green on the same files: `@pytest.mark.keyed("engine", "install.py")`.

The key is a hash of the named files, of the test's own file and of the version of Python. It is remembered in the
user's cache, outside the tree. CI runs everything: nothing is skipped where the variable CI is set.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from engine.machine.folders import cache_folder

ROOT = Path(__file__).resolve().parents[2]

# Of tests of the engine alone that take long: what they read.
ENGINE = pytest.mark.keyed(
    "assets/corpora",
    "assets/models",
    "assets/vocabularies",
    "engine",
    "requirements.txt",
    "tests/engine",
    *(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").glob("*.py")),
)


@cache
def content_hash(names: tuple[str, ...]) -> str:
    """SHA-256 of the files with these names below the project, and of those in the folders with these names."""
    assert all((ROOT / name).exists() for name in names), f"a keyed test names what is not there: {names}"
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(path for name in names for path in (ROOT / name, *(ROOT / name).rglob("*")) if path.is_file()):
        if "__pycache__" not in path.parts:
            digest.update(os.path.relpath(path, ROOT).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _note(item: pytest.Item) -> Path | None:
    """Where a green run of a keyed test is remembered."""
    marker = item.get_closest_marker("keyed")
    if marker is None or os.environ.get("CI"):
        return None
    key = content_hash((*marker.args, os.path.relpath(item.path, ROOT)))
    return cache_folder() / "green-tests" / hashlib.sha256(f"{item.nodeid} {key}".encode()).hexdigest()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a keyed test that was green on these files."""
    note = _note(item)
    if note is not None and note.exists():
        pytest.skip(f"green on the same files on {datetime.fromtimestamp(note.stat().st_mtime, UTC):%Y-%m-%d}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Remember a keyed test that passes."""
    yield
    if (note := _note(item)) is not None:
        note.parent.mkdir(parents=True, exist_ok=True)
        note.touch()

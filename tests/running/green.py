"""Tests that are skipped where they were green on the same files: `@pytest.mark.keyed("engine", "install.py")`.

Those of `_FOLDERS` have such a key unless their file names another part of the project. It is a hash of the files, of
the test's own file and of the version of Python, remembered in the user's cache, outside the tree. CI runs everything:
nothing is skipped where the variable CI is set.
"""

import hashlib
import os
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from engine.machine.folders import cache_folder

ROOT = Path(__file__).resolve().parents[2]

# What tests of the engine read, and those of a folder besides.
_ENGINE = (
    "assets",
    "engine",
    "requirements.txt",
    "requirements",
    "tests/engine",
    "tests/load",
    *(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").glob("*.py")),
)
_FOLDERS = {
    "tests/engine": (),
    "tests/thundertok": ("tests/thundertok", "thundertok"),
    "tests/documents": ("Makefile", "README.md", "docs", "install.py", "pyproject.toml", "thundertok"),
}
_PARTS = re.compile(r"\b(app|docs|pyproject\.toml|research|thundertok)\b|CITATION")


@cache
def content_hash(names: tuple[str, ...]) -> str:
    """SHA-256 of the files with these names below the project, and of those in the folders with these names."""
    assert all((ROOT / name).exists() for name in names), f"a keyed test names what is not there: {names}"
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(path for name in names for path in (ROOT / name, *(ROOT / name).rglob("*")) if path.is_file()):
        if "__pycache__" not in path.parts:
            digest.update(os.path.relpath(path, ROOT).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@cache
def names_read(path: Path) -> tuple[str, ...]:
    """Files and folders that the tests of a file read, if it is in one of `_FOLDERS` and names no other part."""
    for folder, names in _FOLDERS.items():
        if ROOT / folder in path.parents and set(_PARTS.findall(path.read_text(encoding="utf-8"))) <= {*names}:
            return (*_ENGINE, *names)
    return ()


def _note(item: pytest.Item) -> Path | None:
    """Where a green run of a keyed test is remembered."""
    marker = item.get_closest_marker("keyed")
    names = marker.args if marker else names_read(item.path)
    if not names or os.environ.get("CI"):
        return None
    # What many files read is hashed once.
    key = f"{content_hash(names)} {content_hash((os.path.relpath(item.path, ROOT),))}"
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

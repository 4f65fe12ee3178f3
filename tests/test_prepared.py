"""What is made before the first visitor comes, and found by every server that starts later."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.server.held_texts import checked_text
from app.session import feasible
from engine.config import TrainingSettings
from engine.errors import InputError

_TEXT = "가나 다라 마바사\n" * 5
_SETTINGS = TrainingSettings(algorithm="byte-bpe", vocab_size=260)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder of the test's own, and a server that has counted nothing yet."""
    monkeypatch.setattr("app.server.prepared.cache_folder", lambda: tmp_path)
    feasible._count.clear()
    yield tmp_path
    feasible._count.clear()


def _refuse(*_: Any) -> None:
    raise AssertionError("it was counted again")


def test_a_later_server_does_not_count_the_sizes_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = checked_text(_TEXT)
    counted = feasible.feasible_sizes(source, _SETTINGS)
    assert not list(folder.rglob("*.json"))
    feasible.prepare_sizes(source, _SETTINGS)
    feasible._count.clear()
    monkeypatch.setattr(feasible, "start_training", _refuse)
    assert feasible.feasible_sizes(source, _SETTINGS) == counted
    with pytest.raises(AssertionError):
        feasible.feasible_sizes(checked_text(_TEXT + "아"), _SETTINGS)


@pytest.mark.parametrize("content", ["", "[1", "[1, 2, 3]", '["a", "b"]', "7"])
def test_sizes_that_cannot_be_read_are_counted(folder: Path, content: str) -> None:
    source = checked_text(_TEXT)
    counted = feasible.feasible_sizes(source, _SETTINGS)
    feasible.prepare_sizes(source, _SETTINGS)
    (file,) = folder.rglob("*.json")
    file.write_text(content)
    feasible._count.clear()
    assert feasible.feasible_sizes(source, _SETTINGS) == counted


def test_a_text_that_cannot_be_used_is_not_kept(folder: Path) -> None:
    with pytest.raises(InputError):
        feasible.prepare_sizes(checked_text("\n\n"), _SETTINGS)
    assert not list(folder.rglob("*.json"))

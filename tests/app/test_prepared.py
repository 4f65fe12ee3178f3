"""What is made before the first visitor comes, and found by every server that starts later."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import prepare
from app.server.remember import forget, prepared_file
from app.server.stored_texts import checked_text
from app.server.work import jobs
from app.server.work.jobs import Registry, Request
from app.session import training
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.machine.folders import safe_cache_folder, safe_folder

_TEXT = "가나 다라 마바사\n" * 5
_SETTINGS = TrainingSettings(algorithm="byte-bpe", vocab_size=260)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder of the test's own, and a server that has counted nothing yet."""
    monkeypatch.setattr("engine.machine.folders.cache_folder", lambda: tmp_path)
    safe_cache_folder.cache_clear()
    forget("sizes")
    yield tmp_path
    forget("sizes")
    safe_cache_folder.cache_clear()


def _refuse(*_: Any) -> None:
    raise AssertionError("it was counted again")


def test_a_later_server_does_not_count_the_sizes_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = checked_text(_TEXT)
    counted = training.feasible_sizes(source, _SETTINGS)
    assert not list(folder.rglob("*.json"))
    training.prepare_sizes(source, _SETTINGS)
    forget("sizes")
    monkeypatch.setattr(training, "start_training", _refuse)
    assert training.feasible_sizes(source, _SETTINGS) == counted
    with pytest.raises(AssertionError):
        training.feasible_sizes(checked_text(_TEXT + "아"), _SETTINGS)


@pytest.mark.parametrize(
    "content",
    ["", "\0" * 20, "[1", "[1, 2, 3]", '["a", "b"]', "7", "[1e400, 2]", "[NaN, 1]", "[5, 2]", "[-3, 9]", "[" * 100_000],
)
def test_sizes_that_cannot_be_read_are_counted(folder: Path, content: str) -> None:
    source = checked_text(_TEXT)
    counted = training.feasible_sizes(source, _SETTINGS)
    training.prepare_sizes(source, _SETTINGS)
    (file,) = folder.rglob("*.json")
    file.write_text(content)
    forget("sizes")
    assert training.feasible_sizes(source, _SETTINGS) == counted


def test_a_text_that_cannot_be_used_is_not_kept(folder: Path) -> None:
    with pytest.raises(InputError):
        training.prepare_sizes(checked_text("\n\n"), _SETTINGS)
    assert not list(folder.rglob("*.json"))


@pytest.mark.skipif(os.name == "nt", reason="there are no such rights there")
def test_what_somebody_else_may_have_put_there_is_not_found(folder: Path) -> None:
    kept = prepared_file("a")
    kept.write_bytes(b"model")
    assert kept.is_relative_to(folder) and prepared_file("a") == kept
    kept.parent.chmod(0o777)
    safe_folder.cache_clear()
    safe_cache_folder.cache_clear()
    assert not prepared_file("a").exists() and not prepared_file("a").is_relative_to(folder)
    if os.geteuid() == 0:  # the folder above is another user's, who could put another one in its place
        kept.parent.chmod(0o700)
        os.chown(folder, 12345, -1)
        safe_folder.cache_clear()
        safe_cache_folder.cache_clear()
        assert not prepared_file("a").exists()
        os.chown(folder, os.geteuid(), -1)
    safe_folder.cache_clear()


_TRAINER = """
import json, sys
from pathlib import Path
message = json.loads(sys.stdin.readline())
with Path(sys.argv[1]).open("a") as starts:
    starts.write("x")
Path(message["request"]["output"]).write_bytes(b"model")
print(json.dumps({"event": "done"}), flush=True)
"""


def test_a_first_model_that_a_page_needs_meanwhile_is_trained_once(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = folder / "starts"
    registry = Registry(tmp_path_factory.mktemp("jobs"), command=[sys.executable, "-c", _TRAINER, str(starts)])
    monkeypatch.setattr(jobs, "_server_registry", lambda: registry)
    request = Request(checked_text(_TEXT), _SETTINGS)
    monkeypatch.setattr(prepare, "first_models", lambda: [request])
    job_id = registry.submit(request)
    prepare.train_first()
    assert prepared_file(request.key).read_bytes() == b"model" and starts.read_text() == "x"
    job = registry.view(job_id)
    assert job is not None and job.state == jobs.DONE
    registry.close()

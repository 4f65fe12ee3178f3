"""A keyed test is skipped where it was green on the same files, and nowhere else."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import ROOT
from tests.running.green import content_hash, names_read, pytest_runtest_call, pytest_runtest_setup


@pytest.fixture
def item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A keyed test about a folder of its own."""
    monkeypatch.setattr("tests.running.green.cache_folder", lambda: tmp_path / "cache")
    monkeypatch.delenv("CI", raising=False)
    content_hash.cache_clear()
    (tmp_path / "content").mkdir()
    marker = pytest.mark.keyed(str(tmp_path / "content")).mark
    return SimpleNamespace(path=Path(__file__), nodeid="a test", get_closest_marker={"keyed": marker}.get)


def _is_skipped(item: SimpleNamespace, content: str, passes: bool = True) -> bool:
    Path(item.get_closest_marker("keyed").args[0], "file").write_text(content)
    content_hash.cache_clear()
    try:
        pytest_runtest_setup(item)
    except pytest.skip.Exception:
        return True
    call = pytest_runtest_call(item)
    next(call)
    with pytest.raises(StopIteration if passes else ValueError):
        call.send(None) if passes else call.throw(ValueError("the test fails"))
    return False


def test_it_runs_again_only_after_a_failure_or_a_change(item: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _is_skipped(item, "bad", passes=False)
    assert not _is_skipped(item, "bad", passes=False)
    assert not _is_skipped(item, "good")
    assert _is_skipped(item, "good")
    assert not _is_skipped(item, "better")
    monkeypatch.setenv("CI", "true")
    assert not _is_skipped(item, "good")


def test_the_hash_is_of_names_and_contents() -> None:
    first, second, both = (
        content_hash(names) for names in (("install.py",), ("README.md",), ("README.md", "install.py"))
    )
    assert len({first, second, both, content_hash(("tests/running",))}) == 4
    assert (ROOT / "install.py").exists()


def test_a_file_that_names_another_part_has_no_key() -> None:
    assert "engine" in names_read(ROOT / "tests/engine/unigram/test_trainer.py")
    assert names_read(ROOT / "tests/engine/hangul/test_jamo.py") == names_read(Path(__file__)) == ()  # the app
    assert "docs" in names_read(ROOT / "tests/documents/test_document_commands.py")
    assert names_read(ROOT / "tests/documents/test_algorithm_page.py") == ()  # research

"""Compiled kernels lie in a cache: a full disk or a damaged file costs time, and nothing else."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT

_MODULE = """
from engine._jit import kernel

@kernel
def _double(n):
    return 2 * n

print(_double(21), sum(_double.stats.cache_hits.values()))
"""


@pytest.fixture
def double(tmp_path: Path) -> Callable[..., str]:
    """Runs a program with one kernel; returns its result, and how many kernels came out of the cache."""
    (tmp_path / "double.py").write_text(_MODULE)

    def run(**options) -> str:
        paths = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        return subprocess.run(
            [sys.executable, "double.py"],
            cwd=tmp_path, env={**os.environ, **paths}, capture_output=True, text=True, check=True, **options,
        ).stdout.strip()  # fmt: skip

    return run


def test_a_damaged_cache_is_made_again(double: Callable[..., str], tmp_path: Path) -> None:
    assert [double(), double()] == ["42 0", "42 1"]
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(files) == 2
    for path in files:
        os.truncate(path, 50)
    assert [double(), double()] == ["42 0", "42 1"]


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on the size of files stands in for a full disk")
def test_a_full_disk_stops_no_kernel(double: Callable[..., str]) -> None:
    import resource

    def fill_the_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    assert double(preexec_fn=fill_the_disk) == "42 0"
    assert [double(), double()] == ["42 0", "42 1"]

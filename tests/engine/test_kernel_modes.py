"""The kernels once more with bounds checking on, and once as plain Python.

Numba does not check bounds by itself, and a warm cache of unchecked code would check nothing: hence a cache of its
own. As plain Python the kernels show up in coverage, and integer arithmetic follows NumPy's rules.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

_TESTS = [
    "tests/engine/lattice/test_lattice.py",
    "tests/engine/unigram/test_seed.py",
    "tests/engine/unigram/test_trainer.py",
    "tests/engine/test_unigram_oracle.py",
]
# What takes too long without compiled code, or measures the size of compiled work.
_LONG = "not long_lines and not ten_thousand and not samples_follow and not every_combination"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flag", "selection"),
    [("NUMBA_BOUNDSCHECK", ""), ("NUMBA_DISABLE_JIT", _LONG)],
    ids=["bounds-checked", "plain-python"],
)
def test_kernels_are_right_in_another_mode(flag: str, selection: str, tmp_path: Path) -> None:
    environment = os.environ | {flag: "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    options = ["-q", "-p", "no:cacheprovider", "-m", "not slow", "-k", selection, "-W", "ignore::RuntimeWarning"]
    command = [sys.executable, "-m", "pytest", *options, *_TESTS]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-6000:]
    assert " passed" in result.stdout


@pytest.mark.slow
def test_hostile_sentencepiece_files_stay_in_bounds(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/engine/interop/test_sentencepiece_import.py",
    ]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-6000:]

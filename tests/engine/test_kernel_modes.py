"""The kernels once more with bounds checking on, and once as plain Python.

Numba does not check bounds by itself, and a warm cache of unchecked code would check nothing: `engine._jit` names
the cache after the flag. As plain Python the kernels show up in coverage, and integer arithmetic follows NumPy's rules.
"""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

_TESTS = [
    "tests/engine/lattice/test_lattice.py",
    "tests/engine/unigram/test_seed.py",
    "tests/engine/unigram/test_trainer.py",
    "tests/engine/test_unigram_oracle.py",
]
# What takes too long without compiled code, or measures the size of compiled work.
_LONG = " and ".join(
    f"not {name}"
    for name in ("long_lines", "ten_thousand", "samples_follow", "every_score_and_seed", "threads", "number_of_shards")
)


def _run_tests(flag: str, *options: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {flag: "1", "CI": "true"}  # nothing is skipped that was green as it is compiled otherwise
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore::RuntimeWarning", *options]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-6000:]
    assert " passed" in result.stdout


@pytest.mark.slow(seconds=200)
def test_kernels_stay_in_bounds() -> None:
    _run_tests("NUMBA_BOUNDSCHECK", "-m", "not slow", *_TESTS, "tests/engine/interop/test_sentencepiece_import.py")


@pytest.mark.slow(seconds=60)
def test_kernels_are_right_as_plain_python() -> None:
    _run_tests("NUMBA_DISABLE_JIT", "-m", "not slow", "-k", _LONG, *_TESTS)

"""The same corpus and settings give the same file on every CPU: this one is made to look like lesser ones."""

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from engine.corpus import arrays
from tests.conftest import ROOT
from tests.engine.unigram.test_trainer import sentences, trained

# SHA-256 of a model file for each number of threads and each algorithm, over enough text for several shards.
_DIGESTS = """
import hashlib, json, sys
from dataclasses import replace
from engine.config import TrainingSettings, defaults_of
from engine.corpus import arrays
from engine.training import train
from tests.engine.unigram.test_trainer import sentences
arrays._SHARD_CHARS = 500
lines = sentences(int(sys.argv[1]))
chosen = [
    TrainingSettings(), defaults_of("unigram"), TrainingSettings(score="ml"), TrainingSettings(score="tokens"),
    TrainingSettings(membership="expected"), TrainingSettings(membership="occurrence", partial_characters=True),
    TrainingSettings(context="pretoken", sentencepiece_safe=True),
    TrainingSettings(pretokenizer="pmi-entropy"), TrainingSettings(pretokenizer="lm-entropy"),
    TrainingSettings(algorithm="wordpiece"),
    TrainingSettings(algorithm="superbpe"),
]
print(json.dumps([
    hashlib.sha256(train(lines, replace(one, vocab_size=300), threads).to_bytes()).hexdigest()
    for one in chosen[: int(sys.argv[2])] for threads in (1, 2)
]))
"""

_NUMPY = " ".join(
    name for name in np._core._multiarray_umath.__cpu_dispatch__ if np._core._multiarray_umath.__cpu_features__[name]
)
_LESSER = {
    "NumPy without AVX": {"NPY_DISABLE_CPU_FEATURES": _NUMPY},
    "a C library without FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4"},
    "kernels for any CPU": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
}


def digests(environment: dict[str, str], n_lines: int, n_settings: int) -> list[str]:
    """What a process of its own finds, for one and for two threads in turn."""
    command = [sys.executable, "-c", _DIGESTS, str(n_lines), str(n_settings)]
    # Kernels for another CPU are in a cache of their own, which `engine._jit` names.
    usual = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(command, cwd=ROOT, env=usual | environment, capture_output=True, text=True, check=True)
    found: list[str] = json.loads(done.stdout)
    return found


def test_the_same_bytes_without_the_best_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "_SHARD_CHARS", 500)
    usual = hashlib.sha256(trained(sentences(60), vocab_size=300).to_bytes()).hexdigest()
    assert digests({"NPY_DISABLE_CPU_FEATURES": _NUMPY}, 60, 1) == [usual, usual]


@pytest.fixture(scope="module")
def usual() -> list[str]:
    """What is found on this CPU."""
    return digests({}, 200, 10)


@pytest.mark.slow
@pytest.mark.parametrize("cpu", _LESSER)
def test_the_same_bytes_on_a_lesser_cpu(cpu: str, usual: list[str]) -> None:
    assert usual[::2] == usual[1::2]
    assert digests(_LESSER[cpu], 200, 10) == usual

"""Compiled kernels are in a cache: a full disk or a damaged file costs time, and nothing else."""

import argparse
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine import _jit
from engine.commands import warmup
from engine.errors import InputError
from engine.machine.atomic_file import locked
from tests.conftest import ROOT

_MODULE = """
from engine._jit import kernel

@kernel
def _double(n):
    return 2 * n

print(_double(21), sum(_double.dispatcher.stats.cache_hits.values()))
"""


@pytest.fixture
def double(tmp_path: Path) -> Callable[..., str]:
    """Runs a program with one kernel; returns its result, and how many kernels came out of the cache."""
    (tmp_path / "double.py").write_text(_MODULE)

    def run(script: str = "double.py", **options) -> str:
        paths = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        return subprocess.run(
            [sys.executable, script],
            cwd=tmp_path,
            env={**os.environ, **paths},
            capture_output=True,
            text=True,
            check=True,
            **options,
        ).stdout.strip()

    return run


def test_numba_is_imported_when_a_kernel_is_called_and_may_have_been_before(
    double: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "first.py").write_text("import numba\nimport double\n")
    (tmp_path / "later.py").write_text(_MODULE.partition("print(")[0] + "import sys\nprint('numba' in sys.modules)")
    assert [double(), double("first.py"), double("later.py")] == ["42 0", "42 1", "False"]
    assert not list(tmp_path.rglob("__pycache__/*.nbi"))  # where Numba would have put it


@pytest.mark.slow
def test_a_damaged_cache_is_made_again(double: Callable[..., str], tmp_path: Path) -> None:
    assert [double(), double()] == ["42 0", "42 1"]
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(files) == 3  # the lock, too
    for path in files:
        os.truncate(path, 50)
    assert [double(), double()] == ["42 0", "42 1"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such rights there")
def test_a_cache_where_anybody_may_write_is_not_loaded(double: Callable[..., str], tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert [double(), double()] == ["42 0", "42 1"]
    for mode in (0o777, 0o1777, 0o775):
        cache.chmod(mode)
        assert double() == "42 0"
    cache.chmod(0o700)
    assert double() == "42 1"


_TWO = """
import numpy as np
from engine._jit import kernel

@kernel
def _half(numbers):
    return numbers.sum() / 2

print(_half(np.ones(3)), _half(np.ones(3, dtype=np.int32)))
"""


@pytest.mark.slow
def test_code_of_another_signature_is_not_run(tmp_path: Path) -> None:
    """As two processes leave it that compile a kernel at once, each for arguments of its own."""
    (tmp_path / "half.py").write_text(_TWO)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run() -> str:
        return subprocess.run(
            [sys.executable, "half.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    assert run() == "1.5 1.5"
    first, second = sorted((tmp_path / "cache").rglob("*.nbc"))
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    assert run() == "1.5 1.5"


def test_processes_that_start_together_compile_a_kernel_once(double: Callable[..., str], tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as both:
        assert sorted(both.map(lambda _: double(), range(2))) == ["42 0", "42 1"]


# Another process compiles: here, what is not in the cache is refused, or runs as plain Python.
_ELSEWHERE = """
from engine._jit import compile_if, inlined, kernel, subkernel

@inlined
def _square(n):
    return n * n

@subkernel
def _sum(n):
    return n + _square(n)

@kernel
def _one(n):
    return _sum(n)

@kernel
def _another(n):
    return _one(n) + 1

def refuse():
    raise LookupError

compile_if(refuse)
try:
    _another(6)
except LookupError:
    compile_if(lambda: False)
    print(_another(6), _sum(6), _another.dispatcher.signatures)
"""


def test_a_process_that_may_not_compile_runs_plain_python(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text(_ELSEWHERE)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "elsewhere.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "43 42 []\n"


_HOLD = """
import sys, time
from pathlib import Path
from engine.machine.atomic_file import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks there")
def test_a_killed_process_frees_its_lock(tmp_path: Path) -> None:
    path, entered = tmp_path / "lock", threading.Event()

    def enter() -> None:
        with locked(path):
            entered.set()

    command = [sys.executable, "-c", _HOLD, str(path)]
    holder = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    thread = threading.Thread(target=enter)
    thread.start()
    assert not entered.wait(0.1)
    holder.kill()
    thread.join(10)
    assert entered.is_set()
    holder.communicate()


def test_a_lock_that_cannot_be_made_stops_nobody(tmp_path: Path) -> None:
    with locked(tmp_path / "missing" / "lock"):
        pass


_PLACE = "from engine._jit import kernel_cache; print(kernel_cache())"


def _place(cache_home: Path, temporary: Path) -> Path:
    """Where a process whose user has this folder for caches keeps its kernels."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"XDG_CACHE_HOME": str(cache_home), "TMPDIR": str(temporary)}
    done = subprocess.run(
        [sys.executable, "-c", _PLACE], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return Path(done.stdout.strip())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="names the folder for caches")
def test_a_planted_folder_is_left_for_a_private_one(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    known = _place(tmp_path, temporary)
    assert known.is_relative_to(tmp_path) and known.stat().st_mode & 0o777 == 0o700
    known.parent.chmod(0o777)  # the folder above may lose that right: nobody could have put a folder of ours there
    assert _place(tmp_path, temporary) == known and known.parent.stat().st_mode & 0o777 == 0o700
    known.chmod(0o777)
    private = _place(tmp_path, temporary)
    assert private.parent == temporary and not private.exists()  # gone with its process
    if os.geteuid() == 0:
        known.chmod(0o700)
        os.chown(known, 12345, -1)
        assert _place(tmp_path, temporary).parent == temporary


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a limit on the size of files stands in for a full disk")
def test_a_full_disk_stops_no_kernel(double: Callable[..., str]) -> None:
    import resource

    def fill_the_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    assert double(preexec_fn=fill_the_disk) == "42 0"
    assert [double(), double()] == ["42 0", "42 1"]


# Every kernel that Python calls, after `warmup`, and those that what follows it calls besides.
_WALK = """
import importlib, json, pkgutil, sys
import engine
from engine.commands import warmup
for module in pkgutil.walk_packages(engine.__path__, "engine."):
    if not module.name.endswith(("__main__", ".transformer")):  # the latter needs torch
        importlib.import_module(module.name)
from engine._jit import LazilyCompiled

def signatures():
    kernels = [one for name, module in list(sys.modules.items()) if name.startswith("engine.")
               for one in vars(module).values() if isinstance(one, LazilyCompiled)]
    return {f"{one.__module__}.{one.__name__}{found}" for one in kernels for found in one.dispatcher.signatures}

for _, step in warmup._steps():
    step()
warm = signatures()
from engine.training import train
from engine.config import TrainingSettings
from tests.hostile_models import use
from tests.engine.test_any_tokenizer import KINDS, content
from tests.engine.unigram.test_trainer import sentences
for kind in KINDS:
    use("", content(kind))
for changes in ({"membership": "occurrence"}, {"membership": "expected"}, {"score": "tokens"}, {"context": "pretoken"},
                {"seed_vocabulary": "ngrams"}, {"seed_vocabulary": "bpe"}, {"seed_vocabulary": "right-branching"},
                {"partial_characters": True}, {"algorithm": "unigram"}, {"algorithm": "wordpiece", "vocab_size": 900},
                {"algorithm": "bpe", "vocab_size": 900, "ties": "first-seen"}, {"pretokenizer": "lm-entropy"}):
    train(sentences(200), TrainingSettings(**{"vocab_size": 300, **changes})).encode_lines(["그 말은 a b"])
print(json.dumps(sorted(signatures() - warm)))
"""


@pytest.mark.slow
def test_the_warm_up_compiles_every_kernel() -> None:
    done = subprocess.run([sys.executable, "-c", _WALK], cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a warm-up of two steps has run, in threads of this process; the folder has one file with kernels."""
    (tmp_path / "kernels.py").write_text("from engine._jit import kernel")
    monkeypatch.setattr(_jit, "_ENGINE", tmp_path)
    monkeypatch.setattr(warmup, "kernel_cache", lambda: str(tmp_path))
    done: list[str] = []
    steps = [("one", lambda: done.append("one")), ("two", lambda: done.append("two"))]
    monkeypatch.setattr(warmup, "_steps", lambda: steps)
    monkeypatch.setattr(warmup, "ProcessPoolExecutor", lambda n, *_: ThreadPoolExecutor(n))
    return done


def test_kernels_are_warmed_up_again_where_numba_would_compile_them_again(tmp_path: Path, made: list[str]) -> None:
    for _ in range(2):
        warmup.run(argparse.Namespace(force=False, json=True))
    assert sorted(made) == ["one", "two"] and warmup.is_warm()
    os.utime(tmp_path / "kernels.py", (1, 1))
    assert not warmup.is_warm()
    warmup.run(argparse.Namespace(force=False, json=True))
    assert len(made) == 4
    warmup.run(argparse.Namespace(force=True, json=True))
    assert len(made) == 6


def test_warm_ups_that_start_together_share_the_steps(made: list[str]) -> None:
    with ThreadPoolExecutor(3) as all_three:
        found = list(all_three.map(lambda _: sorted(warmup.warm_up()), range(3)))
    assert found == [["one", "two"]] * 3  # each is told of all steps
    assert sorted(made) == ["one", "two"]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"another stamp"])
def test_a_step_with_a_damaged_mark_is_run_again(tmp_path: Path, made: list[str], content: bytes) -> None:
    list(warmup.warm_up())
    (tmp_path / "one.made").write_bytes(content)
    assert not warmup.is_warm()
    list(warmup.warm_up())
    assert sorted(made) == ["one", "one", "two"] and warmup.is_warm()


def test_a_cache_that_cannot_be_written_is_said(
    tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warmup, "kernel_cache", lambda: str(tmp_path / "missing"))
    with pytest.raises(InputError, match="missing"):
        list(warmup.warm_up())
    assert not warmup.is_warm()

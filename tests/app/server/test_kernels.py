"""Kernels are compiled beside the server: progress, a killed process, and what cannot be compiled."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from app.server.work import kernels as module
from app.server.work.jobs import Registry
from app.server.work.kernels import Kernels, KernelsNotReadyError, in_plain_python

# The fate of the compiler's n-th start is its n-th argument.
_COMPILER = """
import json, os, signal, sys
from pathlib import Path
counter = Path(sys.argv[1])
number = len(counter.read_text()) if counter.exists() else 0
counter.write_text("x" * (number + 1))
def emit(**event): print(json.dumps(event), flush=True)
sys.stdin.readline()
emit(event="stage", stage="read")
emit(event="result", n_done=5, n_steps=13)
fate = sys.argv[2 + number]
if fate == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
elif fate == "waits":
    sys.stdin.read()
elif fate == "done":
    emit(event="done")
else:
    emit(event="error", message="", code=fate, values={"kind": "TypingError", "path": "x", "detail": "full"})
"""

Start = Callable[..., Kernels]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Kernels that a compiler with these fates compiles, or none if there is no compiler."""
    monkeypatch.setattr(module, "is_warm", lambda: False)
    monkeypatch.setattr(module, "compile_if", lambda rule: None)
    started: list[Registry] = []

    def run(*fates: str, program: str = sys.executable) -> Kernels:
        started.append(Registry(tmp_path, command=[program, "-c", _COMPILER, str(tmp_path / "counter"), *fates]))
        monkeypatch.setattr("app.server.work.jobs._server_registry", lambda: started[-1])
        kernels = Kernels()
        kernels.start()
        return kernels

    yield run
    for registry in started:
        registry.close()


def _may_compile(kernels: Kernels) -> bool | None:
    """Whether the server compiles what is missing; None if it waits."""
    try:
        return kernels._may_compile()
    except KernelsNotReadyError:
        return None


def test_the_server_waits_until_everything_is_compiled(start: Start, wait_until: Callable[..., None]) -> None:
    kernels = start("waits")
    wait_until(lambda: kernels.progress == (5, 13))
    assert _may_compile(kernels) is None
    with pytest.raises(KernelsNotReadyError):
        kernels.check()
    with in_plain_python():
        assert _may_compile(kernels) is False
        with np.errstate(all="raise", over="ignore"):
            assert np.uint64(2**63) * np.uint64(2) == 0
    assert _may_compile(kernels) is None


def test_then_it_is_as_if_they_had_always_been_there(start: Start) -> None:
    kernels = start("done")
    assert kernels.wait() and kernels.progress is None and not kernels.failure
    kernels.check()
    assert _may_compile(kernels) is True


def test_nothing_is_started_where_everything_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "is_warm", lambda: True)
    kernels = Kernels()
    kernels.start()
    assert kernels.wait() and kernels.progress is None


def test_a_killed_compiler_is_started_once_more(start: Start, tmp_path: Path) -> None:
    assert start("killed", "done").wait()
    assert (tmp_path / "counter").read_text() == "xx"


@pytest.mark.parametrize(("fate", "failure"), [("killed", "exit code -9"), ("job.defect", "TypingError")])
def test_what_fails_twice_is_said(start: Start, tmp_path: Path, fate: str, failure: str) -> None:
    kernels = start(fate, fate)
    assert not kernels.wait()
    assert kernels.failure == failure and kernels.progress is None and (tmp_path / "counter").read_text() == "xx"
    assert _may_compile(kernels) is None
    kernels.check()  # a worker may try


def test_where_nothing_can_be_stored_the_server_compiles(start: Start) -> None:
    kernels = start("file.unwritable")
    assert kernels.wait() and _may_compile(kernels) is True


def test_a_compiler_that_cannot_be_started_is_said(start: Start) -> None:
    kernels = start(program="no such program")
    assert not kernels.wait() and kernels.failure == "No such file or directory"

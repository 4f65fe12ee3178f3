"""Files that visitors bring: a worker reads them first, and what ends it ends nothing else."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.server.limits import LimitError, Limits
from app.server.quarantine import Quarantine
from app.server.visitors import NOBODY, Visitor
from app.server.work import reading
from app.server.work.jobs import Registry
from app.server.work.reading import (
    analyse_with_dictionary,
    read_corpus_files,
    read_parallel_file,
    read_text_file,
    try_model,
)
from app.server.work.work_kinds import KINDS, READING
from engine.config import TrainingSettings
from engine.corpus.files import CorpusFiles
from engine.corpus.joined import Reading
from engine.corpus.morphemes.user_dictionary import UserDictionary, UserWord
from engine.errors import InputError
from engine.training import train
from tests.conftest import ROOT

Wait = Callable[..., None]

_REGISTERS = {"register": ("a", "b")}
LINES = ["나무에 꽃이 피었다.", "새가 꽃을 보았다."] * 5

# Begins to read, and is killed as by the system for its memory.
_KILLED = """
import json, os, signal, sys
json.loads(sys.stdin.readline())
print(json.dumps({"event": "stage", "stage": "read"}), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
_ENDLESS = _KILLED.replace("os.kill(os.getpid(), signal.SIGKILL)", "sys.stdin.read()")


@pytest.fixture
def use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Registry]]:
    """Makes the server's registry: with real workers, or such as run a script, one at a time."""
    made: list[Registry] = []
    (tmp_path / "private").mkdir()
    monkeypatch.setattr("app.server.quarantine._server_quarantine", lambda: Quarantine(tmp_path / "quarantine"))
    reading._refused.clear()

    def make(script: str | None = None, **limits: int) -> Registry:
        command = {} if script is None else {"command": (sys.executable, "-c", script)}
        kind = replace(KINDS[READING], **{"seconds": 60, "cpu_seconds": 60, "n_warm": 1, **limits})  # type: ignore[arg-type]
        monkeypatch.setitem(KINDS, READING, kind)
        registry = Registry(tmp_path / "private", **command)  # type: ignore[arg-type]
        monkeypatch.setattr("app.server.work.jobs._server_registry", lambda: registry)
        made.append(registry)
        return registry

    yield make
    for registry in made:
        registry.close()
    reading._refused.clear()


def _code(read: Callable[[], Any]) -> str:
    with pytest.raises(InputError) as caught:
        read()
    return caught.value.code


def _model() -> bytes:
    return b"".join(train(LINES, TrainingSettings(algorithm="words", vocab_size=5)).file_parts())  # type: ignore[attr-defined]


@pytest.mark.slow
def test_good_files_are_read(use: Callable[..., Registry], tmp_path: Path) -> None:
    registry = use()
    files = [("a.txt", "나무\r\n".encode("cp949")), ("b.csv", b'a,b\n1,"x\ny"\n2,\n'), ("c.pdf", b"%PDF-")]
    joined = read_corpus_files(files, Reading(columns={"b.csv": "b"}), NOBODY)
    assert joined.text == "나무\nx\ny\n" and joined.files == CorpusFiles.of({"a.txt": 1, "b.csv": 2}, _REGISTERS)
    assert joined.encodings == {"a.txt": "cp949", "b.csv": "utf-8"} and joined.tables["b.csv"].column == "b"
    assert joined.counts == {"line_ends": 1, "cells": 1, "cells_empty": 1, "surrogates": 0}
    assert [str(error) for error in joined.refused] == ["c.pdf: the file is a PDF; copy its text into a text file"]
    assert read_text_file("가 나".encode(), NOBODY) == "가 나"
    assert read_parallel_file(b"ko\ten\na\tb\n", "a.tsv", NOBODY) == {"ko": ["a"], "en": ["b"]}
    try_model(_model(), NOBODY)
    assert list((tmp_path / "private").iterdir()) == []  # nothing of the visitor's stays on the disk
    assert not registry._jobs and not registry._finished  # nor in memory


@pytest.mark.slow
def test_bad_files_are_refused_as_the_engine_does(
    use: Callable[..., Registry], monkeypatch: pytest.MonkeyPatch
) -> None:
    use()
    monkeypatch.setattr("app.server.limits._server_limits", lambda: Limits(corpus_mb=1))
    with pytest.raises(LimitError):
        read_corpus_files([("a.txt", b"x" * 1_000_001)], Reading(), NOBODY)
    assert _code(lambda: read_corpus_files([("a.txt", b"%PDF-")], Reading(), NOBODY)) == "file.named"
    damaged = _model()[:-9]
    assert _code(lambda: try_model(damaged, NOBODY)) == "model_file.damaged"


@pytest.mark.slow
def test_what_the_limits_stop_has_its_sentence(use: Callable[..., Registry]) -> None:
    use(memory_mb=100)
    assert _code(lambda: read_text_file(b"x" * 200_000_000, NOBODY)) == "reading.memory"
    use(_ENDLESS, seconds=1)
    assert _code(lambda: read_text_file(b"x", NOBODY)) == "reading.time"


def test_a_worker_that_is_killed_costs_one_more_try(use: Callable[..., Registry]) -> None:
    use(_KILLED)
    data = _model()
    assert _code(lambda: try_model(data, NOBODY)) == "reading.ended"
    use()
    try_model(data, NOBODY)
    use(_KILLED)
    assert [_code(lambda: try_model(data, NOBODY)) for _ in range(2)] == ["reading.ended"] * 2
    use()
    assert _code(lambda: try_model(data, NOBODY)) == "reading.ended"  # it is not tried a third time


@pytest.mark.slow
def test_warm_workers_that_died_are_replaced(use: Callable[..., Registry], wait_until: Wait) -> None:
    registry = use()
    registry.keep_warm()
    (worker,) = registry._spares["reading"].workers
    worker.process.send_signal(signal.SIGKILL)
    worker.process.wait()
    assert read_text_file(b"a", NOBODY) == "a"
    wait_until(lambda: [other.process.poll() for other in registry._spares["reading"].workers] == [None])


@pytest.mark.slow
def test_a_worker_reads_again_unless_it_knows_a_visitors_words(use: Callable[..., Registry]) -> None:
    spares = use()._spares["reading"]
    assert read_text_file(b"a", NOBODY) == "a"
    (worker,) = spares.workers
    assert read_text_file(b"b", NOBODY) == "b"
    assert spares.workers == [worker] and worker.process.poll() is None
    dictionary = UserDictionary.of([UserWord("갓생", "NNG", None)])
    (found,) = analyse_with_dictionary("갓생", "mecab", dictionary, 1, NOBODY)
    assert [one.form for one in found.morphemes] == ["갓생"] and spares.workers == []


def test_a_flood_of_files_keeps_nobody_else_waiting(
    use: Callable[..., Registry], monkeypatch: pytest.MonkeyPatch, wait_until: Wait
) -> None:
    queue = use(_ENDLESS)._queue
    refused: list[str] = []

    def read(visitor: Visitor) -> None:
        try:
            read_text_file(b"x", visitor)
        except InputError as error:
            refused.append(f"{visitor.browser} {error.code}")

    def send(visitor: Visitor, n_waiting: int, n_refused: int = 0) -> threading.Thread:
        thread = threading.Thread(target=read, args=(visitor,))
        thread.start()
        wait_until(lambda: (len(queue.waiting), len(refused)) == (n_waiting, n_refused))
        return thread

    threads = [send(Visitor("10.0.0.1", "bad"), n) for n in range(41)]
    threads.append(send(Visitor("10.0.0.1", "bad"), 40, 1))
    threads += [send(Visitor("10.0.0.1", "good"), 40, 2), send(Visitor("10.0.0.2", "other"), 40, 3)]
    assert refused == ["bad reading.busy"] * 3
    begun = []
    for n in range(1, 42):
        wait_until(lambda n=n: len(refused) == n + 2 and queue.running and queue.running[0].worker)
        (task,) = queue.running
        begun.append(task.visitor.browser)
        assert task.worker is not None
        task.worker.kill()
    for thread in threads:
        thread.join()
    assert begun[0] == "bad" and begun.index("good") <= 3 and begun.index("other") <= 3 and len(begun) == 41
    assert {*refused[3:]} == {"bad reading.ended", "good reading.ended", "other reading.ended"}


@pytest.mark.slow
def test_the_page_lives_on_when_the_reader_dies(use: Callable[..., Registry]) -> None:
    use(_KILLED)
    app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=300)
    app.query_params["lang"] = "en"
    app.run()
    app.switch_page(str(ROOT / "app" / "views" / "train" / "page.py")).run()
    app.file_uploader(key="corpus.file").set_value(("a.txt", "나무\n".encode(), "")).run()
    assert not app.exception
    assert any("ended unexpectedly" in element.value for element in app.text)
    use()
    app.run()
    assert any("ended unexpectedly" in element.value for element in app.text)  # not read again in every run
    app.file_uploader(key="corpus.file").set_value(("b.txt", "나무\n".encode(), "")).run()
    assert not app.exception and not app.error


def test_a_model_that_the_server_died_of_is_not_opened_again(tmp_path: Path) -> None:
    name, folder = "a" * 64, tmp_path / "quarantine"
    quarantine = Quarantine(folder)
    with quarantine.page_run():
        with quarantine.first_use(name):
            quarantine.check(name)
        assert [path.name for path in folder.iterdir()] == ["a" * 16]  # until the page is there
        Quarantine(folder).check(name)  # another server, while this one lives
    assert list(folder.iterdir()) == []
    script = f"""
import os
from pathlib import Path
from app.server.quarantine import Quarantine
with Quarantine(Path({str(folder)!r})).first_use({name!r}):
    os.kill(os.getpid(), 9)
"""

    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT).returncode == -signal.SIGKILL
    assert _code(lambda: Quarantine(folder).check(name)) == "reading.quarantined"
    (folder / name[:16]).unlink()
    Quarantine(folder).check(name)

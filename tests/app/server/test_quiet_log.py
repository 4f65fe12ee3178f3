"""The log says what went wrong and where, and quotes no text."""

import io
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.server.start_up import quote_nobody
from tests.conftest import ROOT


@pytest.fixture
def log() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    """A log of the test's own, written to a string."""
    before = logging.getLogRecordFactory()
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    quote_nobody()
    written = io.StringIO()
    logger = logging.getLogger("tests.quiet_log")
    handler = logging.StreamHandler(written)
    logger.addHandler(handler)
    logger.propagate = False
    yield logger, written
    logger.removeHandler(handler)
    logging.setLogRecordFactory(before)
    sys.excepthook, threading.excepthook, sys.unraisablehook = hooks


_TEXT = "비밀 텍스트"


def _stumble(text: str) -> None:
    try:
        raise KeyError(text)
    except KeyError as error:
        raise ValueError(f"no such word: {text}") from error


def test_an_error_is_logged_without_what_it_quotes(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, written = log
    try:
        _stumble(_TEXT)
    except ValueError as error:
        logger.exception("a page failed")
        logger.error("Uncaught app execution", exc_info=error)
    said = written.getvalue()
    assert _TEXT not in said
    assert said.count("KeyError\nwhich led to\n") == 2 and said.count("in _stumble") == 4
    assert "a page failed" in said and said.endswith("ValueError\n")


def test_other_entries_stay_as_they_are(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, written = log
    logger.warning("%s is ignored", "THUNDER_TOK_MAX_JOBS")
    logger.error("nothing is wrong", exc_info=True)
    assert written.getvalue().startswith("THUNDER_TOK_MAX_JOBS is ignored\nnothing is wrong\n")


def test_the_app_logs_so() -> None:
    from streamlit.testing.v1 import AppTest

    AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=300).run()
    assert logging.getLogRecordFactory().__module__ == "app.server.start_up"


def test_an_error_in_a_message_is_its_kind(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, written = log
    error = ValueError(_TEXT)
    logger.warning("failed: %s, %d times", error, 2)
    logger.warning("failed: %(why)s", {"why": error})
    logger.warning(error)
    assert written.getvalue() == "failed: ValueError, 2 times\nfailed: ValueError\nValueError\n"


_UNCAUGHT = f"""
import gc, sys, threading, types
from app.server.start_up import quote_nobody
quote_nobody()

def stumble():
    raise ValueError({_TEXT!r})

class Worse:
    def __del__(self):
        stumble()

thread = threading.Thread(target=stumble)
thread.start()
thread.join()
Worse()
gc.collect()
stumble()
"""


def test_an_error_that_nobody_caught_is_not_quoted_either() -> None:
    done = subprocess.run([sys.executable, "-c", _UNCAUGHT], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert _TEXT not in done.stderr + done.stdout
    assert done.stderr.count("ValueError\n") == 3 and done.stderr.count("in stumble") == 3


# A page that fails, in a process where a package called rich can be imported: Streamlit prints errors with it.
_WITH_RICH = f"""
import sys, types
from rich.console import Console
from streamlit import config
from streamlit.testing.v1 import AppTest
from app.server.start_up import quote_nobody
if sys.argv[1] == "quiet":
    quote_nobody()
else:
    config.set_option("logger.enableRich", True)
AppTest.from_string("raise ValueError({_TEXT!r})", default_timeout=60).run()
"""

# As much of rich as Streamlit needs to print an error.
_RICH = {
    "__init__.py": "",
    "box.py": "class Box:\n    def __init__(self, text): pass\n",
    "panel.py": "class Panel:\n    def __init__(self, *args, **options): pass\n",
    "console.py": "class Console:\n    def __init__(self, **options): pass\n    def print(self, what): print(what)\n",
    "traceback.py": "class Traceback:\n    def from_exception(kind, error, *args, **options): return str(error)\n",
}


@pytest.mark.parametrize("how", ["quiet", pytest.param("loud", marks=pytest.mark.slow)])
def test_what_else_is_installed_does_not_matter(tmp_path: Path, how: str) -> None:
    (tmp_path / "rich").mkdir()
    for name, content in _RICH.items():
        (tmp_path / "rich" / name).write_text(content)
    done = subprocess.run(
        [sys.executable, "-c", _WITH_RICH, how],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert (_TEXT in done.stdout + done.stderr) == (how == "loud")
    assert how == "loud" or "ValueError" in done.stderr


def test_what_native_code_of_a_worker_prints_is_not_logged() -> None:
    """The message of a Rust panic quotes what it was about, and does not pass Python."""
    script = (
        "import os, sys; from app import worker; emit = worker._claim_stdout(); worker._mute_native_code();"
        "os.write(1, b'secret'); os.write(2, b'secret'); sys.stderr.write('own words'); emit(event='done')"
    )
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (found.stdout, found.stderr) == ('{"event": "done"}\n', "own words")

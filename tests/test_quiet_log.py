"""The log says what went wrong and where, and quotes no text."""

import io
import logging
from collections.abc import Iterator

import pytest

from app.server.quiet_log import quote_nobody


@pytest.fixture
def log() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    """A log of the test's own, written to a string."""
    before = logging.getLogRecordFactory()
    quote_nobody()
    written = io.StringIO()
    logger = logging.getLogger("tests.quiet_log")
    handler = logging.StreamHandler(written)
    logger.addHandler(handler)
    logger.propagate = False
    yield logger, written
    logger.removeHandler(handler)
    logging.setLogRecordFactory(before)


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

    from tests.conftest import ROOT

    AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=300).run()
    assert logging.getLogRecordFactory().__module__ == "app.server.quiet_log"

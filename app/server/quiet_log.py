"""A log that never quotes visitors and cannot be flooded: an error is logged by its kind and place only.

The message of an error often quotes its input, which may be a visitor's text. This includes uncaught errors of pages,
which Streamlit logs. If the package rich is installed, Streamlit would print them past the log, with message and lines
of code; turning off `logger.enableRich` prevents that.

Records that strangers can trigger at will, such as connections without a free descriptor or malformed requests, are
logged a few times a minute.
"""

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from types import TracebackType

from cachetools import LRUCache
from streamlit import config

# Loggers of connection events.
_OF_CONNECTIONS = ("asyncio", "uvicorn.error")
_log = logging.getLogger(__name__)
_new_record: Callable[..., logging.LogRecord] = logging.LogRecord


def quote_nobody() -> None:
    """Keep error messages out of everything this process prints from now on."""
    logging.setLogRecordFactory(_record)
    config.set_option("logger.enableRich", False)
    for name in _OF_CONNECTIONS:
        logging.getLogger(name).addFilter(Seldom())
    sys.excepthook = _end
    threading.excepthook = _end_of_thread
    sys.unraisablehook = _unraisable


class Seldom(logging.Filter):
    """Passes the same record five times a minute, then reports how many were dropped."""

    def __init__(self, seconds: float = 60.0, times: int = 5) -> None:
        super().__init__()
        self._seconds, self._times = seconds, times
        self._lock = threading.Lock()
        # By record: start of its current minute, and how often it was seen since.
        self._seen: LRUCache[tuple[str, str | None], tuple[float, int]] = LRUCache(500)

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether it is logged."""
        key, now = (str(record.msg), record.exc_text), time.monotonic()
        with self._lock:
            began, n = self._seen.get(key, (now, 0))
            if now - began > self._seconds:
                if n > self._times:
                    record.msg = f"{record.msg} ({n - self._times} more like this one before)"
                began, n = now, 0
            self._seen[key] = began, n + 1
        return n < self._times


def _record(*args: object, **options: object) -> logging.LogRecord:
    record = _new_record(*args, **options)
    if record.exc_info and record.exc_info[1] is not None:
        record.exc_text = _places(record.exc_info[1])
        record.exc_info = None
    if isinstance(record.args, tuple):
        record.args = tuple(map(_kind, record.args))
    elif isinstance(record.args, Mapping):
        record.args = {name: _kind(value) for name, value in record.args.items()}
    if isinstance(record.msg, BaseException):
        record.msg = _kind(record.msg)
    return record


def _kind(value: object) -> object:
    return type(value).__name__ if isinstance(value, BaseException) else value


def _end(kind: type[BaseException], error: BaseException, _: TracebackType | None) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        _log.error("an error that nobody caught", exc_info=error)


def _end_of_thread(how: threading.ExceptHookArgs) -> None:
    if how.exc_value is not None and how.exc_type is not SystemExit:
        _log.error("an error that nobody caught in a thread", exc_info=how.exc_value)


def _unraisable(how: "sys.UnraisableHookArgs") -> None:
    if how.exc_value is not None:
        _log.error("an error where none can be raised", exc_info=how.exc_value)


def _places(error: BaseException) -> str:
    """Places of an error and of its causes, root cause first: files, lines and kinds, no code."""
    chain: list[BaseException] = []
    step: BaseException | None = error
    while step is not None and step not in chain:
        chain.append(step)
        step = step.__cause__ or (None if step.__suppress_context__ else step.__context__)
    return "\nwhich led to\n".join(_place(each) + type(each).__name__ for each in reversed(chain))


def _place(error: BaseException) -> str:
    frames = traceback.walk_tb(error.__traceback__)
    codes = ((frame.f_code, line) for frame, line in frames)
    return "".join(f'  File "{code.co_filename}", line {line}, in {code.co_name}\n' for code, line in codes)

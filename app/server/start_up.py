"""Setup of the whole server, done once: memory, garbage collection, threads, kernels.

Streamlit collects garbage after every run. Scanning the objects of pandas, Plotly and Numba, which live as long as the
server, takes longer than most pages; once frozen, they are skipped.
"""

import gc
import importlib
import logging
import pkgutil
import sys
import threading
import time
import traceback
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from types import TracebackType

import pyarrow as pa
import streamlit as st
from cachetools import LRUCache
from streamlit import config
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app.server.http.connections import bound_by_files
from app.server.http.readiness import leave_on_signal
from app.server.http.uploads import uploads
from app.server.patches.deliveries import deliver_together
from app.server.patches.field_values import look_up_one_value
from app.server.patches.no_delay import send_at_once
from app.server.patches.session_loop import share_session_loop
from app.server.patches.whole_runs import keep_runs_whole
from app.server.work.jobs import end_jobs, registry
from app.server.work.kernels import KernelsNotReadyError, kernels
from app.server.work.patterns import find_in_process
from engine.corpus.pretokens.own_pattern import run_patterns_by
from engine.interop.imported.step_budget import call_between_texts

# Loggers of connection events.
_OF_CONNECTIONS = ("asyncio", "uvicorn.error")
_log = logging.getLogger(__name__)
_new_record: Callable[..., logging.LogRecord] = logging.LogRecord


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


# Packages that pages use.
_FOLDERS = ("app.components", "app.share", "app.parts", "app.classroom", "app.views")
_FIRST_LOOK = "app.prepare"


@asynccontextmanager
async def settled(_: st.App) -> AsyncGenerator[None]:
    """Make the server ready before it answers any request, and shut down what it started."""
    kernels().start()
    settle()
    bound_by_files()
    uploads()
    leave_on_signal()
    threading.Thread(target=_make_first, name="first look", daemon=True).start()
    yield
    # Uvicorn is killed by the signal it received, so atexit handlers do not run.
    end_jobs()


def _make_first() -> None:
    """Make what visitors need first, as soon as there are kernels for it."""
    first_look = importlib.import_module(_FIRST_LOOK)
    with suppress(KernelsNotReadyError):
        first_look.load_first()
    if kernels().wait():
        registry().keep_warm()
        first_look.load_first()
        first_look.train_first()


@st.cache_resource(show_spinner=False)
def settle() -> None:
    """Import and freeze what pages use, and configure the server process."""
    # Tables are small: starting threads to convert one to Arrow takes longer than the conversion.
    pa.set_cpu_count(1)
    quote_nobody()
    keep_runs_whole()
    deliver_together()
    share_session_loop()
    look_up_one_value()
    run_patterns_by(find_in_process)
    call_between_texts(stop_where_nobody_waits)
    for folder in _FOLDERS:
        package = importlib.import_module(folder)
        for module in pkgutil.walk_packages(package.__path__, f"{folder}."):
            if not module.name.endswith(".page"):  # a script, which Streamlit runs
                importlib.import_module(module.name)
    importlib.import_module("engine._compiler")  # and with it Numba, before a visitor waits for it
    gc.collect()
    gc.freeze()
    send_at_once()


def stop_where_nobody_waits() -> None:
    """End the run of a page whose visitor has left, as Streamlit does whenever a page writes or reads state."""
    if get_script_run_ctx(suppress_warning=True) is not None:
        _ = "nobody" in st.session_state


def quote_nobody() -> None:
    """Keep error messages out of everything this process prints from now on."""
    logging.setLogRecordFactory(_record)
    config.set_option("logger.enableRich", False)
    for name in _OF_CONNECTIONS:
        logging.getLogger(name).addFilter(Seldom())
    sys.excepthook = _end
    threading.excepthook = _end_of_thread
    sys.unraisablehook = _unraisable


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

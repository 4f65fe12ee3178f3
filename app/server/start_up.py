"""Setup of the whole server, done once: memory, garbage collection, threads, kernels.

Streamlit collects garbage after every run. Scanning the objects of pandas, Plotly and Numba, which live as long as the
server, takes longer than most pages; once frozen, they are skipped.
"""

import asyncio
import gc
import importlib
import pkgutil
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import pyarrow as pa
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app.server.http.connections import bound_by_files
from app.server.http.no_delay import send_at_once
from app.server.http.session_loop import share_session_loop
from app.server.http.uploads import uploads
from app.server.quiet_log import quote_nobody
from app.server.room.live import LIVE
from app.server.room.purge import purge_regularly
from app.server.whole_runs import keep_runs_whole
from app.server.work.jobs import end_jobs
from app.server.work.kernels import KernelsNotReadyError, kernels
from app.server.work.patterns import find_in_process
from app.server.work.reading import readers
from engine.corpus.pretokens.own_pattern import run_patterns_by
from engine.interop.imported.step_budget import call_between_texts

# Packages that pages use.
_ROOMS = ("app.components", "app.parts", "app.views")
_FIRST_LOOK = "app.session.first_look"


@asynccontextmanager
async def settled(_: st.App) -> AsyncGenerator[None]:
    """Make the server ready before it answers any request, and shut down what it started."""
    kernels().start()
    settle()
    LIVE.most_waiting = bound_by_files()
    uploads()
    threading.Thread(target=_make_first, name="first look", daemon=True).start()
    purging = asyncio.create_task(purge_regularly())
    yield
    purging.cancel()
    # Uvicorn is killed by the signal it received, so atexit handlers do not run.
    kernels().close()
    end_jobs()


def _make_first() -> None:
    """Make what visitors need first, as soon as there are kernels for it."""
    first_look = importlib.import_module(_FIRST_LOOK)
    with suppress(KernelsNotReadyError):
        first_look.load_first()
    if kernels().wait():
        readers().keep_warm()
        first_look.load_first()
        first_look.train_first()


@st.cache_resource(show_spinner=False)
def settle() -> None:
    """Import and freeze what pages use, and configure the server process."""
    # Tables are small: starting threads to convert one to Arrow takes longer than the conversion.
    pa.set_cpu_count(1)
    quote_nobody()
    keep_runs_whole()
    share_session_loop()
    run_patterns_by(find_in_process)
    call_between_texts(stop_where_nobody_waits)
    for room in _ROOMS:
        package = importlib.import_module(room)
        for module in pkgutil.walk_packages(package.__path__, f"{room}."):
            if not module.name.endswith(".page"):  # a script, which Streamlit runs
                importlib.import_module(module.name)
    gc.collect()
    gc.freeze()
    send_at_once()


def stop_where_nobody_waits() -> None:
    """End the run of a page whose visitor has left, as Streamlit does whenever a page writes or reads state."""
    if get_script_run_ctx(suppress_warning=True) is not None:
        _ = "nobody" in st.session_state

"""Whether a proxy should send requests to this process: `/ready`.

`/_stcore/health` says that the process has started, and keeps saying so while pages stall.
"""

import asyncio
import signal
import threading
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.server.work.turns import TURNS

READY = "/ready"
_STILL_SECONDS = 10.0
_is_leaving = threading.Event()


def readiness_route() -> Route:
    """The route, at the same address whatever prefix the pages have."""
    return Route(READY, readiness)


def readiness(_request: Request) -> Response:
    """200, or 503 with a reason; `runs` are those of pages that have not ended.

    It runs in one of the threads that also make the HTML of pages: if these or the event loop are stuck there is no
    answer, and the proxy stops waiting for one.
    """
    still, reason = TURNS.seconds_still(), ""
    if _is_leaving.is_set():
        reason = "leaving"
    elif still > _STILL_SECONDS:
        reason = f"no run of a page has ended for {still:.0f} s"
    body = {"reason": reason, "runs": TURNS.n_open}
    return JSONResponse(body, 503 if reason else 200, {"Cache-Control": "no-store"})


def leave_on_signal() -> None:
    """On SIGUSR1 be ready no more, so that the proxy sends visitors elsewhere before SIGTERM ends the process."""
    # Windows has no such signal, and a test's server no main thread.
    with suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, _is_leaving.set)

"""What `app/main.py` adds to the server for classes: their routes, and what runs as long as the server does."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from starlette.routing import BaseRoute, Route

from app.classroom.phone.join import join_routes
from app.classroom.print.handout import handout
from app.classroom.print.printed import PRINT, print_script
from app.classroom.print.report import report
from app.classroom.room.live import LIVE
from app.classroom.room.purge import purge_regularly
from app.server.base_path import base_path
from app.server.http.connections import most_waiting
from app.server.work.threads import Threads

# Both read the library.
_handout, _report = (Threads(at_a_time=2, waiting=400).answering(of) for of in (handout, report))


def class_routes() -> list[BaseRoute]:
    base = base_path()
    return [
        Route(f"{base}/handout", _handout),
        Route(f"{base}/report", _report),
        Route(f"{base}/{PRINT}", print_script),
        *join_routes(base),
    ]


@asynccontextmanager
async def rooms_open() -> AsyncGenerator[None]:
    """Have phones wait for changes, and rooms removed when they have expired."""
    LIVE.most_waiting = most_waiting()
    purging = asyncio.create_task(purge_regularly())
    yield
    purging.cancel()

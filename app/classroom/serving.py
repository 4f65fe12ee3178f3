"""What `app/main.py` adds to the server for classes: their routes, and what runs as long as the server does."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from starlette.concurrency import run_in_threadpool
from starlette.routing import BaseRoute, Route

from app.classroom.phone.join import join_routes
from app.classroom.print.handout import PRINT, handout, print_script
from app.classroom.print.report import report
from app.classroom.room.live import LIVE
from app.classroom.store.rooms import rooms_of
from app.server.http.connections import most_waiting
from app.server.library import library, opened
from app.server.limits import is_one_of_several
from app.server.request import base_path
from app.server.store.store import LibraryError, UnknownIdError
from app.server.work.threads import Threads

_MINUTE = 60.0
_FOLLOW_SECONDS = 0.5
# At the start only the wall clock is available, which may be a day ahead until the network sets it.
_GRACE = 86_400
_log = logging.getLogger(__name__)
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
    """Let phones wait for changes, and delete expired rooms: when the server starts, and every minute."""
    LIVE.most_waiting = most_waiting()
    tasks = [asyncio.create_task(task) for task in (purge_regularly(), _follow_others())]
    yield
    for task in tasks:
        task.cancel()


async def _follow_others() -> None:
    """Follow the rooms if there may be other processes."""
    store = (await run_in_threadpool(opened)).library
    if is_one_of_several() or (store is not None and store.database.tells):
        await follow_rooms()


async def follow_rooms(seconds: float = _FOLLOW_SECONDS) -> None:
    """Tell phones that wait here what a lecturer has changed in another process; for ever.

    That is at once where the database tells of changes; elsewhere each room is looked at every so many `seconds`.
    """
    while True:
        changed = await run_in_threadpool(_news, seconds)
        if changed is None:
            await asyncio.sleep(seconds)
        # A phone that is about to wait is told as well: what it has seen is then older than what is known here.
        for room_id in LIVE.rooms_waiting() if changed is None else changed:
            await run_in_threadpool(_look_at, room_id)


def _news(seconds: float) -> set[str] | None:
    try:
        return library().database.news(seconds)
    except LibraryError:
        return None


def _look_at(room_id: str) -> None:
    try:
        LIVE.changed(rooms_of(library()).find(room_id))
    except UnknownIdError:
        LIVE.forget(room_id)
    except LibraryError:  # the phones' own requests say why
        return


async def purge_regularly(seconds: float = _MINUTE) -> None:
    """Purge now and then every `seconds`, for ever."""
    grace = _GRACE
    while True:
        await run_in_threadpool(_purge, grace)
        grace = 0
        await asyncio.sleep(seconds)


def _purge(grace: int) -> None:
    library = opened().library
    try:
        if library is not None:
            rooms_of(library).purge(grace)
            library.texts.purge()
    except LibraryError as error:  # retried in a minute
        _log.warning("rooms and texts were not purged: %s", error.code)

"""Delete expired rooms from the disk: when the server starts, and every minute."""

import asyncio
import logging

from starlette.concurrency import run_in_threadpool

from app.classroom.store.rooms import rooms_of
from app.server.library import opened
from app.server.store.store import LibraryError

_MINUTE = 60.0
# At the start only the wall clock is available, which may be a day ahead until the network sets it.
_GRACE = 86_400
_log = logging.getLogger(__name__)


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
    except LibraryError as error:  # retried in a minute
        _log.warning("rooms were not purged: %s", error.code)

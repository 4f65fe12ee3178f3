"""Threads for requests that compute, or wait for the disk or a worker: few at a time, and few that wait for their turn.

Starlette's shared threads serve static files and the HTML of pages. What a visitor can make slow runs here, so that
it delays only requests of its own kind.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from anyio import CancelScope, CapacityLimiter, to_thread
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from app.server.request import request_language
from app.server.visitors import network
from app.texts.catalogue import translate

_RETRY_SECONDS = 5
P = ParamSpec("P")
T = TypeVar("T")


class BusyError(HTTPException):
    """Too many requests wait already: 503 with a sentence for the visitor."""

    def __init__(self, language: str) -> None:
        headers = {"Retry-After": str(_RETRY_SECONDS), "X-Said": "1"}
        super().__init__(503, translate("frame.busy", language), headers)


class Threads:
    """The threads of one kind of work.

    Parameters
    ----------
    at_a_time : threads.
    waiting : requests that may wait for one; half as many from one network.
    """

    def __init__(self, at_a_time: int, waiting: int) -> None:
        self._limiter = CapacityLimiter(at_a_time)
        self._most, self._most_of_network = at_a_time + waiting, at_a_time + waiting // 2
        self._requests: Counter[str] = Counter()  # by network

    async def run(self, request: Request, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `work` returns in a thread. The body of the request must have been read.

        Raises
        ------
        BusyError : too many requests wait.
        ClientDisconnect : the client left before the work began.
        """
        of = network(request.client.host if request.client else None)
        if self._requests.total() >= self._most or self._requests[of] >= self._most_of_network:
            raise BusyError(request_language(request))
        self._requests[of] += 1
        with CancelScope() as waiting:
            watch = asyncio.create_task(_cancel_without_client(request, waiting))
            try:
                return await to_thread.run_sync(partial(work, *args, **kwargs), limiter=self._limiter)
            finally:
                watch.cancel()
                self._requests -= Counter((of,))
        raise ClientDisconnect

    def answering(self, endpoint: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
        """The endpoint, run in these threads."""

        @wraps(endpoint)
        async def answer(request: Request) -> Response:
            return await self.run(request, endpoint, request)

        return answer


async def _cancel_without_client(request: Request, waiting: CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    waiting.cancel()

"""Typed room codes: those of a class are looked up at once, guessing is slowed down."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from cachetools import TTLCache

# A class mistypes a few at once; guessing all 24**4 = 331,776 codes is limited to 30 a minute.
_AT_ONCE, _SECONDS_EACH = 30, 2.0
_MAX_WAITING = 10
_DAY = 86_400.0


class _Waiting(NamedTuple):
    """A code waiting for its turn, or until it has to give way."""

    time: float
    gives_way: asyncio.Event


class Guesses:
    """Rate limit on codes, per network, so that nobody is slowed down by others' guesses. `clock` : monotonic.

    A code takes a turn before it is looked up, so sending many at once gains nothing. A right one returns its turn and
    is immediate the next time; the lecturer's network knows the code from the start. When too many wait, the oldest
    gives way: after a flood, the latest ones are genuine.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()  # lecturers' pages run in threads
        # By network: when the turns given so far are used up.
        self._used: TTLCache[str, float] = TTLCache(2000, _DAY, clock)
        self._waiting: dict[str, deque[_Waiting]] = {}
        self._known: TTLCache[tuple[str, str], bool] = TTLCache(10_000, _DAY, clock)

    def know(self, network: str, code: str) -> None:
        with self._lock:
            self._known[network, code] = True

    def was_right(self, network: str, code: str) -> None:
        with self._lock:
            if (network, code) not in self._known:
                self._known[network, code] = True
                self._used[network] = self._used.get(network, 0.0) - _SECONDS_EACH

    async def turn(self, network: str, code: str) -> bool:
        """Wait until the code may be looked up; False if it gave way to later ones."""
        with self._lock:
            if (network, code) in self._known:
                return True
            now = self._clock()
            used = max(self._used.get(network, 0.0), now)
            at = used - (_AT_ONCE - 1) * _SECONDS_EACH
            if at <= now:
                self._used[network] = used + _SECONDS_EACH
                return True
            line = self._waiting.setdefault(network, deque())
            if len(line) >= _MAX_WAITING:
                at, gives_way = line.popleft()
                gives_way.set()
            else:
                self._used[network] = used + _SECONDS_EACH
            mine = _Waiting(at, asyncio.Event())
            line.append(mine)
        try:
            async with asyncio.timeout(at - now):
                await mine.gives_way.wait()
        except TimeoutError:
            pass
        finally:
            with self._lock:
                if mine in line:
                    line.remove(mine)
                if not line and self._waiting.get(network) is line:
                    del self._waiting[network]
        return not mine.gives_way.is_set()  # both may happen at the same moment


GUESSES = Guesses()

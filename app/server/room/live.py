"""Who is in a room, and who waits to hear of a change: in memory, for what has to last is in the library."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable

from cachetools import FIFOCache, TTLCache

from engine.store.store import Room

_LOOK_SECONDS = 0.2
_PRESENT_SECONDS = 45.0
_MAX_WAITING = 2000
_MAX_ROOMS = 200
# Wrong codes within so many seconds, from one network and from everywhere: a class mistypes a few, who guesses
# 24**4 = 331,776 codes needs more.
_GUESS_SECONDS, _GUESSES, _ALL_GUESSES = 60.0, 30, 300


class Live:
    """Versions, presence and wrong codes of all rooms of this server. `clock` : seconds, never set back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._versions: FIFOCache[str, int] = FIFOCache(_MAX_ROOMS)
        self._present: FIFOCache[str, TTLCache[str, object]] = FIFOCache(_MAX_ROOMS)
        self._wrong: FIFOCache[str, deque[float]] = FIFOCache(2000)
        self._n_waiting = 0

    def changed(self, room: Room) -> None:
        """Whoever waits for this room hears of its version."""
        with self._lock:
            self._versions[room.id] = max(room.version, self._versions.get(room.id, 0))

    def forget(self, room_id: str) -> None:
        """The room has ended: whoever waits asks again."""
        with self._lock:
            self._versions[room_id] = -1

    async def wait(self, room_id: str, student: str, version: int, seconds: float) -> None:
        """Until the room is another one than in `version`, the time is over, or the student waits anew."""
        if self._n_waiting >= _MAX_WAITING:
            return
        self._n_waiting += 1
        mine = self._note(room_id, student)
        end = self._clock() + seconds
        try:
            while self._versions.get(room_id, version) == version and self._clock() < end:
                await asyncio.sleep(_LOOK_SECONDS)
                with self._lock:
                    if self._students(room_id).get(student, mine) is not mine:
                        return
        finally:
            self._n_waiting -= 1

    def n_present(self, room_id: str) -> int:
        """Phones that have asked for this room within the last 45 s."""
        with self._lock:
            return len(self._students(room_id))

    def may_guess(self, network: str) -> bool:
        """Whether there were not too many wrong codes from this network, or from all."""
        with self._lock:
            return len(self._recent(network)) < _GUESSES and len(self._recent("")) < _ALL_GUESSES

    def guessed_wrong(self, network: str) -> None:
        """Count a wrong code."""
        with self._lock:
            for of in {network, ""}:
                self._recent(of).append(self._clock())

    def _recent(self, network: str) -> deque[float]:
        times = self._wrong.setdefault(network, deque())
        while times and times[0] < self._clock() - _GUESS_SECONDS:
            times.popleft()
        return times

    def _note(self, room_id: str, student: str) -> object:
        mark = object()
        with self._lock:
            self._students(room_id)[student] = mark
        return mark

    def _students(self, room_id: str) -> TTLCache[str, object]:
        return self._present.setdefault(room_id, TTLCache(1000, _PRESENT_SECONDS, self._clock))


LIVE = Live()

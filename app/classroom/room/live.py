"""Who is in a room, and who waits for a change: in memory only; what has to last is in the library."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from cachetools import FIFOCache, TTLCache

from app.classroom.store.records import Joined, Room

# A class that scans a code on the wall joins at a few phones a second.
_JUMP, _JUMP_SECONDS = 60, 5
_STRETCH_SECONDS = 10


class JoinPeriod(NamedTuple):
    """Phones that joined between two seconds (since 1970), both inclusive."""

    first: int
    last: int
    phones: int
    answering: int  # those of them that have answered the current question


def jumps(joined: Sequence[Joined]) -> list[JoinPeriod]:
    """Periods in which 60 or more phones joined within 5 s, each from its first to its last second."""
    marked: set[int] = set()
    for place, first in enumerate(joined):
        near = [one for one in joined[place : place + _JUMP_SECONDS] if one.second < first.second + _JUMP_SECONDS]
        if sum(one.phones for one in near) >= _JUMP:
            marked.update(one.second for one in near)
    found: list[JoinPeriod] = []
    for one in joined:
        if one.second not in marked:
            continue
        if found and one.second - found[-1].last < _JUMP_SECONDS:
            found[-1] = _longer(found[-1], one)
        else:
            found.append(JoinPeriod(one.second, one.second, one.phones, one.answering))
    return found


def stretches(joined: Sequence[Joined]) -> list[JoinPeriod]:
    """All phones by the ten-second period in which they joined, latest first."""
    found: dict[int, JoinPeriod] = {}
    for one in joined:
        first = one.second - one.second % _STRETCH_SECONDS
        empty = JoinPeriod(first, first + _STRETCH_SECONDS - 1, 0, 0)
        found[first] = _longer(found.get(first, empty), one)._replace(last=empty.last)
    return list(found.values())[::-1]


def _longer(stretch: JoinPeriod, one: Joined) -> JoinPeriod:
    return JoinPeriod(stretch.first, one.second, stretch.phones + one.phones, stretch.answering + one.answering)


_PRESENT_SECONDS = 45.0
_MAX_PRESENT, _MAX_WAITING = 3000, 5000
_MAX_ROOMS = 200


class _Bell(NamedTuple):
    """Wakes one waiting phone, from any thread."""

    loop: asyncio.AbstractEventLoop
    rung: asyncio.Event

    def ring(self) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self.loop.call_soon_threadsafe(self.rung.set)


class Live:
    """Versions and presence of all rooms, as far as this process has heard of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._versions: FIFOCache[str, int] = FIFOCache(_MAX_ROOMS)
        self._present: FIFOCache[str, TTLCache[str, bool]] = FIFOCache(_MAX_ROOMS)
        self._waiting: dict[tuple[str, str], _Bell] = {}
        self.most_waiting = _MAX_WAITING

    def changed(self, room: Room) -> None:
        with self._lock:
            if room.version > self._versions.get(room.id, 0):
                self._tell(room.id, room.version)

    def forget(self, room_id: str) -> None:
        with self._lock:
            self._present.pop(room_id, None)
            self._tell(room_id, -1)

    def arrive(self, room_id: str, student: str) -> None:
        with self._lock:
            self._students(room_id)[student] = True

    async def wait(self, room_id: str, student: str, version: int, seconds: float) -> bool:
        """Wait until the room's version differs from `version`, the time is over, or the student waits anew.

        Only phones that have arrived take a place; requests from outside the room, or for no room, return at once.

        Returns
        -------
        Whether there was a place; without one the phone should pause before it asks again.
        """
        key, bell = (room_id, student), _Bell(asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            if self._versions.get(room_id, version) != version or student not in self._students(room_id):
                return True
            if len(self._waiting) >= min(self.most_waiting, _MAX_WAITING):
                return False
            if (earlier := self._waiting.get(key)) is not None:
                earlier.ring()
            self._waiting[key] = bell
            self._students(room_id)[student] = True
        try:
            async with asyncio.timeout(seconds):
                await bell.rung.wait()
        except TimeoutError:
            pass
        finally:
            with self._lock:
                if self._waiting.get(key) is bell:
                    del self._waiting[key]
        return True

    def rooms_waiting(self) -> set[str]:
        """Ids of the rooms of the phones that wait."""
        with self._lock:
            return {room_id for room_id, _ in self._waiting}

    def n_present(self, room_id: str) -> int:
        """Phones that have sent a request for this room within the last 45 s."""
        with self._lock:
            return len(self._students(room_id))

    def _tell(self, room_id: str, version: int) -> None:
        self._versions[room_id] = version
        for (of, _), bell in self._waiting.items():
            if of == room_id:
                bell.ring()

    def _students(self, room_id: str) -> TTLCache[str, bool]:
        return self._present.setdefault(room_id, TTLCache(_MAX_PRESENT, _PRESENT_SECONDS))


LIVE = Live()

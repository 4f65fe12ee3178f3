"""When phones joined a room: by short periods, and where more came at once than a class can."""

from collections.abc import Sequence
from typing import NamedTuple

from app.classroom.store.records import Joined

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

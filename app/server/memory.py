"""One budget for all of the server's data in memory: visitors' uploads and texts, models, and tables of models."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import NamedTuple

from app.server.limits import limits


def _always() -> bool:
    return True


class Entry(NamedTuple):
    """Something in memory.

    Parameters
    ----------
    size : approximate bytes.
    drop : releases it.
    can_return : it can be recomputed or reloaded.
    is_needed : a model in use was trained on it.
    lives : whether it still exists; an entry that is gone takes no memory.
    """

    size: int
    drop: Callable[[], object]
    can_return: bool = False
    is_needed: bool = False
    lives: Callable[[], bool] = _always


class Budget:
    """Bounds memory use. Recomputable entries are evicted first, those a model needs last; within each, by LRU.

    Parameters
    ----------
    max_bytes : for everything together, except what is in use at this moment.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._entries: OrderedDict[Hashable, Entry] = OrderedDict()
        self._lock = threading.Lock()

    def use(self, entries: Mapping[Hashable, Entry]) -> None:
        """Mark these entries as in use, and evict others until everything fits."""
        with self._lock:
            gone = self._make_room(entries)
        # Outside the lock: `drop` may wait for another lock.
        for entry in gone:
            entry.drop()

    def _make_room(self, entries: Mapping[Hashable, Entry]) -> list[Entry]:
        for key in [key for key, entry in self._entries.items() if not entry.lives()]:
            del self._entries[key]
        for key, entry in entries.items():
            self._entries[key] = entry
            self._entries.move_to_end(key)
        excess = sum(entry.size for entry in self._entries.values()) - self._max_bytes
        others = [key for key in self._entries if key not in entries]
        gone: list[Entry] = []
        for key in sorted(others, key=self._rank):  # stable: oldest first
            if excess <= 0:
                break
            gone.append(self._entries.pop(key))
            excess -= gone[-1].size
        return gone

    def _rank(self, key: Hashable) -> tuple[bool, bool]:
        entry = self._entries[key]
        return entry.is_needed, not entry.can_return


@cache
def memory() -> Budget:
    return Budget(limits().memory_mb * 1_000_000)

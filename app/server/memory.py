"""One budget for all of the server's data in memory: visitors' uploads and texts, models, and tables of models."""

import threading
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import NamedTuple

from app.server.limits import limits


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
    lives: Callable[[], bool] = lambda: True


class Budget:
    """Bounds memory use. Recomputable entries are evicted first, those a model needs last; within each, by LRU.

    Parameters
    ----------
    max_bytes : for everything together, except what is in use at this moment.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._entries: dict[Hashable, Entry] = {}  # the least recently used first
        self._n_bytes = 0
        self._n_asked = 0  # twice the entries that were there when all were last asked whether they still exist
        self._lock = threading.Lock()

    def use(self, entries: Mapping[Hashable, Entry]) -> None:
        """Mark these entries as in use, and evict others until everything fits."""
        with self._lock:
            gone = self._make_room(entries)
        # Outside the lock: `drop` may wait for another lock.
        for entry in gone:
            entry.drop()

    def _make_room(self, entries: Mapping[Hashable, Entry]) -> list[Entry]:
        for key, entry in entries.items():
            self._remove(key)
            self._entries[key] = entry
            self._n_bytes += entry.size
        # Asking every entry takes milliseconds where there are thousands.
        if self._n_bytes > self._max_bytes or len(self._entries) > self._n_asked:
            for key in [key for key, entry in self._entries.items() if not entry.lives()]:
                self._remove(key)
            self._n_asked = 2 * len(self._entries)
        if self._n_bytes <= self._max_bytes:
            return []
        gone: list[Entry] = []
        for key in sorted([key for key in self._entries if key not in entries], key=self._rank):  # stable: oldest first
            if self._n_bytes <= self._max_bytes:
                break
            gone.append(self._entries[key])
            self._remove(key)
        return gone

    def _remove(self, key: Hashable) -> None:
        if (entry := self._entries.pop(key, None)) is not None:
            self._n_bytes -= entry.size

    def _rank(self, key: Hashable) -> tuple[bool, bool]:
        entry = self._entries[key]
        return entry.is_needed, not entry.can_return


@cache
def memory() -> Budget:
    return Budget(limits().memory_mb * 1_000_000)

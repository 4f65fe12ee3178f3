"""Runs of the script take turns.

Python runs one thread at a time, for up to 5 ms before it switches. If the runs of several visitors compete, all
finish late, and the event loop, which needs a turn for every message it sends, suffers most. Run one after another,
they finish sooner, and the loop competes with only one of them.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

# Most runs take a fifth of this. Longer ones compute something for the first time, or wait.
_LEASE = 0.25


class Turns:
    """A queue of runs, first come, first served: the first runs, the others wait.

    After `lease` seconds (at most twice that) the next one starts even if the first has not ended, so that long work
    blocks nobody.

    Attributes
    ----------
    n_open : runs that wait or have not ended.
    """

    def __init__(self, lease: float) -> None:
        self._lease = lease
        self._lock = threading.Lock()
        self._line: deque[threading.Event] = deque()
        self._ends = 0.0
        self._last_end = 0.0
        self.n_open = 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, and pass it on at the end."""
        mine = threading.Event()
        with self._lock:
            if self.n_open < 2:
                self._last_end = time.monotonic()
            self.n_open += 1
            self._line.append(mine)
            if len(self._line) == 1:
                self._begin()
        while not mine.wait(self._lease):
            with self._lock:
                if time.monotonic() >= self._ends:
                    self._hand_on()
        try:
            yield
        finally:
            with self._lock:
                self.n_open -= 1
                self._last_end = time.monotonic()
                if self._line and self._line[0] is mine:
                    self._hand_on()

    def seconds_still(self) -> float:
        """How long several runs have been open without one of them ending; a single one may be long work."""
        return time.monotonic() - self._last_end if self.n_open > 1 else 0.0

    def _hand_on(self) -> None:
        self._line.popleft()
        if self._line:
            self._begin()

    def _begin(self) -> None:
        self._ends = time.monotonic() + self._lease
        self._line[0].set()


TURNS = Turns(_LEASE)

"""Runs of the script take turns.

Python executes one thread at a time and lets it go on for 5 ms before another may. Where the runs of several visitors
compete, all of them end late, and the event loop, which has to get in for every message that it sends, is last. One
after another they end sooner, and the loop competes with one of them alone.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

# Most runs take a fifth of it. One that takes longer computes something for the first time, or waits.
_LEASE = 0.25


class Turns:
    """A line of runs, in the order in which they came: the first runs, the others wait.

    After `lease` seconds (at the latest after twice as many) the next one begins, whether the first has ended or not:
    long work holds nobody up.
    """

    def __init__(self, lease: float) -> None:
        self._lease = lease
        self._lock = threading.Lock()
        self._line: deque[threading.Event] = deque()
        self._ends = 0.0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, and hand it on at the end."""
        mine = threading.Event()
        with self._lock:
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
                if self._line and self._line[0] is mine:
                    self._hand_on()

    def _hand_on(self) -> None:
        self._line.popleft()
        if self._line:
            self._begin()

    def _begin(self) -> None:
        self._ends = time.monotonic() + self._lease
        self._line[0].set()


TURNS = Turns(_LEASE)

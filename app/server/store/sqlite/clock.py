"""The time, for expiry: setting the system clock must not remove anything early."""

import time


def _passed() -> float:
    """Seconds since an arbitrary moment, monotonic; including sleep if the system counts it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Clock:
    """The wall clock now, and the wall clock at the start plus the time passed since.

    They differ if somebody has set the former. An expiry is set by the later one and checked against the earlier one:
    a clock that jumps, forward or back, may extend it but never shortens it.
    """

    def __init__(self) -> None:
        self._start = time.time() - _passed()

    def early(self) -> int:
        """The earlier time: what has expired by it has expired."""
        return int(min(time.time(), self._start + _passed()))

    def late(self) -> int:
        """The later time, for setting an expiry."""
        return int(max(time.time(), self._start + _passed()))

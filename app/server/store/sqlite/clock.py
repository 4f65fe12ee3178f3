"""What time it is, for what is to be removed when its time is over: no clock that somebody sets may remove it early."""

import time


def _passed() -> float:
    """Seconds since some moment, which nobody can set; where the system says so those of its sleep, too."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Clock:
    """The wall clock now, and the wall clock at the start with the time that has passed since.

    Where the two differ somebody has set the first. An end is set by the later one and judged by the earlier one, so a
    clock that jumps, forward or back, may keep something longer, but never ends it early.
    """

    def __init__(self) -> None:
        self._start = time.time() - _passed()

    def early(self) -> int:
        """The earlier time: what is over by it is over."""
        return int(min(time.time(), self._start + _passed()))

    def late(self) -> int:
        """The later time: from it on something is kept."""
        return int(max(time.time(), self._start + _passed()))

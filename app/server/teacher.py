"""Passwords from the environment, such as the teacher's: constant-time comparison, slow to guess."""

import hmac
import os
import threading
import time
from functools import cache

from cachetools import FIFOCache

from app.server.limits import PREFIX
from app.server.visitors import Visitor

PASSWORD_VARIABLE = f"{PREFIX}TEACHER_PASSWORD"

_QUIET_SECONDS = 60.0
_FIRST_DELAY, _LONGEST_DELAY = 0.5, 8.0
_MAX_VISITORS = 1000


class Door:
    """Checks a password. It never locks out, which would also lock out the teacher.

    Wrong passwords are answered late, with growing delay: 0.5, 1, 2, 4 and then 8 seconds, reset after a minute without
    failures. Failures are counted per visitor.

    Parameters
    ----------
    password : empty to let nobody in.
    """

    def __init__(self, password: str) -> None:
        self._password = password.encode()
        self._failures: FIFOCache[Visitor, tuple[int, float]] = FIFOCache(_MAX_VISITORS)  # count, time of the last one
        self._lock = threading.Lock()

    @property
    def exists(self) -> bool:
        return bool(self._password)

    def opens(self, password: str, visitor: Visitor) -> bool:
        """Whether the password is right; a wrong one is answered with a delay."""
        if self._password and hmac.compare_digest(password.encode("utf-8", "surrogatepass"), self._password):
            return True
        time.sleep(self._delay(visitor))
        return False

    def _delay(self, visitor: Visitor) -> float:
        """Count a failure and return the delay of its answer."""
        with self._lock:
            now = time.monotonic()
            number, last = self._failures.get(visitor, (0, now))
            number = 0 if now - last >= _QUIET_SECONDS else number
            self._failures[visitor] = number + 1, now
        return min(_LONGEST_DELAY, _FIRST_DELAY * 2 ** min(number, 10))


@cache
def door() -> Door:
    return Door(os.environ.get(PASSWORD_VARIABLE, ""))

"""The teacher's password: from the environment, compared in constant time, and not tried for ever."""

import hmac
import os
import threading
import time
from collections import deque
from functools import cache

from app.server.limits import PREFIX

PASSWORD_VARIABLE = f"{PREFIX}TEACHER_PASSWORD"

MAX_ATTEMPTS, PER_SECONDS = 5, 60.0


class Door:
    """Lets in whoever knows the password.

    Parameters
    ----------
    password : empty for a door without a key, which nobody passes.
    max_attempts, per_seconds : wrong passwords, of all visitors together, in so much time. More would let a script
        guess; a new session for each guess does not help, since they are counted together.
    """

    def __init__(self, password: str, max_attempts: int = MAX_ATTEMPTS, per_seconds: float = PER_SECONDS) -> None:
        self._password = password.encode()
        self._max_attempts, self._per_seconds = max_attempts, per_seconds
        self._failures: deque[float] = deque()
        self._lock = threading.Lock()

    @property
    def exists(self) -> bool:
        """Whether there is a password at all."""
        return bool(self._password)

    def seconds_to_wait(self) -> float:
        """Until the next attempt is allowed; 0 for now. The clock is one that nobody can set."""
        with self._lock:
            return self._wait(time.monotonic())

    def opens(self, password: str) -> bool:
        """Whether it is the password; False without a look where there were too many attempts."""
        with self._lock:
            now = time.monotonic()
            if not self._password or self._wait(now) > 0:
                return False
            if hmac.compare_digest(password.encode("utf-8", "surrogatepass"), self._password):
                return True
            self._failures.append(now)
            return False

    def _wait(self, now: float) -> float:
        while self._failures and now - self._failures[0] >= self._per_seconds:
            self._failures.popleft()
        if len(self._failures) < self._max_attempts:
            return 0.0
        return self._per_seconds - (now - self._failures[0])


def door() -> Door:
    """The door of this server."""
    return _server_door()


@cache
def _server_door() -> Door:
    return Door(os.environ.get(PASSWORD_VARIABLE, ""))

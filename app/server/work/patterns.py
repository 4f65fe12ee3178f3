"""Visitors' patterns run in separate processes, never in the server's."""

import atexit
import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import cache

from cachetools import LRUCache

from app.server.work.pattern_process import PatternAnswer, PatternRequest
from app.server.work.worker_process import end_process, start_process, take_running
from engine.corpus.pretokens.own_pattern import current_allowance, too_large, too_slow
from engine.errors import InputError

_COMMAND = (sys.executable, "-m", "app.server.work.pattern_process")
_N_PROCESSES = 2
# The process keeps its own time; one stuck in the middle of a match is killed this much later.
_GRACE_SECONDS = 3.0
_MAX_KEPT = 2_000_000


class PatternProcesses:
    """Runs patterns in other processes; results are cached."""

    def __init__(self, command: Sequence[str] = _COMMAND) -> None:
        self._command = tuple(command)
        self._free = threading.BoundedSemaphore(_N_PROCESSES)
        self._lock = threading.Lock()
        self._idle: list[subprocess.Popen[str]] = []
        # Keyed by a hash, so that no visitor's text is stored.
        self._kept: LRUCache[bytes, Sequence[Sequence[int]] | InputError] = LRUCache(_MAX_KEPT, getsizeof=_size)

    def find(self, pattern: str, texts: Sequence[str]) -> Sequence[Sequence[int]]:
        """Start and end offsets of the matches in each text; InputError if that takes too much time or memory."""
        words = json.dumps([pattern, list(texts)])
        key = hashlib.sha256(words.encode()).digest()
        with self._lock:
            found = self._kept.get(key)
        if found is None:
            allowance = current_allowance()
            is_fresh = allowance.left == allowance.seconds  # otherwise earlier patterns used part of the time
            found = self._find(pattern, texts)
            with self._lock:
                if _size(found) <= _MAX_KEPT and (is_fresh or not isinstance(found, InputError)):
                    self._kept[key] = found
        if isinstance(found, InputError):
            raise found.again()
        return found

    def close(self) -> None:
        with self._lock:
            for process in self._idle:
                end_process(process)
            self._idle.clear()

    def _find(self, pattern: str, texts: Sequence[str]) -> Sequence[Sequence[int]] | InputError:
        allowance = current_allowance()
        with self._free:
            request: PatternRequest = {"pattern": pattern, "texts": list(texts), "seconds": allowance.left}
            answer, is_late = self._ask(request, allowance.left)
        if answer is None:  # killed by the timer, or by the system for its memory
            allowance.spend(allowance.left)
            return too_slow(allowance.seconds) if is_late else too_large()
        allowance.spend(answer["seconds"])  # without the round trip: pages send one line at a time
        if "error" not in answer:
            return answer["matches"]
        error = InputError.from_fields(answer["error"])
        return too_slow(allowance.seconds) if error.code == "pattern.slow" else error

    def _ask(self, request: PatternRequest, seconds: float) -> tuple[PatternAnswer | None, bool]:
        """The answer of a process, None where it has died; and whether it was too late."""
        late = threading.Event()
        with self._lock:
            process = take_running(self._idle)
        process = process or start_process(self._command)
        assert process.stdin is not None and process.stdout is not None

        def stop() -> None:
            late.set()
            process.kill()

        clock = threading.Timer(seconds + _GRACE_SECONDS, stop)
        clock.daemon = True
        clock.start()
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
        except (OSError, ValueError):
            end_process(process)
            return None, late.is_set()
        finally:
            clock.cancel()
        with self._lock:
            self._idle.append(process)
        return answer, False


def _size(found: Sequence[Sequence[int]] | InputError) -> int:
    return 1 if isinstance(found, InputError) else 1 + sum(map(len, found)) + len(found)


def pattern_processes() -> PatternProcesses:
    return _server_processes()


@cache
def _server_processes() -> PatternProcesses:
    made = PatternProcesses()
    atexit.register(made.close)
    return made


def find_in_process(pattern: str, texts: Sequence[str]) -> Sequence[Sequence[int]]:
    """How the server runs patterns, see `PatternProcesses.find`."""
    return pattern_processes().find(pattern, texts)

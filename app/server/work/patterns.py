"""Visitors' patterns run in separate processes, never in the server's."""

import atexit
import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from functools import cache

from cachetools import LRUCache

from app.server.work.worker_process import COMMAND, Event, Spares, WorkerEndedError
from engine.corpus.pretokens.own_pattern import current_allowance, too_large, too_slow
from engine.errors import InputError

_N_PROCESSES = 2
# The process keeps its own time; one stuck in the middle of a match is killed this much later.
_GRACE_SECONDS = 3.0
_MAX_KEPT = 2_000_000


class PatternProcesses:
    """Runs patterns in other processes; results are cached."""

    def __init__(self, command: Sequence[str] = (*COMMAND, "--patterns")) -> None:
        self._spares = Spares(command)
        self._free = threading.BoundedSemaphore(_N_PROCESSES)
        self._lock = threading.Lock()
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
        self._spares.close()

    def _find(self, pattern: str, texts: Sequence[str]) -> Sequence[Sequence[int]] | InputError:
        allowance = current_allowance()
        request = {"pattern": pattern, "texts": list(texts), "seconds": allowance.left}
        with self._free:
            events = self._ask(request, allowance.left + _GRACE_SECONDS)
        if isinstance(events, WorkerEndedError):  # killed for its time, or by the system for its memory
            allowance.spend(allowance.left)
            return too_slow(allowance.seconds) if events.is_late else too_large()
        result = events["result"]
        allowance.spend(result["seconds"])  # without the round trip: pages send one line at a time
        if "error" not in events:
            return result["matches"]
        error = InputError.from_fields(events["error"])
        return too_slow(allowance.seconds) if error.code == "pattern.slow" else error

    def _ask(self, request: Mapping[str, object], seconds: float) -> dict[str, Event] | WorkerEndedError:
        """Events of a worker by name, or how it ended."""
        events: list[Event] = []
        worker = self._spares.take()
        try:
            worker.ask({"kind": "matching", "request": request}, seconds, events.append)
        except WorkerEndedError as ending:
            worker.close()
            return ending
        self._spares.add(worker, _N_PROCESSES)
        return {event["event"]: event for event in events}


def _size(found: Sequence[Sequence[int]] | InputError) -> int:
    return 1 if isinstance(found, InputError) else 1 + sum(map(len, found)) + len(found)


@cache
def pattern_processes() -> PatternProcesses:
    made = PatternProcesses()
    atexit.register(made.close)
    return made


def find_in_process(pattern: str, texts: Sequence[str]) -> Sequence[Sequence[int]]:
    """How the server runs patterns, see `PatternProcesses.find`."""
    return pattern_processes().find(pattern, texts)

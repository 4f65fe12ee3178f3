"""Model files of all visitors on the server's disk."""

import threading
from collections import OrderedDict
from pathlib import Path

from engine.machine.atomic_file import write_whole


class ModelFolder:
    """Model files by key, in a private folder; the least recently used are removed when there are too many."""

    def __init__(self, folder: Path, max_files: int = 64, max_bytes: int = 2 << 30) -> None:
        self._folder, self._max_files, self._max_bytes = folder, max_files, max_bytes
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def target(self, key: str) -> Path:
        return self._folder / f"{key}.tok"

    def add(self, key: str) -> None:
        """Register a file that was written."""
        with self._lock:
            self._sizes[key] = self.target(key).stat().st_size
            self._sizes.move_to_end(key)
            while len(self._sizes) > self._max_files or sum(self._sizes.values()) > self._max_bytes:
                if len(self._sizes) == 1:
                    break
                oldest, _ = self._sizes.popitem(last=False)
                self.target(oldest).unlink(missing_ok=True)

    def write(self, key: str, content: bytes) -> None:
        """Write a file atomically: concurrent readers see the old or the new one.

        Raises
        ------
        engine.errors.InputError : e.g. the disk is full.
        """
        write_whole(self.target(key), content)
        self.add(key)

    def remove(self, key: str) -> None:
        with self._lock:
            if self._sizes.pop(key, None) is not None:
                self.target(key).unlink(missing_ok=True)

    def find(self, key: str) -> Path | None:
        """The file with this key, if it still exists."""
        with self._lock:
            if key not in self._sizes:
                return None
            if not self.target(key).exists():  # some systems clean up temporary files
                del self._sizes[key]
                return None
            self._sizes.move_to_end(key)
            return self.target(key)

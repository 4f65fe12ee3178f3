"""Where the shards of a corpus are stored and processed: the only part of a training that depends on machines."""

import mmap
import pickle
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from engine.unigram.train.shard_tree import ShardTree

_PAGE = mmap.ALLOCATIONGRANULARITY
_SMALL = 1 << 12  # bytes; smaller arrays are stored in the pickle


class _ArrayPlace(NamedTuple):
    """Location of an array."""

    number: int  # of the file
    begin: int
    size: int


class StateFiles:
    """Any value with NumPy arrays in it, stored on disk.

    `load` maps the arrays copy-on-write: pages are read on access, and changes never reach the files.

    Parameters
    ----------
    stem : prefix of the file names.
    value : the initial value.
    """

    def __init__(self, stem: Path, value: Any) -> None:
        self._stem = stem
        self._pickle = pickle.dumps(value)
        self._places: list[_ArrayPlace] = []
        self._files: set[int] = set()
        self._n_files = 0

    def load(self) -> Any:
        """The value saved last."""
        maps = {number: self._mapped(number) for number in self._files}
        buffers = [memoryview(maps[p.number])[p.begin : p.begin + p.size] for p in self._places]
        self._known = {_address(buffer): place for buffer, place in zip(buffers, self._places, strict=True)}
        return pickle.loads(self._pickle, buffers=buffers)

    def save(self, value: Any) -> None:
        """Save a value; arrays shared with the last loaded one are not rewritten."""
        new: list[memoryview] = []
        places: list[_ArrayPlace] = []
        number, at = self._n_files, 0

        def keep(buffer: pickle.PickleBuffer) -> bool:
            nonlocal at
            data = buffer.raw()
            if data.nbytes < _SMALL:
                return True
            known = self._known.get(_address(data))
            if known is not None and known.size == data.nbytes:
                places.append(known)
                return False
            new.append(data)
            places.append(_ArrayPlace(number, at, data.nbytes))
            at += -(-data.nbytes // _PAGE) * _PAGE
            return False

        self._pickle = pickle.dumps(value, protocol=5, buffer_callback=keep)
        if new:
            self._n_files += 1
            with self._path(number).open("wb") as file:
                for data in new:
                    file.write(data)
                    file.write(bytes(-data.nbytes % _PAGE))
        self._places = places
        used = {place.number for place in places}
        for old in self._files - used:
            self._path(old).unlink()
        self._files = used

    def _path(self, number: int) -> Path:
        return self._stem.with_name(f"{self._stem.name}-{number:04d}")

    def _mapped(self, number: int) -> mmap.mmap:
        with self._path(number).open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)


Work = Callable[..., Any]


class Workers(Protocol):
    """Keeps a state for each shard. All functions passed in are pure and importable on every machine."""

    def each(self, work: Work, items: Iterable[Any], *shared: Any) -> list[Any]:
        """`work(item, *shared)` for each item, in order."""

    def completed(self, work: Work, items: Iterable[Any], *shared: Any) -> Iterator[tuple[int, Any]]:
        """The number of each item with `work(item, *shared)`, as they are done; none is kept."""

    def begin(self, n_shards: int) -> None:
        """Start with `n_shards` shards; the initial state of each is its number."""

    def change(self, work: Work, *shared: Any) -> None:
        """Replace the state of each shard by `work(state, *shared)`, at the latest on the next `ask`."""

    def ask(self, work: Work, merge: Callable[[Any, Any], Any], *shared: Any) -> Any:
        """`work(state, *shared)` for each shard, merged along the tree of `shard_tree`."""

    def close(self) -> None:
        """Stop immediately and discard all states."""


class Stopped(Exception):
    """The training was stopped while a thread was working on it."""


class Streaming:
    """Workers on one machine: states are files, and only those being processed are in memory.

    Changes are deferred until the next `ask`, so that a shard is loaded once for all of them.

    Parameters
    ----------
    folder : local folder for the files; removed on close.
    threads : shards processed at once; the result does not depend on it.
    """

    def __init__(self, folder: str, threads: int) -> None:
        self._folder = folder
        self._pool = ThreadPoolExecutor(max(1, threads))
        self._stopped = threading.Event()
        self._files: list[StateFiles] = []
        self._waiting: list[tuple[Work, tuple[Any, ...]]] = []

    def each(self, work: Work, items: Iterable[Any], *shared: Any) -> list[Any]:
        """See Workers."""
        return self._run(lambda item: work(item, *shared), items)

    def completed(self, work: Work, items: Iterable[Any], *shared: Any) -> Iterator[tuple[int, Any]]:
        """See Workers."""
        numbers = {self._pool.submit(work, item, *shared): number for number, item in enumerate(items)}
        try:
            for future in as_completed(list(numbers)):
                yield numbers.pop(future), future.result()
        finally:
            for future in numbers:
                future.cancel()

    def begin(self, n_shards: int) -> None:
        """See Workers."""
        self._files = [StateFiles(Path(self._folder, f"shard-{k:05d}"), k) for k in range(n_shards)]

    def change(self, work: Work, *shared: Any) -> None:
        """See Workers."""
        self._waiting.append((work, shared))

    def ask(self, work: Work, merge: Callable[[Any, Any], Any], *shared: Any) -> Any:
        """See Workers."""
        tree = ShardTree(len(self._files), merge)
        waiting, self._waiting = self._waiting, []

        def answer(shard: int) -> None:
            files = self._files[shard]
            state = files.load()
            for change, arguments in waiting:
                if self._stopped.is_set():
                    raise Stopped
                state = change(state, *arguments)
            if waiting:
                files.save(state)
            tree.add(shard, work(state, *shared))

        self._run(answer, range(len(self._files)))
        return tree.total

    def close(self) -> None:
        """See Workers."""
        self._stopped.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, work: Work, items: Iterable[Any]) -> list[Any]:
        futures: list[Future[Any]] = [self._pool.submit(work, item) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def _address(buffer: memoryview) -> int:
    return int(np.frombuffer(buffer, dtype=np.uint8).ctypes.data)

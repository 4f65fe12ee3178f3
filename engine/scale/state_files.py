"""The state of a shard as files that are mapped into memory: arrays that a step leaves alone are not written again."""

import mmap
import pickle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

_PAGE = mmap.ALLOCATIONGRANULARITY
_SMALL = 1 << 12  # bytes; what is smaller stands in the pickle


class _ArrayPlace(NamedTuple):
    """Where an array lies."""

    number: int  # of the file
    begin: int
    size: int


class StateFiles:
    """Any value with NumPy arrays in it, on disk.

    The arrays of what `load` returns are mapped, each page is read when it is looked at, and nothing that is written to
    them reaches the files.

    Parameters
    ----------
    stem : beginning of the files' names.
    value : what is there before anything was saved.
    """

    def __init__(self, stem: Path, value: Any) -> None:
        self._stem = stem
        self._pickle = pickle.dumps(value)
        self._places: list[_ArrayPlace] = []
        self._files: set[int] = set()
        self._n_files = 0

    def load(self) -> Any:
        """The value that was saved last."""
        maps = {number: self._mapped(number) for number in self._files}
        buffers = [memoryview(maps[p.number])[p.begin : p.begin + p.size] for p in self._places]
        self._known = {_address(buffer): place for buffer, place in zip(buffers, self._places, strict=True)}
        return pickle.loads(self._pickle, buffers=buffers)

    def save(self, value: Any) -> None:
        """Keep a value, made from the one that was loaded last or not."""
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


def _address(buffer: memoryview) -> int:
    return int(np.frombuffer(buffer, dtype=np.uint8).ctypes.data)

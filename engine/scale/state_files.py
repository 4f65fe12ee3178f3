"""The state of a shard in memory-mapped files: arrays that a step does not change are not rewritten."""

import mmap
import pickle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

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


def _address(buffer: memoryview) -> int:
    return int(np.frombuffer(buffer, dtype=np.uint8).ctypes.data)

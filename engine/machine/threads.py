"""Threads around kernels, which release the GIL and start no threads themselves."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

_Result = TypeVar("_Result")

MOST_THREADS = 1024
# Ranges in a part: what a kernel writes of one stays in the processor's cache.
_PART = 1 << 13


def usable_threads() -> int:
    """How many threads a command takes that has not been told."""
    return min(8, os.cpu_count() or 1)


def in_threads(threads: int, n: int, work: Callable[[int], _Result]) -> list[_Result]:
    """`work(0)` to `work(n - 1)`, `threads` at once; the results are in this order."""
    if threads == 1 or n <= 1:
        return [work(k) for k in range(n)]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, range(n)))


def ragged_in_threads(
    work: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]],
    begin: np.ndarray,
    end: np.ndarray,
    threads: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Items of all ranges, and their ptr by range, as `work` has them of some ranges that begin and end so."""
    spans = [slice(at, at + _PART) for at in range(0, max(begin.size, 1), _PART)]
    parts = in_threads(threads, len(spans), lambda k: work(begin[spans[k]], end[spans[k]]))
    offsets = np.cumsum([0, *(items.size for items, _ in parts)])
    ptrs = [ptr[1:] + at for (_, ptr), at in zip(parts, offsets[:-1], strict=True)]
    return np.concatenate([items for items, _ in parts]), np.concatenate([offsets[:1], *ptrs])

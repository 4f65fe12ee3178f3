"""Threads around kernels, which release the GIL and start no threads themselves."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Result = TypeVar("_Result")


def usable_threads() -> int:
    """How many threads a command takes that has not been told."""
    return min(8, os.cpu_count() or 1)


def in_threads(threads: int, n: int, work: Callable[[int], _Result]) -> list[_Result]:
    """`work(0)` to `work(n - 1)`, `threads` at once; the results are in this order."""
    if threads == 1 or n <= 1:
        return [work(k) for k in range(n)]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, range(n)))

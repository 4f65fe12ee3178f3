"""Sums over shards, put together in one fixed order.

A sum of floats depends on its order, so the shards' sums are always merged along the same binary tree: shards 2k and
2k + 1, then these pairs, and so on; what is left over at the end of a level goes up as it is. The number of shards
follows from the corpus, hence the result neither depends on the number of threads nor on which of them, or which
machine, is done first.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

_Result = TypeVar("_Result")


class ShardTree(Generic[_Result]):
    """Takes the results of all shards, in any order and from any thread, and merges what it can at once.

    In shard order at most log2(n_shards) + 1 results are held.

    Parameters
    ----------
    n_shards : how many results will come.
    merge : the result of two neighbouring stretches of shards together, the left one first; it may use up both.

    Examples
    --------
    >>> tree = ShardTree(5, lambda left, right: f"({left}{right})")
    >>> for shard in (3, 0, 4, 2, 1):
    ...     tree.add(shard, str(shard))
    >>> tree.total
    '(((01)(23))4)'
    """

    def __init__(self, n_shards: int, merge: Callable[[_Result, _Result], _Result]) -> None:
        self._n_shards = n_shards
        self._merge = merge
        self._waiting: dict[tuple[int, int], _Result] = {}  # by level, and number on that level
        self._lock = Lock()
        self.total: _Result | None = None  # once all results are there

    def add(self, shard: int, result: _Result) -> None:
        """Take the result of one shard; its caller does the merging."""
        level, node = 0, shard
        while 1 << level < self._n_shards:
            sibling = node ^ 1
            if sibling << level < self._n_shards:
                with self._lock:
                    if (level, sibling) not in self._waiting:
                        self._waiting[level, node] = result
                        return
                    other = self._waiting.pop((level, sibling))
                result = self._merge(other, result) if sibling < node else self._merge(result, other)
            level, node = level + 1, node >> 1
        self.total = result


def merge_shards(
    n_shards: int, threads: int, work: Callable[[int], _Result], merge: Callable[[_Result, _Result], _Result]
) -> _Result:
    """What `work` says of each shard, merged as ShardTree does; `threads` shards are worked on at once."""
    tree = ShardTree(n_shards, merge)
    in_each_shard(n_shards, threads, lambda shard: tree.add(shard, work(shard)))
    assert tree.total is not None
    return tree.total


def in_each_shard(n_shards: int, threads: int, work: Callable[[int], None]) -> None:
    """Do the work of every shard, `threads` of them at once."""
    if threads == 1 or n_shards == 1:
        for shard in range(n_shards):
            work(shard)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, range(n_shards)):
            pass

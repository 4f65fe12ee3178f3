"""Sums over shards, merged in a fixed order.

Float addition is not associative, so the shards' sums are always merged along the same binary tree: shards 2k and
2k + 1, then these pairs, and so on; an unpaired node moves up unchanged. The number of shards follows from the corpus,
so the result depends neither on the number of threads nor on which thread or machine finishes first.
"""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from engine.machine.threads import in_threads

_Result = TypeVar("_Result")


class ShardTree(Generic[_Result]):
    """Collects the results of all shards, in any order and from any thread, and merges them as early as possible.

    If they come in shard order, at most log2(n_shards) + 1 results are stored.

    Parameters
    ----------
    n_shards : number of results.
    merge : merges the results of two adjacent ranges of shards, the left one first; it may modify both.

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
        self.total: _Result | None = None  # set once all results are in

    def add(self, shard: int, result: _Result) -> None:
        """Add the result of one shard; merging runs in the caller's thread."""
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
    """Results of `work` for all shards, merged by a ShardTree; `threads` shards run at once."""
    tree = ShardTree(n_shards, merge)
    in_threads(threads, n_shards, lambda shard: tree.add(shard, work(shard)))
    assert tree.total is not None
    return tree.total

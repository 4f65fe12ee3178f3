"""The order in which shards are merged."""

import math
import random
from itertools import permutations
from threading import Barrier, Thread

import pytest

from engine.unigram.train.shard_tree import ShardTree, merge_shards


def bracketed(left: str, right: str) -> str:
    """A merge that shows its order."""
    return f"({left}{right})"


def tree_of(first: int, n: int) -> str:
    """Shards first to n - 1 as the tree merges them: the largest power of two to the left."""
    if n - first == 1:
        return f"[{first}]"
    middle = first + 2 ** math.ceil(math.log2(n - first) - 1)
    return bracketed(tree_of(first, middle), tree_of(middle, n))


@pytest.mark.parametrize("n", range(1, 34))
def test_the_order_is_that_of_the_tree_and_little_is_held(n: int) -> None:
    tree: ShardTree[str] = ShardTree(n, bracketed)
    for shard in range(n):
        tree.add(shard, f"[{shard}]")
        assert len(tree._waiting) <= math.log2(n) + 1
    assert tree.total == tree_of(0, n)
    assert not tree._waiting


def test_it_does_not_matter_who_comes_first() -> None:
    orders = [list(order) for order in permutations(range(5))]
    orders += [random.Random(seed).sample(range(23), 23) for seed in range(20)]
    for order in orders:
        tree: ShardTree[str] = ShardTree(len(order), bracketed)
        for shard in order:
            assert tree.total is None
            tree.add(shard, f"[{shard}]")
        assert tree.total == tree_of(0, len(order))


def test_many_threads_at_once() -> None:
    for _ in range(20):
        tree: ShardTree[str] = ShardTree(8, bracketed)
        together = Barrier(8)

        def add(shard: int, tree: ShardTree[str] = tree, together: Barrier = together) -> None:
            together.wait()
            tree.add(shard, f"[{shard}]")

        threads = [Thread(target=add, args=(shard,)) for shard in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert tree.total == tree_of(0, 8)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_work_on_shards_is_merged_along_the_tree(threads: int) -> None:
    assert merge_shards(11, threads, lambda shard: f"[{shard}]", bracketed) == tree_of(0, 11)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_a_shard_is_passed_on(threads: int) -> None:
    def work(shard: int) -> str:
        return f"[{1 // (shard - 3)}]"

    with pytest.raises(ZeroDivisionError):
        merge_shards(8, threads, work, bracketed)

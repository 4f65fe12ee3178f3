"""Applying learned merges to words: lowest rank first, from left to right."""

from typing import NamedTuple

import numpy as np

from engine._jit import kernel, subkernel
from engine.lattice.encoding import _sizes

# Above every rank.
_NO_LIMIT = 1 << 31
# The bits of a pair of symbols below 256.
_FIRST = 0xFF << 32 | 0xFF


class MergeTable(NamedTuple):
    """Hash table of merges by pair, and the token that each merge creates.

    Slot k has the pair `left << 32 | right` in `slots[2 * k]` (-1: free) and `rank << 32 | token` beside it, so that
    looking up a pair reads one place. Of symbols that are mostly bytes, `first[left << 8 | right]` has the same, or -1.
    """

    slots: np.ndarray  # int64[2 * capacity]
    first: np.ndarray  # int64[65536]
    token: np.ndarray  # int32[n_merges]


@subkernel
def _slot(slots, key):
    mask = np.uint64(slots.size // 2 - 1)
    h = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = (h >> np.uint64(32)) & mask
    while slots[2 * slot] != key and slots[2 * slot] != -1:
        slot = (slot + np.uint64(1)) & mask
    return 2 * slot


@kernel
def _enter_merges(slots, first, left, right, rank, token):
    for k in range(left.size):
        key = (np.int64(left[k]) << 32) | np.int64(right[k])
        slot = _slot(slots, key)
        slots[slot] = key
        slots[slot + np.uint64(1)] = (np.int64(rank[k]) << 32) | np.int64(token[k])
        if key & ~_FIRST == 0:
            first[(key >> 24 | key) & 0xFFFF] = slots[slot + np.uint64(1)]


def build_merge_table(
    left: np.ndarray, right: np.ndarray, token: np.ndarray, rank: np.ndarray | None = None
) -> MergeTable:
    """Table of merges from the ids of the parts and of the resulting tokens, all int32.

    Parameters
    ----------
    rank : int32; the smallest merges first, the leftmost on ties. None: the merges are in order. A pair that is listed
        twice has its last rank, as in `tokenizers`.
    """
    slots = np.full(2 << (2 * left.size + 1).bit_length(), -1, dtype=np.int64)
    first = np.full(1 << 16, -1, dtype=np.int64)
    token = np.asarray(token, dtype=np.int32)
    _enter_merges(slots, first, left, right, np.arange(left.size, dtype=np.int32) if rank is None else rank, token)
    return MergeTable(slots, first, token)


@subkernel
def _merge_of(table, left, right, limit):
    """Rank and token of the pair as in the table, or -1 if its rank is not below `limit`."""
    key = (np.int64(left) << 32) | np.int64(right)
    if key & ~_FIRST == 0:
        merge = table.first[(key >> 24 | key) & 0xFFFF]
    else:
        slot = _slot(table.slots, key)
        merge = table.slots[slot + np.uint64(1)] if table.slots[slot] == key else np.int64(-1)
    return merge if merge >> 32 < limit else np.int64(-1)


@subkernel
def _enter_candidate(table, left, right, limit, merge_at, queue, size, place):
    """Look up the merge of the pair at a place, and push it if there is one; returns the size of the queue."""
    merge = _merge_of(table, left, right, limit)
    merge_at[place] = merge
    if merge < 0:
        return size
    entry = (merge >> 32 << 32) | place
    at = size
    while at > 0 and queue[(at - 1) >> 1] > entry:
        queue[at] = queue[(at - 1) >> 1]
        at = (at - 1) >> 1
    queue[at] = entry
    return size + 1


@subkernel
def _pop_candidate(queue, size):
    """Remove the smallest entry, `queue[0]`."""
    size -= 1
    entry = queue[size]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and queue[child + 1] < queue[child]:
            child += 1
        if queue[child] >= entry:
            break
        queue[at] = queue[child]
        at = child
    queue[at] = entry
    return size


@kernel
def _merge_words(symbols, ptr, table, limit):
    """See `merge_words`."""
    n_words = ptr.size - 1
    longest, _ = _sizes(ptr[:-1], ptr[1:])
    ids = np.empty(symbols.size, dtype=np.int32)
    sizes = np.empty(symbols.size, dtype=np.int32)
    out_ptr = np.empty(n_words + 1, dtype=np.int64)
    out_ptr[0] = 0
    word = np.empty(longest, dtype=np.int32)
    merge_at = np.empty(longest + 1, dtype=np.int64)  # of two symbols, where the first begins; -1: none
    after = np.empty(longest + 1, dtype=np.int32)  # begin of the next symbol
    before = np.empty(longest + 1, dtype=np.int32)  # begin of the previous one, -1: none
    queue = np.empty(3 * longest, dtype=np.int64)  # a heap of rank << 32 | place
    out = 0
    for i in range(n_words):
        begin = ptr[i]
        n = ptr[i + 1] - begin
        size = np.int64(0)  # a literal 0 would compile the queue functions once more
        for k in range(n):
            word[k] = symbols[begin + k]
            after[k] = k + 1
            before[k] = k - 1
            merge_at[k] = -1
            if k > 0:
                size = _enter_candidate(table, word[k - 1], word[k], limit, merge_at, queue, size, k - 1)
        while size > 0:
            rank = queue[0] >> 32
            at = queue[0] & 0xFFFFFFFF
            size = _pop_candidate(queue, size)
            if merge_at[at] >> 32 != rank:
                continue  # stale: another merge changed these symbols
            right = after[at]
            word[at] = np.int32(merge_at[at] & 0xFFFFFFFF)
            merge_at[at] = merge_at[right] = -1
            after[at] = after[right]
            if after[at] < n:
                before[after[at]] = at
                size = _enter_candidate(table, word[at], word[after[at]], limit, merge_at, queue, size, at)
            if before[at] >= 0:
                size = _enter_candidate(table, word[before[at]], word[at], limit, merge_at, queue, size, before[at])
        at = 0
        while at < n:
            ids[out] = word[at]
            sizes[out] = after[at] - at
            out += 1
            at = after[at]
        out_ptr[i + 1] = out
    return ids[:out], sizes[:out], out_ptr


def merge_words(
    symbols: np.ndarray, ptr: np.ndarray, table: MergeTable, limit: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tokens of words given as symbols.

    Parameters
    ----------
    symbols : int32, ids of the initial symbols of all words.
    ptr : int64[n_words + 1].
    table : the merges.
    limit : number of ranks to apply; None: all.

    Returns
    -------
    ids : int32[n], tokens of all words.
    sizes : int32[n], number of initial symbols in each token.
    ptr : int64[n_words + 1], offsets of the words in `ids`.
    """
    ids, sizes, token_ptr = _merge_words(symbols, ptr, table, _NO_LIMIT if limit is None else limit)
    return ids, sizes, token_ptr

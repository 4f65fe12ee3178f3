"""An indexed priority queue of pairs, which allows any pair's score to change.

The best pair has the largest score; ties go to the smallest `tie`, or with the lexicographic policy to the largest pair
of strings. The order is total.
"""

from typing import NamedTuple

import numpy as np

from engine._jit import subkernel


class Heap(NamedTuple):
    """A binary heap over the rows of a pair index."""

    rows: np.ndarray  # int32[capacity], the heap, best first
    place: np.ndarray  # int32[capacity], position of each row in the heap, or -1
    score: np.ndarray  # float64[capacity], by row
    tie: np.ndarray  # int64[capacity], by row
    size: np.ndarray  # int64[1]


class TokenTexts(NamedTuple):
    """Texts of all tokens, filled only for lexicographic ties: token t is `codes[ptr[t]:ptr[t + 1]]`."""

    codes: np.ndarray  # int32
    ptr: np.ndarray  # int64
    is_used: bool


def empty_heap(capacity: int) -> Heap:
    """An empty heap for rows 0 to `capacity - 1`."""
    return Heap(
        rows=np.empty(capacity, dtype=np.int32),
        place=np.full(capacity, -1, dtype=np.int32),
        score=np.empty(capacity),
        tie=np.empty(capacity, dtype=np.int64),
        size=np.zeros(1, dtype=np.int64),
    )


@subkernel
def _compare_texts(texts, s, t):
    """Compare two tokens' texts by code points: negative, 0 or positive."""
    a, b = texts.ptr[s], texts.ptr[t]
    n_a, n_b = texts.ptr[s + 1] - a, texts.ptr[t + 1] - b
    for k in range(min(n_a, n_b)):
        d = texts.codes[a + k] - texts.codes[b + k]
        if d != 0:
            return d
    return n_a - n_b


@subkernel
def _precedes(heap, left, right, texts, i, j):
    """Whether row i is merged before row j."""
    if heap.score[i] != heap.score[j]:
        return heap.score[i] > heap.score[j]
    if texts.is_used:
        sign = _compare_texts(texts, left[i], left[j])
        if sign == 0:
            sign = _compare_texts(texts, right[i], right[j])
        if sign != 0:
            return sign > 0
    return heap.tie[i] < heap.tie[j]


@subkernel
def _rise(heap, left, right, texts, at):
    row = heap.rows[at]
    while at > 0:
        parent = (at - 1) >> 1
        other = heap.rows[parent]
        if not _precedes(heap, left, right, texts, row, other):
            break
        heap.rows[at] = other
        heap.place[other] = at
        at = parent
    heap.rows[at] = row
    heap.place[row] = at


@subkernel
def _sink(heap, left, right, texts, at):
    row = heap.rows[at]
    size = heap.size[0]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and _precedes(heap, left, right, texts, heap.rows[child + 1], heap.rows[child]):
            child += 1
        other = heap.rows[child]
        if not _precedes(heap, left, right, texts, other, row):
            break
        heap.rows[at] = other
        heap.place[other] = at
        at = child
    heap.rows[at] = row
    heap.place[row] = at


@subkernel
def _push(heap, left, right, texts, row):
    at = heap.size[0]
    heap.rows[at] = row
    heap.size[0] = at + 1
    _rise(heap, left, right, texts, at)


@subkernel
def _remove(heap, left, right, texts, row):
    at = np.int64(heap.place[row])
    heap.place[row] = -1
    heap.size[0] -= 1
    last = heap.size[0]
    if at < last:
        heap.rows[at] = heap.rows[last]
        heap.place[heap.rows[at]] = at
        _sink(heap, left, right, texts, at)
        _rise(heap, left, right, texts, at)


@subkernel
def _runner_up(heap, left, right, texts):
    """The second-best row, or -1."""
    if heap.size[0] < 2:
        return -1
    if heap.size[0] == 2 or _precedes(heap, left, right, texts, heap.rows[1], heap.rows[2]):
        return heap.rows[1]
    return heap.rows[2]


@subkernel
def _count_ties(heap):
    """Number of rows with the best score. They are connected at the top of the heap."""
    size = heap.size[0]
    if size == 0:
        return 0
    best = heap.score[heap.rows[0]]
    stack = np.empty(64, dtype=np.int64)  # one entry per level: a heap of 2^31 rows has 31
    stack[0] = 0
    depth = 1
    n = 0
    while depth > 0:
        depth -= 1
        at = stack[depth]
        n += 1
        for child in range(2 * at + 1, min(2 * at + 3, size)):
            if heap.score[heap.rows[child]] == best:
                stack[depth] = child
                depth += 1
    return n

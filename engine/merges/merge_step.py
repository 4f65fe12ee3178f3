"""One merge: write the new symbol over its occurrences and update the pair index.

The pairs (x, left) and (right, x) disappear and the pairs (x, new) and (new, x) appear, for the neighbours x of each
occurrence. Counts are summed by neighbour first, so there is one index lookup per neighbour, not per occurrence.
"""

from typing import NamedTuple

import numpy as np

from engine._jit import subkernel
from engine.merges.heap import _push, _remove, _rise, _sink
from engine.merges.index import _enter, _find, _is_vetoed, _rescore, _words_of


class Scratch(NamedTuple):
    """Buffers for the left (0) and right (1) neighbours of a merge, by symbol."""

    amount: np.ndarray  # int64[2, capacity], occurrences in the corpus
    number: np.ndarray  # int32[2, capacity], places
    row: np.ndarray  # int32[2, capacity]
    touched: np.ndarray  # int32[2, capacity], the neighbours
    n_touched: np.ndarray  # int64[2]


def empty_scratch(capacity: int) -> Scratch:
    """Buffers for symbol ids below `capacity`."""
    return Scratch(
        amount=np.zeros((2, capacity), dtype=np.int64),
        number=np.zeros((2, capacity), dtype=np.int32),
        row=np.full((2, capacity), -1, dtype=np.int32),
        touched=np.empty((2, capacity), dtype=np.int32),
        n_touched=np.zeros(2, dtype=np.int64),
    )


@subkernel
def _note(scratch, side, symbol, weight):
    """Count a neighbour of a merged occurrence."""
    if scratch.number[side, symbol] == 0:
        scratch.touched[side, scratch.n_touched[side]] = symbol
        scratch.n_touched[side] += 1
    scratch.number[side, symbol] += 1
    scratch.amount[side, symbol] += weight


@subkernel
def _clear(scratch):
    for side in range(2):
        for k in range(scratch.n_touched[side]):
            symbol = scratch.touched[side, k]
            scratch.number[side, symbol] = 0
            scratch.amount[side, symbol] = 0
            scratch.row[side, symbol] = -1
        scratch.n_touched[side] = 0


@subkernel
def _replace(symbols, table, index, scratch, row, new):
    """Write the new symbol over the occurrences of a row, and count the pairs that disappear.

    Returns the number of merged places, which move to the front of the row's list, and their total weight. In `a a a`
    the first two are merged.
    """
    symbol, weight = symbols
    left, right = index.left[row], index.right[row]
    n_left, n_right = table.length[left], table.length[right]
    begin = index.begin[row]
    merged = 0
    total = 0
    for i in range(begin, begin + index.number[row]):
        at = index.occurrences[i]
        middle = at + n_left
        if symbol[at] != left or symbol[middle] != right:
            continue
        end = middle + n_right
        before, after = symbol[at - 1], symbol[end]
        if before >= 0 and before != new:  # `new`: that pair was counted as `after` of the previous occurrence
            _note(scratch, 0, before, weight[at])
        if after >= 0:
            _note(scratch, 1, after, weight[at])
        # Erase ids inside the symbol, so that stale list entries do not match them.
        symbol[middle - 1] = -1
        symbol[middle] = -1
        symbol[at] = new
        symbol[end - 1] = new
        index.occurrences[begin + merged] = at
        merged += 1
        total += weight[at]
    return merged, total


@subkernel
def _reduce_neighbours(symbols, table, index, scratch, texts, policy, left, right):
    """Subtract the counted occurrences from (x, left) and (right, x)."""
    heap = index.heap
    for side in range(2):
        for k in range(scratch.n_touched[side]):
            x = scratch.touched[side, k]
            row = index.slots[_find(index, x, left) if side == 0 else _find(index, right, x)]
            scratch.row[side, x] = row
            if row >= 0:
                index.frequency[row] -= scratch.amount[side, x]
    # In a second pass, when all counts are final: (right, left) may have decreased on both sides.
    for side in range(2):
        for k in range(scratch.n_touched[side]):
            row = scratch.row[side, scratch.touched[side, k]]
            if row < 0 or heap.place[row] < 0:
                continue
            if index.frequency[row] < policy.threshold:
                _remove(heap, index.left, index.right, texts, row)
            elif not policy.likelihood:
                _rescore(symbols.symbol, table, index, policy, np.int64(row))
                _sink(heap, index.left, index.right, texts, np.int64(heap.place[row]))
    _clear(scratch)


@subkernel
def _add_neighbours(symbols, table, index, scratch, texts, policy, begin, merged, new):
    """Index the pairs (x, new) and (new, x)."""
    symbol, weight = symbols
    n_new = table.length[new]
    for i in range(begin, begin + merged):
        at = index.occurrences[i]
        before, after = symbol[at - 1], symbol[at + n_new]
        if before >= 0:
            _note(scratch, 0, before, weight[at])
        if after >= 0 and after != new:  # `new`: that pair is counted as `before` of the next occurrence
            _note(scratch, 1, after, weight[at])
    first = index.used[0]
    for side in range(2):
        for k in range(scratch.n_touched[side]):
            x = scratch.touched[side, k]
            left = x if side == 0 else new
            right = new if side == 0 else x
            if scratch.amount[side, x] < policy.threshold or _is_vetoed(table, policy, left, right):
                continue
            row = index.used[0]
            index.used[0] += 1
            index.left[row] = left
            index.right[row] = right
            index.frequency[row] = scratch.amount[side, x]
            index.begin[row] = index.used[1]
            index.number[row] = 0
            index.used[1] += scratch.number[side, x]
            index.slots[_find(index, index.left[row], index.right[row])] = row
            scratch.row[side, x] = row
    for i in range(begin, begin + merged):
        at = index.occurrences[i]
        before, after = symbol[at - 1], symbol[at + n_new]
        if before >= 0:
            row = scratch.row[0, before]
            if row >= 0:
                index.occurrences[index.begin[row] + index.number[row]] = at - table.length[before]
                index.number[row] += 1
        if after >= 0 and after != new:
            row = scratch.row[1, after]
            if row >= 0:
                index.occurrences[index.begin[row] + index.number[row]] = at
                index.number[row] += 1
    for row in range(first, index.used[0]):
        _enter(symbol, table, index, policy, row)
        _push(index.heap, index.left, index.right, texts, row)
    _clear(scratch)


@subkernel
def _rescore_list(symbols, table, index, texts, policy, first, following, symbol):
    """Rescore all rows of a linked list after its symbol's count changed; unlink rows that left the heap."""
    heap = index.heap
    before = -1
    row = first[symbol]
    while row >= 0:
        after = following[row]
        if heap.place[row] >= 0:
            _rescore(symbols.symbol, table, index, policy, np.int64(row))
            _sink(heap, index.left, index.right, texts, np.int64(heap.place[row]))
            _rise(heap, index.left, index.right, texts, np.int64(heap.place[row]))
            before = row
        elif before >= 0:
            following[before] = after
        else:
            first[symbol] = after
        row = after


@subkernel
def _merge(symbols, table, index, scratch, texts, policy, row, new):
    """Merge the pair of a row into the symbol `new`; returns by how many tokens the corpus became shorter."""
    left, right = index.left[row], index.right[row]
    _remove(index.heap, index.left, index.right, texts, row)
    merged, total = _replace(symbols, table, index, scratch, row, new)
    table.length[new] = table.length[left] + table.length[right]
    table.frequency[new] = total
    table.frequency[left] -= total
    table.frequency[right] -= total
    table.first_left[new] = -1
    table.first_right[new] = -1
    if policy.most_words > 0:
        table.opening[new] = table.opening[left]
        table.closing[new] = table.closing[right]
        table.n_words[new] = _words_of(table, left, right)
    table.size[0] = new + 1
    _reduce_neighbours(symbols, table, index, scratch, texts, policy, left, right)
    _add_neighbours(symbols, table, index, scratch, texts, policy, index.begin[row], merged, new)
    if policy.likelihood:
        for side in range(1 if left == right else 2):
            part = left if side == 0 else right
            _rescore_list(symbols, table, index, texts, policy, table.first_left, index.next_left, part)
            _rescore_list(symbols, table, index, texts, policy, table.first_right, index.next_right, part)
    return total

"""An index of all pairs of adjacent symbols in a corpus, with counts and positions, updated with each merge.

Two facts make this cheap. All occurrences of a pair are created at once: when the corpus is indexed, or by the merge
that creates the newer of its symbols. Afterwards they only disappear. So each pair has one list of positions, written
once in corpus order, and stale entries are skipped.
"""

from typing import NamedTuple

import numpy as np

from engine._jit import kernel, subkernel
from engine.merges.heap import Heap, TokenTexts, _sink, empty_heap

# Minimum number of spare rows for new pairs.
_SPARE_ROWS = 1 << 15

_SPACE, _COLON = map(ord, " :")
# Words of a token with a space after a colon: more than any limit.
COLON_WORDS = 1 << 20


class Symbols(NamedTuple):
    """The corpus as symbols, merged in place.

    A symbol made of n initial symbols takes n places, with its id in the first and the last. Words are surrounded by
    separators (-1). So neighbours are one step away on either side, without links.
    """

    symbol: np.ndarray  # int32[n_places]
    weight: np.ndarray  # int32[n_places], count of the word


class SymbolTable(NamedTuple):
    """Data of each symbol id below `size[0]`."""

    length: np.ndarray  # int32[capacity], number of initial symbols
    frequency: np.ndarray  # int64[capacity], occurrences in the corpus
    first_left: np.ndarray  # int32[capacity], head of the list of pairs with this left symbol, or -1
    first_right: np.ndarray  # int32[capacity], head of the list of pairs with this right symbol, or -1
    opening: np.ndarray  # int32[capacity], first byte; this and the next two only with `Policy.most_words`
    closing: np.ndarray  # int32[capacity], last byte
    n_words: np.ndarray  # int32[capacity], non-empty parts between spaces; COLON_WORDS where a space follows a colon
    size: np.ndarray  # int64[1]


class PairIndex(NamedTuple):
    """The pairs that occur at least `threshold` times, one row each.

    Rows are found by a hash of the pair, by priority (`heap`), and by either symbol (`next_left`, `next_right`: linked
    lists of rows with the same left or right symbol; only for the likelihood score, which depends on symbol counts).
    """

    left: np.ndarray  # int32[capacity]
    right: np.ndarray  # int32[capacity]
    frequency: np.ndarray  # int64[capacity], occurrences in the corpus; of `a a a`, the pair (a, a) has two
    begin: np.ndarray  # int64[capacity], start of its list in `occurrences`
    number: np.ndarray  # int64[capacity], length of its list
    occurrences: np.ndarray  # int32, first places of the left symbols
    slots: np.ndarray  # int32, rows by hash; -1: free
    next_left: np.ndarray  # int32[capacity] or empty
    next_right: np.ndarray  # int32[capacity] or empty
    heap: Heap
    used: np.ndarray  # int64[2], rows and occurrences in use


class Policy(NamedTuple):
    """The settings that the kernels need."""

    likelihood: bool
    first_seen: bool
    threshold: int
    most_words: int  # pairs with more words between spaces, or with a space after a colon, never merge; 0: no limit


@subkernel
def _hash(left, right):
    h = (np.uint64(left) << np.uint64(32)) | np.uint64(right)
    h *= np.uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> np.uint64(32))


@subkernel
def _find(index, left, right):
    """Slot of the pair: `slots[slot]` is its row, or -1 if it is not indexed."""
    mask = np.uint64(index.slots.size - 1)
    slot = _hash(left, right) & mask
    while True:
        row = index.slots[slot]
        if row < 0 or (index.left[row] == left and index.right[row] == right):
            return slot
        slot = (slot + np.uint64(1)) & mask


@subkernel
def _words_of(table, left, right):
    """The column `n_words` of the symbol that two symbols would make."""
    closing, opening = table.closing[left], table.opening[right]
    n = table.n_words[left] + table.n_words[right]
    if closing != _SPACE and opening != _SPACE:
        n -= 1
    return n + COLON_WORDS if closing == _COLON and opening == _SPACE else n


@subkernel
def _is_vetoed(table, policy, left, right):
    """Whether the policy forbids the symbol that two symbols would make."""
    return policy.most_words > 0 and _words_of(table, left, right) > policy.most_words


@kernel
def _count_pairs(symbol, weight, length):
    """Distinct adjacent pairs in corpus order: left << 32 | right, count, number of places; and the pair that begins at
    each place (int32[n_places], -1: none)."""
    capacity = 1 << 12
    slots = np.full(2 * capacity, -1, dtype=np.int32)
    rows = np.zeros((capacity, 3), dtype=np.int64)  # interleaved: one cache miss per place, not three
    row_at = np.full(symbol.size, -1, dtype=np.int32)
    n = 0
    at = 0
    while at < symbol.size:
        place = at
        left = symbol[place]
        if left < 0:
            at += 1
            continue
        at += length[left]
        right = symbol[at]
        if right < 0:
            continue
        if n == capacity:
            capacity *= 4
            smaller = rows
            rows = np.zeros((capacity, 3), dtype=np.int64)
            for row in range(n):
                for column in range(3):
                    rows[row, column] = smaller[row, column]
            slots = np.full(2 * capacity, -1, dtype=np.int32)
            for row in range(n):
                slot = _hash(np.int32(rows[row, 0] >> 32), np.int32(rows[row, 0])) & np.uint64(slots.size - 1)
                while slots[slot] >= 0:
                    slot = (slot + np.uint64(1)) & np.uint64(slots.size - 1)
                slots[slot] = row
        key = (np.int64(left) << 32) | np.int64(right)
        slot = _hash(left, right) & np.uint64(slots.size - 1)
        while slots[slot] >= 0 and rows[slots[slot], 0] != key:
            slot = (slot + np.uint64(1)) & np.uint64(slots.size - 1)
        row = slots[slot]
        if row < 0:
            row = np.int32(n)
            slots[slot] = row
            rows[row, 0] = key
            n += 1
        row_at[place] = row
        rows[row, 1] += weight[place]
        rows[row, 2] += 1
    return rows[:n, 0].copy(), rows[:n, 1].copy(), rows[:n, 2].copy(), row_at


@kernel
def _fill(symbol, row_at, new_row, table, index, texts, policy):
    """Fill the hash table and the lists of positions, and build the heap of the pairs that may merge."""
    n = index.used[0]
    for row in range(n):
        index.slots[_find(index, index.left[row], index.right[row])] = row
        index.number[row] = 0
    for at in range(row_at.size):
        row = new_row[row_at[at]] if row_at[at] >= 0 else -1
        if row >= 0:
            index.occurrences[index.begin[row] + index.number[row]] = at
            index.number[row] += 1
    heap = index.heap
    size = 0
    for row in range(n):
        if _is_vetoed(table, policy, index.left[row], index.right[row]):
            continue
        _enter(symbol, table, index, policy, row)
        heap.rows[size] = row
        heap.place[row] = size
        size += 1
    heap.size[0] = size
    for at in range(size // 2 - 1, -1, -1):
        _sink(heap, index.left, index.right, texts, at)


@kernel
def _compact(symbol, table, index):
    """Remove stale entries, and the lists of removed pairs, from `occurrences`."""
    to = 0
    for row in range(index.used[0]):
        begin = to
        if index.heap.place[row] >= 0:
            left, right = index.left[row], index.right[row]
            shift = table.length[left]
            for i in range(index.begin[row], index.begin[row] + index.number[row]):
                at = index.occurrences[i]
                if symbol[at] == left and symbol[at + shift] == right:
                    index.occurrences[to] = at
                    to += 1
        index.begin[row] = begin
        index.number[row] = to - begin
    index.used[1] = to


@subkernel
def _enter(symbol, table, index, policy, row):
    """Set score and tie of a new row, and add it to the lists of its symbols."""
    left, right = index.left[row], index.right[row]
    index.heap.tie[row] = (np.int64(left) << 32) | right
    _rescore(symbol, table, index, policy, row)
    if policy.likelihood:
        index.next_left[row] = table.first_left[left]
        table.first_left[left] = row
        index.next_right[row] = table.first_right[right]
        table.first_right[right] = row


@subkernel
def _rescore(symbol, table, index, policy, row):
    """Update score and tie of a row; the caller restores the heap order."""
    left, right = index.left[row], index.right[row]
    if policy.first_seen:
        begin = index.begin[row]
        shift = table.length[left]
        while symbol[index.occurrences[begin]] != left or symbol[index.occurrences[begin] + shift] != right:
            begin += 1
        index.number[row] -= begin - index.begin[row]
        index.begin[row] = begin
        index.heap.tie[row] = index.occurrences[begin]
    score = np.float64(index.frequency[row])
    if policy.likelihood:
        score /= np.float64(table.frequency[left]) * np.float64(table.frequency[right])
    index.heap.score[row] = score


def build_index(symbols: Symbols, table: SymbolTable, texts: TokenTexts, policy: Policy) -> PairIndex:
    """Index the pairs of the corpus in its current state.

    The index has room for any one merge, and for merges that add half as many occurrences again.
    """
    keys, count, number, row_at = _count_pairs(symbols.symbol, symbols.weight, table.length)
    kept = count >= policy.threshold
    keys, count, number = keys[kept], count[kept], number[kept]
    n = keys.size
    n_occurrences = int(number.sum())
    room = max(n_occurrences // 2, 2 * int(number.max(initial=0)))
    capacity = n + max(n // 2, _SPARE_ROWS) + 2 * int(table.size[0]) + 2
    links = capacity if policy.likelihood else 0
    index = PairIndex(
        left=_grown((keys >> 32).astype(np.int32), capacity),
        right=_grown((keys & 0xFFFFFFFF).astype(np.int32), capacity),
        frequency=_grown(count, capacity),
        begin=_grown(np.cumsum(number) - number, capacity),
        number=_grown(number, capacity),
        occurrences=np.empty(n_occurrences + room, dtype=np.int32),
        slots=np.full(1 << (2 * capacity).bit_length(), -1, dtype=np.int32),
        next_left=np.empty(links, dtype=np.int32),
        next_right=np.empty(links, dtype=np.int32),
        heap=empty_heap(capacity),
        used=np.array([n, n_occurrences], dtype=np.int64),
    )
    table.first_left[:] = -1
    table.first_right[:] = -1
    new_row = np.where(kept, np.cumsum(kept) - 1, -1)
    _fill(symbols.symbol, row_at, new_row, table, index, texts, policy)
    return index


def make_room(symbols: Symbols, table: SymbolTable, index: PairIndex) -> bool:
    """Compact the lists; returns whether there is now enough room for several merges."""
    _compact(symbols.symbol, table, index)
    n_rows, n_occurrences = index.used.tolist()
    needed = max(index.occurrences.size // 4, 2 * int(index.number[:n_rows].max(initial=0)))
    has_rows = n_rows + 2 * int(table.size[0]) + 2 + _SPARE_ROWS // 4 <= index.left.size
    return has_rows and n_occurrences + needed <= index.occurrences.size


def _grown(array: np.ndarray, capacity: int) -> np.ndarray:
    grown = np.empty(capacity, dtype=array.dtype)
    grown[: array.size] = array
    return grown

"""How SentencePiece cuts a normalised text: Viterbi for Unigram, merges by score for BPE.

The arithmetic is SentencePiece's own, ties and roundings included: everything is added and compared in 32 bits.
"""

from typing import NamedTuple

import numpy as np

from engine._jit import kernel
from engine.unigram.encoding import _segment_pieces
from engine.unigram.trie import _child, _longest_match

_ENTERED, _WAITING = 0, 1  # of _Pairs.sizes


class _Symbols(NamedTuple):
    """What the text is made of so far: a list of stretches, each named by its place when none had merged."""

    begin: np.ndarray  # int64[n]
    end: np.ndarray  # int64[n]; one that was merged away ends where it begins
    before: np.ndarray  # int64[n], its left neighbour; -1: none
    behind: np.ndarray  # int64[n], its right neighbour; n: none
    frozen: np.ndarray  # bool[n], user-defined pieces


class _Pairs(NamedTuple):
    """Neighbours that make a piece, in a binary heap: the best score comes first, then the leftmost pair."""

    heap: np.ndarray  # int64[room], entries
    score: np.ndarray  # float32[room], by entry
    left: np.ndarray  # int64[room], the left symbol
    end: np.ndarray  # int64[room], where the right symbol ended when the pair was entered
    sizes: np.ndarray  # int64[2]: entries ever, and those that wait


@kernel
def _best_path(codes, trie, score, unknown_score, unknown):
    """Pieces (int32) and their ends (int64, code points) of the best segmentation; unknown characters one by one.

    `score[t]` (float32) already holds the bonus of a user-defined piece.
    """
    begin = np.zeros(1, dtype=np.int64)
    end = np.full(1, codes.size, dtype=np.int64)
    pieces, _, ends = _segment_pieces(codes, begin, end, trie, score, unknown_score)
    pieces[pieces < 0] = unknown
    return pieces, ends


@kernel
def _piece(codes, begin, end, trie):
    """The piece of the text `codes[begin:end]`, or -1."""
    node = 0
    for i in range(begin, end):
        node = _child(trie.keys, trie.children, node, codes[i])
        if node < 0:
            return -1
    return trie.token[node]


@kernel
def _comes_first(pairs, a, b):
    return pairs.score[a] > pairs.score[b] or (pairs.score[a] == pairs.score[b] and pairs.left[a] < pairs.left[b])


@kernel
def _push(pairs, entry):
    heap = pairs.heap
    at = pairs.sizes[_WAITING]
    pairs.sizes[_WAITING] += 1
    heap[at] = entry
    while at > 0 and _comes_first(pairs, heap[at], heap[(at - 1) // 2]):
        heap[at], heap[(at - 1) // 2] = heap[(at - 1) // 2], heap[at]
        at = (at - 1) // 2


@kernel
def _pop(pairs):
    """Take the first entry away."""
    heap = pairs.heap
    pairs.sizes[_WAITING] -= 1
    size = pairs.sizes[_WAITING]
    top = heap[0]
    heap[0] = heap[size]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            return top
        if child + 1 < size and _comes_first(pairs, heap[child + 1], heap[child]):
            child += 1
        if not _comes_first(pairs, heap[child], heap[at]):
            return top
        heap[at], heap[child] = heap[child], heap[at]
        at = child


@kernel
def _first_symbols(codes, frozen_trie):
    """The text as user-defined pieces, the longest first, and characters."""
    begin = np.empty(codes.size, dtype=np.int64)
    end = np.empty(codes.size, dtype=np.int64)
    frozen = np.empty(codes.size, dtype=np.bool_)
    n = 0
    at = 0
    while at < codes.size:
        size = _longest_match(frozen_trie, codes, at)
        begin[n] = at
        frozen[n] = size > 0
        at += max(1, size)
        end[n] = at
        n += 1
    return _Symbols(begin[:n], end[:n], np.arange(-1, n - 1), np.arange(1, n + 1), frozen[:n])


@kernel
def _no_pairs(n_symbols):
    """Room for all neighbours, and for two new pairs with every merge."""
    room = 3 * n_symbols + 1
    return _Pairs(
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.float32),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )


@kernel
def _enter_pair(pairs, symbols, left, codes, trie, score):
    """Let a symbol and the one behind it wait for their merge, if together they are a piece."""
    right = symbols.behind[left]
    if right == symbols.begin.size or symbols.frozen[left] or symbols.frozen[right]:
        return
    t = _piece(codes, symbols.begin[left], symbols.end[right], trie)
    if t < 0:
        return
    entry = pairs.sizes[_ENTERED]
    pairs.sizes[_ENTERED] += 1
    pairs.score[entry], pairs.left[entry], pairs.end[entry] = score[t], left, symbols.end[right]
    _push(pairs, entry)


@kernel
def _is_there(symbols, left, pair_end):
    """Whether a pair still is two neighbours: neither was merged away, and the right one has not grown."""
    if symbols.end[left] == symbols.begin[left]:
        return False
    right = symbols.behind[left]
    return right < symbols.begin.size and symbols.end[right] == pair_end


@kernel
def _merge(symbols, left):
    """Join a symbol with the one behind it."""
    right = symbols.behind[left]
    symbols.end[left] = symbols.end[right]
    symbols.end[right] = symbols.begin[right]
    symbols.behind[left] = symbols.behind[right]
    if symbols.behind[left] < symbols.begin.size:
        symbols.before[symbols.behind[left]] = left


@kernel
def _merge_by_score(codes, trie, score, frozen_trie, unknown):
    """Pieces (int32) and their ends (int64, code points): the adjacent pair of the best score merges first.

    User-defined pieces are single symbols that never merge.
    """
    symbols = _first_symbols(codes, frozen_trie)
    n_symbols = symbols.begin.size
    pairs = _no_pairs(n_symbols)
    for left in range(n_symbols):
        _enter_pair(pairs, symbols, left, codes, trie, score)
    while pairs.sizes[_WAITING] > 0:
        pair = _pop(pairs)
        left = pairs.left[pair]
        if _is_there(symbols, left, pairs.end[pair]):
            _merge(symbols, left)
            if symbols.before[left] >= 0:
                _enter_pair(pairs, symbols, symbols.before[left], codes, trie, score)
            _enter_pair(pairs, symbols, left, codes, trie, score)
    return _pieces_of(symbols, codes, trie, unknown)


@kernel
def _pieces_of(symbols, codes, trie, unknown):
    """Piece and end of every symbol that is left."""
    n_symbols = symbols.begin.size
    pieces = np.empty(n_symbols, dtype=np.int32)
    ends = np.empty(n_symbols, dtype=np.int64)
    n = 0
    s = 0
    while s < n_symbols:
        t = _piece(codes, symbols.begin[s], symbols.end[s], trie)
        pieces[n] = t if t >= 0 else unknown
        ends[n] = symbols.end[s]
        n += 1
        s = symbols.behind[s]
    return pieces[:n].copy(), ends[:n].copy()


@kernel
def _resolve_unknown(codes, pieces, ends, unknown, byte_pieces):
    """Unknown characters as their bytes, or runs of them as one; ends become offsets in the UTF-8 bytes.

    `byte_pieces` (int32[256], or of size 0: no fallback).
    """
    ids = np.empty(4 * codes.size, dtype=np.int32)
    offsets = np.empty(4 * codes.size, dtype=np.int64)
    n = 0
    at = 0
    begin = 0
    was_unknown = False
    for k in range(pieces.size):
        is_unknown = pieces[k] == unknown
        for i in range(begin, ends[k]):
            c = codes[i]
            size = 1 if c < 0x80 else (2 if c < 0x800 else (3 if c < 0x10000 else 4))
            if is_unknown and byte_pieces.size > 0:
                for b in range(size):
                    if size == 1:
                        byte = c
                    elif b == 0:
                        byte = (0xC0 if size == 2 else (0xE0 if size == 3 else 0xF0)) | (c >> (6 * (size - 1)))
                    else:
                        byte = 0x80 | ((c >> (6 * (size - 1 - b))) & 0x3F)
                    ids[n] = byte_pieces[byte]
                    offsets[n] = at + b + 1
                    n += 1
            at += size
        if not is_unknown or byte_pieces.size == 0:
            if is_unknown and was_unknown:
                n -= 1
            ids[n] = pieces[k]
            offsets[n] = at
            n += 1
        was_unknown = is_unknown
        begin = ends[k]
    return ids[:n].copy(), offsets[:n].copy()

"""How SentencePiece cuts a normalized text: Viterbi for Unigram, merges by score for BPE.

The arithmetic matches SentencePiece's, including ties and rounding: sums and comparisons are in 32 bits.
"""

import numpy as np

from engine._jit import kernel, subkernel
from engine.lattice.encoding import ALL_ALIKE, _segment, _trace
from engine.vocabulary.trie import _child, _longest_match


@kernel
def _best_path(codes, keys, children, node_token, score, unknown_score, unknown):
    """Pieces (int32) and their ends (int64, code points) of the best segmentation; unknown characters one by one.

    `score[t]` (float32) includes the bonus of a user-defined piece.
    """
    n = codes.size
    best = np.empty(n + 1, dtype=np.float32)
    length_of = np.empty(n + 1, dtype=np.int32)
    token_of = np.empty(n + 1, dtype=np.int32)
    fallback_score = np.full(1, unknown_score, dtype=np.float32)
    _segment(
        codes, 0, n, keys, children, node_token, score, ALL_ALIKE, fallback_score, False, best, length_of, token_of
    )
    pieces = np.empty(n, dtype=np.int32)
    ends = np.empty(n, dtype=np.int64)
    first = _trace(n, length_of, token_of, pieces, ends)
    for k in range(first, n):
        if pieces[k] < 0:
            pieces[k] = unknown
    return pieces[first:], ends[first:]


@subkernel
def _piece(codes, begin, end, keys, children, node_token):
    """The piece of the text `codes[begin:end]`, or -1."""
    node = 0
    for i in range(begin, end):
        node = _child(keys, children, node, codes[i])
        if node < 0:
            return -1
    return node_token[node]


@subkernel
def _comes_first(score, left, a, b):
    return score[a] > score[b] or (score[a] == score[b] and left[a] < left[b])


@subkernel
def _push(heap, size, entry, score, left):
    at = size
    heap[at] = entry
    while at > 0 and _comes_first(score, left, heap[at], heap[(at - 1) // 2]):
        heap[at], heap[(at - 1) // 2] = heap[(at - 1) // 2], heap[at]
        at = (at - 1) // 2
    return size + 1


@subkernel
def _pop(heap, size, score, left):
    """Remove and return the first entry; the caller decrements the size."""
    top = heap[0]
    size -= 1
    heap[0] = heap[size]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            return top
        if child + 1 < size and _comes_first(score, left, heap[child + 1], heap[child]):
            child += 1
        if not _comes_first(score, left, heap[child], heap[at]):
            return top
        heap[at], heap[child] = heap[child], heap[at]
        at = child


@subkernel
def _first_symbols(codes, keys, children, token, begin, end, frozen):
    """Cut the text into user-defined pieces, longest first, and characters; returns their number."""
    n = 0
    at = 0
    while at < codes.size:
        size = _longest_match(keys, children, token, codes, at)
        begin[n] = at
        frozen[n] = size > 0
        at += max(1, size)
        end[n] = at
        n += 1
    return n


@subkernel
def _merge(left, begin, end, before, after):
    """Join a symbol with the next one, which becomes empty."""
    right = after[left]
    end[left] = end[right]
    end[right] = begin[right]
    after[left] = after[right]
    if after[left] < before.size:
        before[after[left]] = left


@subkernel
def _is_there(left, pair_end, begin, end, after):
    """Whether a pair is still adjacent: the left symbol was not merged away, and the right one has not changed."""
    if end[left] == begin[left]:
        return False
    right = after[left]
    return right < after.size and end[right] == pair_end


@subkernel
def _pieces_of(codes, begin, end, after, keys, children, node_token, unknown):
    """Piece and end of every remaining symbol."""
    n_symbols = after.size
    pieces = np.empty(n_symbols, dtype=np.int32)
    ends = np.empty(n_symbols, dtype=np.int64)
    n = 0
    s = 0
    while s < n_symbols:
        t = _piece(codes, begin[s], end[s], keys, children, node_token)
        pieces[n] = t if t >= 0 else unknown
        ends[n] = end[s]
        n += 1
        s = after[s]
    return pieces[:n].copy(), ends[:n].copy()


@kernel
def _merge_by_score(codes, keys, children, node_token, score, frozen_keys, frozen_children, frozen_token, unknown):
    """Pieces (int32) and their ends (int64, code points): the adjacent pair with the best score merges first.

    User-defined pieces are single symbols that never merge. A symbol is identified by its index before any merge.
    """
    begin = np.empty(codes.size, dtype=np.int64)
    end = np.empty(codes.size, dtype=np.int64)
    frozen = np.empty(codes.size, dtype=np.bool_)
    n_symbols = _first_symbols(codes, frozen_keys, frozen_children, frozen_token, begin, end, frozen)
    before = np.empty(n_symbols, dtype=np.int64)
    after = np.empty(n_symbols, dtype=np.int64)
    for i in range(n_symbols):
        before[i], after[i] = i - 1, i + 1

    # Entries are pairs that form a piece: all neighbours, then up to two new ones per merge.
    room = 3 * n_symbols + 1
    heap = np.empty(room, dtype=np.int64)
    pair_score = np.empty(room, dtype=np.float32)
    pair_left = np.empty(room, dtype=np.int64)
    pair_end = np.empty(room, dtype=np.int64)
    n_pairs = 0
    in_heap = 0
    first, last = 0, n_symbols - 2  # pairs to examine, by their left symbols
    while True:
        left = first
        while left <= last and after[left] < n_symbols:
            right = after[left]
            if not frozen[left] and not frozen[right]:
                t = _piece(codes, begin[left], end[right], keys, children, node_token)
                if t >= 0:
                    pair_score[n_pairs], pair_left[n_pairs], pair_end[n_pairs] = score[t], left, end[right]
                    in_heap = _push(heap, in_heap, n_pairs, pair_score, pair_left)
                    n_pairs += 1
            left = right
        merged = -1
        while in_heap > 0 and merged < 0:
            pair = _pop(heap, in_heap, pair_score, pair_left)
            in_heap -= 1
            if _is_there(pair_left[pair], pair_end[pair], begin, end, after):
                merged = pair_left[pair]
        if merged < 0:
            return _pieces_of(codes, begin, end, after, keys, children, node_token, unknown)
        _merge(merged, begin, end, before, after)
        first, last = max(0, before[merged]), merged


@kernel
def _resolve_unknown(codes, pieces, ends, unknown, byte_pieces):
    """Write unknown characters as their bytes, or runs of them as one; ends become offsets in the UTF-8 bytes.

    `byte_pieces` : int32[256], or of size 0 without byte fallback.
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

"""How SentencePiece cuts a normalised text: Viterbi for Unigram, merges by score for BPE.

The arithmetic is SentencePiece's own, ties and roundings included: everything is added and compared in 32 bits.
"""

import numpy as np

from engine._jit import kernel
from engine.unigram.trie import _child


@kernel
def _best_path(codes, keys, children, node_token, score, unknown_score, unknown):
    """Pieces (int32) and their ends (int64, code points) of the best segmentation; unknown characters one by one.

    `score[t]` (float32) already holds the bonus of a user-defined piece.
    """
    n = codes.size
    best = np.zeros(n + 1, dtype=np.float32)
    begin_of = np.full(n + 1, -1, dtype=np.int64)
    token_of = np.empty(n + 1, dtype=np.int32)
    for u in range(n):
        node = 0
        single = False
        for v in range(u + 1, n + 1):
            node = _child(keys, children, node, codes[v - 1])
            if node < 0:
                break
            t = node_token[node]
            if t >= 0:
                single = single or v == u + 1
                total = score[t] + best[u]
                if begin_of[v] < 0 or total > best[v]:
                    best[v] = total
                    begin_of[v] = u
                    token_of[v] = t
        if not single:
            total = np.float32(unknown_score) + best[u]
            if begin_of[u + 1] < 0 or total > best[u + 1]:
                best[u + 1] = total
                begin_of[u + 1] = u
                token_of[u + 1] = unknown
    n_path = 0
    v = n
    while v > 0:
        n_path += 1
        v = begin_of[v]
    pieces = np.empty(n_path, dtype=np.int32)
    ends = np.empty(n_path, dtype=np.int64)
    v = n
    for k in range(n_path - 1, -1, -1):
        pieces[k] = token_of[v]
        ends[k] = v
        v = begin_of[v]
    return pieces, ends


@kernel
def _piece(codes, begin, end, keys, children, node_token):
    """The piece of the text `codes[begin:end]`, or -1."""
    node = 0
    for i in range(begin, end):
        node = _child(keys, children, node, codes[i])
        if node < 0:
            return -1
    return node_token[node]


@kernel
def _comes_first(score, left, a, b):
    return score[a] > score[b] or (score[a] == score[b] and left[a] < left[b])


@kernel
def _push(heap, size, entry, score, left):
    at = size
    heap[at] = entry
    while at > 0 and _comes_first(score, left, heap[at], heap[(at - 1) // 2]):
        heap[at], heap[(at - 1) // 2] = heap[(at - 1) // 2], heap[at]
        at = (at - 1) // 2
    return size + 1


@kernel
def _pop(heap, size, score, left):
    """Take the first entry away; the heap is one smaller afterwards."""
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


@kernel
def _merge_by_score(codes, keys, children, node_token, score, frozen_keys, frozen_children, frozen_token, unknown):
    """Pieces (int32) and their ends (int64, code points): the adjacent pair of the best score merges first.

    User-defined pieces are single symbols that never merge.
    """
    n = codes.size
    begin = np.empty(n, dtype=np.int64)
    end = np.empty(n, dtype=np.int64)
    frozen = np.zeros(n, dtype=np.bool_)
    n_symbols = 0
    at = 0
    while at < n:
        size = 0
        node = 0
        for i in range(at, n):
            node = _child(frozen_keys, frozen_children, node, codes[i])
            if node < 0:
                break
            if frozen_token[node] >= 0:
                size = i + 1 - at
        begin[n_symbols] = at
        frozen[n_symbols] = size > 0
        at += max(1, size)
        end[n_symbols] = at
        n_symbols += 1
    before = np.arange(-1, n_symbols - 1)
    behind = np.arange(1, n_symbols + 1)

    room = 3 * n_symbols + 1
    heap = np.empty(room, dtype=np.int64)
    pair_score = np.empty(room, dtype=np.float32)
    pair_left = np.empty(room, dtype=np.int64)
    pair_end = np.empty(room, dtype=np.int64)
    n_pairs = 0
    in_heap = 0
    merged = -2  # first all neighbours, then those of each merge
    while True:
        if merged == -2:
            first, last = 0, n_symbols - 2
        else:
            first, last = before[merged], merged
            if first < 0:
                first = merged
        left = first
        while 0 <= left <= last:
            right = behind[left]
            if right >= n_symbols:
                break
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
            left = pair_left[pair]
            # A symbol that was merged away has end < begin; behind one that grew, the pair ends elsewhere.
            if end[left] > begin[left]:
                right = behind[left]
                if right < n_symbols and end[right] == pair_end[pair]:
                    merged = left
                    end[left] = end[right]
                    end[right] = begin[right]
                    behind[left] = behind[right]
                    if behind[left] < n_symbols:
                        before[behind[left]] = left
        if merged < 0:
            break

    pieces = np.empty(n_symbols, dtype=np.int32)
    ends = np.empty(n_symbols, dtype=np.int64)
    k = 0
    s = 0
    while s < n_symbols:
        t = _piece(codes, begin[s], end[s], keys, children, node_token)
        pieces[k] = t if t >= 0 else unknown
        ends[k] = end[s]
        k += 1
        s = behind[s]
    return pieces[:k].copy(), ends[:k].copy()


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

"""The best segmentation of one or many pre-tokens."""

import numpy as np

from engine._jit import kernel, subkernel
from engine.corpus.pretokens.pretokenize import MOST_BYTES
from engine.lattice.fallback import _write_fallback
from engine.vocabulary.trie import _child, _slot_before

# The first multi-byte character.
_MULTIBYTE = 0x80


@subkernel
def _segment(codes, begin, end, keys, children, node_token, score, unknown_score, best, length_of, token_of):
    """Viterbi over `codes[begin:end]`: the best score of each node, and the token and length of its last arc.

    Ties go to the earliest start. A character that is not a token is -1 with the score `unknown_score[0]`. Sums have
    the type of `best` and of the scores.
    """
    n = end - begin
    best[0] = 0.0
    for v in range(1, n + 1):
        length_of[v] = 0  # not reached
    for u in range(n):
        here = best[u]
        node = 0
        is_token = False
        for v in range(u + 1, n + 1):
            node = _child(keys, children, node, codes[begin + v - 1])
            if node < 0:
                break
            t = node_token[node]
            if t >= 0:
                is_token = is_token or v == u + 1
                total = here + score[t]
                if length_of[v] == 0 or total > best[v]:
                    best[v] = total
                    length_of[v] = v - u
                    token_of[v] = t
        if not is_token:
            total = here + unknown_score[0]
            if length_of[u + 1] == 0 or total > best[u + 1]:
                best[u + 1] = total
                length_of[u + 1] = 1
                token_of[u + 1] = -1


@subkernel
def _segment_by_ends(
    codes, begin, end, keys, node_token, score, fallback_of, fallback_score, bytes_compete, best, length_of, token_of
):
    """`_segment` with a reversed trie: all arcs that end at a node, so that it is written once.

    A character that is not a token falls back to token -1 - k with score `fallback_score[k]`; with `bytes_compete`, so
    may every multi-byte character. `fallback_of[c]` is k for character c; its last entry also serves all larger code
    points.
    """
    best[0] = 0.0
    for v in range(1, end - begin + 1):
        highest = -np.inf
        length = 0
        token = 0
        node = 0
        is_token = False
        for u in range(v - 1, -1, -1):
            slot = _slot_before(keys, node, codes[begin + u])
            key = keys[slot]
            if key == -1:
                break
            node = slot + 1
            t = node_token[node]
            if t >= 0:
                is_token = is_token or u == v - 1
                total = best[u] + score[t]
                if length == 0 or total >= highest:
                    highest, length, token = total, v - u, t
            if key & 1:
                break
        code = codes[begin + v - 1]
        if not is_token or (bytes_compete and code >= _MULTIBYTE):
            k = fallback_of[min(code, fallback_of.size - 1)]
            total = best[v - 1] + fallback_score[k]
            if length == 0 or total > highest:
                highest, length, token = total, 1, -1 - k
        best[v] = highest
        length_of[v] = length
        token_of[v] = token


@subkernel
def _trace(n, length_of, token_of, path, path_end):
    """Write the tokens of the best path and their ends to the end of `path[:n]`; returns where they begin."""
    first = n
    v = n
    while v > 0:
        first -= 1
        path[first] = token_of[v]
        path_end[first] = v
        v -= length_of[v]
    return first


@subkernel
def _sizes(begin, end):
    """Length of the longest range, and total length."""
    longest, total = 0, 0
    for i in range(begin.size):
        longest = max(longest, end[i] - begin[i])
        total += end[i] - begin[i]
    return longest, total


@kernel
def _encode(
    codes,
    begin,
    end,
    keys,
    node_token,
    log_prob,
    fallback_log_prob,
    bytes_compete,
    fallback_of,
    n_bytes,
    span_token,
    best_cuts,
):
    """Best segmentation of every pre-token `codes[begin[i]:end[i]]`; see `_segment_by_ends`.

    Returns the tokens of all pre-tokens, concatenated, and their ptr.
    """
    longest, total = _sizes(begin, end)
    best = np.empty(longest + 1)
    length_of = np.empty(longest + 1, dtype=np.int32)
    token_of = np.empty(longest + 1, dtype=np.int32)
    path = np.empty(longest, dtype=np.int32)
    path_end = np.empty(longest, dtype=np.int32)
    numbers = np.empty(MOST_BYTES * total, dtype=np.int32)
    ptr = np.empty(begin.size + 1, dtype=np.int64)
    ptr[0] = 0
    n_out = 0
    for i in range(begin.size):
        _segment_by_ends(
            codes,
            begin[i],
            end[i],
            keys,
            node_token,
            log_prob,
            fallback_of,
            fallback_log_prob,
            bytes_compete,
            best,
            length_of,
            token_of,
        )
        n = end[i] - begin[i]
        for k in range(_trace(n, length_of, token_of, path, path_end), n):
            t = path[k]
            if t >= 0:
                numbers[n_out] = t
                n_out += 1
            else:
                n_out = _write_fallback(-1 - t, n_bytes, span_token, best_cuts, numbers, n_out)
        ptr[i + 1] = n_out
    return numbers[:n_out].copy(), ptr


@kernel
def _segment_pieces(codes, begin, end, keys, children, node_token, score, unknown_score):
    """Best path of every piece `codes[begin[i]:end[i]]`: tokens (-1: unknown), their begins and their ends.

    All unknown characters have the same score. Sums are of the type of `score`: another program's may be in 32 bits.
    """
    longest, total = _sizes(begin, end)
    best = np.empty(longest + 1, dtype=score.dtype)
    length_of = np.empty(longest + 1, dtype=np.int32)
    token_of = np.empty(longest + 1, dtype=np.int32)
    path = np.empty(longest, dtype=np.int32)
    path_end = np.empty(longest, dtype=np.int32)
    unknown = np.full(1, unknown_score, dtype=score.dtype)
    tokens = np.empty(total, dtype=np.int32)
    begins = np.empty(total, dtype=np.int64)
    ends = np.empty(total, dtype=np.int64)
    n_out = 0
    for i in range(begin.size):
        _segment(codes, begin[i], end[i], keys, children, node_token, score, unknown, best, length_of, token_of)
        n = end[i] - begin[i]
        at = begin[i]
        for k in range(_trace(n, length_of, token_of, path, path_end), n):
            tokens[n_out] = path[k]
            begins[n_out] = at
            at = begin[i] + path_end[k]
            ends[n_out] = at
            n_out += 1
    return tokens[:n_out].copy(), begins[:n_out].copy(), ends[:n_out].copy()


@kernel
def _spread(numbers, ptr, distinct, line_ptr):
    """Tokens of lines, and their ptr; line y is the distinct pre-tokens `distinct[line_ptr[y]:line_ptr[y + 1]]`."""
    total = 0
    for d in distinct:
        total += ptr[d + 1] - ptr[d]
    out = np.empty(total, dtype=np.int32)
    out_ptr = np.empty(line_ptr.size, dtype=np.int64)
    out_ptr[0] = 0
    k = 0
    for y in range(line_ptr.size - 1):
        for j in range(line_ptr[y], line_ptr[y + 1]):
            for a in range(ptr[distinct[j]], ptr[distinct[j] + 1]):
                out[k] = numbers[a]
                k += 1
        out_ptr[y + 1] = k
    return out, out_ptr

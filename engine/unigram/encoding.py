"""The best segmentations of many pre-tokens at once."""

import numpy as np

from engine._jit import kernel
from engine.unigram.fallback import _write_fallback
from engine.unigram.trie import _child


@kernel
def _encode(
    codes, begin, end, keys, children, node_token, log_prob, fallback_log_prob, always_fall_back,
    index, n_bytes, span_token, best_cuts,
):  # fmt: skip
    """Tokens of the best segmentation of every pre-token `codes[begin[i]:end[i]]`; ties: the earliest start.

    `index[c]` is the number of character c in the fallbacks' alphabet, where it is of more than one byte. Returns the
    tokens of all pre-tokens one behind the other and their ptr.
    """
    longest, total = 0, 0
    for i in range(begin.size):
        longest = max(longest, end[i] - begin[i])
        total += end[i] - begin[i]
    best = np.empty(longest + 1)
    length_of = np.empty(longest + 1, dtype=np.int32)
    token_of = np.empty(longest + 1, dtype=np.int32)  # -1 - k: fallback of character k of the alphabet
    path = np.empty(longest + 1, dtype=np.int32)
    numbers = np.empty(4 * total, dtype=np.int32)
    ptr = np.empty(begin.size + 1, dtype=np.int64)
    ptr[0] = 0
    n_out = 0
    for i in range(begin.size):
        lo = begin[i]
        n = end[i] - lo
        for v in range(n + 1):
            best[v] = -np.inf
        best[0] = 0.0
        for u in range(n):
            node = 0
            single = False
            here = best[u]
            for v in range(u + 1, n + 1):
                node = _child(keys, children, node, codes[lo + v - 1])
                if node < 0:
                    break
                t = node_token[node]
                if t >= 0:
                    single = single or v == u + 1
                    score = here + log_prob[t]
                    if score > best[v]:
                        best[v] = score
                        length_of[v] = v - u
                        token_of[v] = t
            if codes[lo + u] >= 0x80 and (always_fall_back or not single):
                k = index[codes[lo + u]]
                score = here + fallback_log_prob[k]
                if score > best[u + 1]:
                    best[u + 1] = score
                    length_of[u + 1] = 1
                    token_of[u + 1] = -1 - k
        n_path = 0
        v = n
        while v > 0:
            path[n_path] = token_of[v]
            n_path += 1
            v -= length_of[v]
        for k in range(n_path - 1, -1, -1):
            t = path[k]
            if t >= 0:
                numbers[n_out] = t
                n_out += 1
            else:
                n_out = _write_fallback(-1 - t, n_bytes, span_token, best_cuts, numbers, n_out)
        ptr[i + 1] = n_out
    return numbers[:n_out].copy(), ptr


@kernel
def _spread(numbers, ptr, distinct, line_ptr):
    """Tokens of lines whose pre-tokens are the distinct ones `distinct[line_ptr[y]:line_ptr[y + 1]]`, and their ptr."""
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

"""How SentencePiece cuts a normalized text with a Unigram model: Viterbi.

The arithmetic matches SentencePiece's, including ties and rounding: sums and comparisons are in 32 bits.
"""

import numpy as np

from engine._jit import kernel
from engine.corpus.pretokens.pretokenize import _utf8_byte, _utf8_size
from engine.lattice.encoding import ALL_ALIKE, _segment, _trace


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
            size = _utf8_size(c)
            if is_unknown and byte_pieces.size > 0:
                for b in range(size):
                    ids[n] = byte_pieces[_utf8_byte(c, size, b)]
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

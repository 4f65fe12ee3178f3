"""The most probable segmentation over the arcs of a lattice."""

import numpy as np

from engine._jit import inlined, kernel


@inlined
def _search(first, last, begin, n, without, arc_end, arc_length, arc_token, log_weight, best, back):
    """Best log probability and last arc (-1: none) of each node in a range; ties go to the earliest start.

    The range is the n characters from node `begin`, and the arcs first..last-1 end in it. Arcs that begin before it or
    have the token `without` (-1: none) are ignored.
    """
    for v in range(1, n + 1):
        best[v] = -np.inf
        back[v] = -1
    best[0] = 0.0
    for a in range(first, last):
        v = np.int64(arc_end[a]) - begin
        u = v - np.int64(arc_length[a])
        if u >= 0 and arc_token[a] != without:
            total = best[u] + log_weight[arc_token[a]]
            if total > best[v]:
                best[v] = total
                back[v] = a


@kernel
def _viterbi(first, last, begin, n, without, arc_end, arc_length, arc_token, log_weight, best, back):
    """`_search` for Python callers."""
    _search(first, last, begin, n, without, arc_end, arc_length, arc_token, log_weight, best, back)

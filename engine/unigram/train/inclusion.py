"""The probability that a segmentation contains a token at least once, if the token has several occurrences."""

import numpy as np

from engine._jit import kernel

# In pre-tokens of at most this many characters nothing between the occurrences is skipped.
SHORT = 512

# Relative change below which the effect of an occurrence is negligible; the sums keep 11 digits.
_SETTLED = 1e-13


@kernel
def _inclusion(entry, last_entry, e_next, e_arc, e_used, base, origin, arc_end, arc_length, share, marginal, g):
    """Probability that a segmentation of the pre-token uses at least one of a token's occurrences.

    This is the sum over the occurrences of the probability that it is the first one used. `g[v]` is the probability
    that one was used before v, given a boundary at v; it is propagated along the arcs, weighted by their shares.
    Occurrences are arcs; `e_used` is the probability that the arc (a fallback) uses the token. The pre-token's first
    node is `origin`; `share[a - base]` and `marginal[a - base]` belong to arc a.
    """
    next_arc = e_arc[entry]
    for v in range(np.int64(arc_end[e_arc[last_entry]]) - origin + 1):
        g[v] = 0.0
    total = 0.0
    a = next_arc
    while True:
        v = np.int64(arc_end[a]) - origin
        before = g[v - np.int64(arc_length[a])]
        if a == next_arc:
            used = e_used[entry] * (1.0 - before)
            total += marginal[a - base] * used
            before += used
            entry = e_next[entry]
            if entry < 0:
                return total
            next_arc = e_arc[entry]
        g[v] += share[a - base] * before
        a += 1


@kernel
def _inclusion_of_long(entry, e_next, e_arc, e_used, base, origin, arc_end, arc_length, share, marginal, g, reach):
    """The same for a long pre-token, skipping most of the text between occurrences.

    Once g is constant over the length of the longest arc (`reach`), it stays constant until the next occurrence: the
    cost of a token is its occurrences times a few token lengths, not the length of the line.
    """
    next_arc = e_arc[entry]
    v = np.int64(arc_end[next_arc]) - origin
    for u in range(max(0, v - reach), v):
        g[u] = 0.0
    total = 0.0
    settled = 0  # consecutive nodes with the same g
    a = next_arc
    while a > base and np.int64(arc_end[a - 1]) - origin == v:
        a -= 1
    while True:
        v = np.int64(arc_end[a]) - origin
        g[v] = 0.0
        while np.int64(arc_end[a]) - origin == v:
            before = g[v - np.int64(arc_length[a])]
            if a == next_arc:
                used = e_used[entry] * (1.0 - before)
                total += marginal[a - base] * used
                before += used
                entry = e_next[entry]
                if entry < 0:
                    return total
                next_arc = e_arc[entry]
            g[v] += share[a - base] * before
            a += 1
        settled = settled + 1 if abs(g[v] - g[v - 1]) <= _SETTLED * g[v] else 0
        if settled >= reach and np.int64(arc_end[next_arc]) - origin > v + 1:
            next_v = np.int64(arc_end[next_arc]) - origin
            for u in range(max(v + 1, next_v - reach), next_v):
                g[u] = g[v]
            a = next_arc
            while np.int64(arc_end[a - 1]) - origin == next_v:
                a -= 1

"""The probability that a segmentation holds a token at least once, where the token has several places."""

import numpy as np

from engine._jit import kernel

# Pre-tokens of at most this many characters are walked from the first occurrence to the last without a thought.
SHORT = 512

# Where the effect of an occurrence counts as having died out, relative; the sums keep 11 digits.
_SETTLED = 1e-13


@kernel
def _inclusion(entry, last_entry, e_next, e_arc, e_used, base, origin, arc_end, arc_length, share, marginal, g):
    """Probability that a segmentation of the pre-token uses at least one of a token's occurrences.

    The sum over the occurrences of the probability that it is used and none before it. `g[v]` is the probability that
    one was used before v, given that there is a boundary at v; every arc's share of its node carries g along.
    Occurrences are arcs; `e_used` is how probable it is that the arc, a fallback, uses the token. The pre-token's nodes
    are those from `origin` on; `share[a - base]` and `marginal[a - base]` are those of arc a.
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
    """The same for a long pre-token, where most of the way between two occurrences can be skipped.

    Once g is the same over the length of the longest arc (`reach`) it stays so until the next occurrence: a token
    costs its occurrences times a few token lengths, not the length of the line.
    """
    next_arc = e_arc[entry]
    v = np.int64(arc_end[next_arc]) - origin
    for u in range(max(0, v - reach), v):
        g[u] = 0.0
    total = 0.0
    settled = 0  # nodes in a row with the same g
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

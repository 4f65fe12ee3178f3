"""Forward and backward passes over the lattices of pre-tokens: log Z and the posterior probability of each arc.

Thunder-Tok paper eq. 2; Kudo (2018), section 3.2. Weights are probabilities, not logarithms. The arcs of several
pre-tokens are processed as one flat list sorted by end: loops over the arcs of each node or short pre-token would be
mispredicted almost every time. Weights are scaled by 16 per character, roughly the inverse probability of a character,
so the forward sums of almost all pre-tokens stay in range. If one does not, its nodes are processed one by one, each
with a count of how often its sum was scaled by 2^512. Scaling by powers of two is exact.
"""

import numpy as np

from engine._jit import inlined, kernel, subkernel
from engine.exact_math import LOG2, exps, log


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


_POWERS = np.ldexp(1.0, 4 * np.arange(256))  # of 16
LOG_CHARACTER = 4.0 * LOG2
_SCALE = 2.0**512
_BLOCK = 1024  # arcs processed together; their data fits the L1 cache
_LOG_SCALE = 512.0 * LOG2


@subkernel
def _rescaled(x, steps):
    """x * 2^(512 steps)."""
    while steps > 0 and 0.0 < x < np.inf:
        x *= _SCALE
        steps -= 1
    while steps < 0 and 0.0 < x < np.inf:
        x /= _SCALE
        steps += 1
    return x


def scaled_weights(log_prob: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Weights for the kernels: probabilities from natural logarithms, scaled by 16 per character.

    `length` is the length of each token or arc in characters.
    """
    weight = exps(log_prob)
    weight *= _POWERS[length]
    return weight


@inlined
def _interleaved(weight, tokens, n):
    """Rows of n zeros, for the sums, and the weight of each of `tokens` (float64[n_rows, n + 1]); the weights alone.

    An arc then loads one cache line, not two. With n = 1 or 3 no row crosses a line, because kernels allocate arrays at
    multiples of 32 bytes.
    """
    rows = np.zeros((tokens.size, n + 1))
    for t in range(tokens.size):
        rows[t, n] = weight[tokens[t]]
    return rows, rows[:, n]


@inlined
def _block_end(p, last, arc_first, arc_stop):
    """End (exclusive) of the block of pre-tokens that starts at p."""
    q = p + 1
    while q < last and arc_stop[q] - arc_first[p] <= _BLOCK:
        q += 1
    return q


@inlined
def _begin(ptr, p, q, alpha):
    """Initialize `alpha` for the pre-tokens p..q-1: 1 where one begins, else 0."""
    for v in range(ptr[q] - ptr[p] + q - p):
        alpha[v] = 0.0
    for r in range(p, q):
        alpha[ptr[r] - ptr[p] + r - p] = 1.0


@inlined
def _forward(first, last, origin, n_nodes, arc_end, arc_length, arc_token, weight, alpha, share):
    """Forward sums `alpha` of the nodes origin..origin + n_nodes - 1, from the arcs first..last-1 between them.

    These are the lattices of one or more pre-tokens; `alpha[v - origin]` must be 1 where one begins, else 0.
    Sets `share[a - first]` to what arc a adds to the sum of its end node. The weights are `scaled_weights`.

    Returns whether all sums are in range; if not, use `_forward_scaled`.
    """
    for a in range(first, last):
        v = np.uint64(arc_end[a]) - origin
        flow = alpha[v - arc_length[a]] * weight[arc_token[a]]
        share[a - first] = flow
        alpha[v] += flow
    out_of_range = False
    for v in range(n_nodes):
        out_of_range |= (alpha[v] < 1.0 / _SCALE) | (alpha[v] > _SCALE)
    return not out_of_range


@inlined
def _normalise(first, last, origin, n_nodes, arc_end, alpha, share):
    """After `_forward`, set `share[a - first]` to the probability that a path to the end of arc a ends with a."""
    for v in range(n_nodes):
        alpha[v] = 1.0 / alpha[v]
    for a in range(first, last):
        share[a - first] *= alpha[np.uint64(arc_end[a]) - origin]


@kernel
def _forward_scaled(first, last, origin, n, arc_end, arc_length, arc_token, weight, share):
    """`_forward` and `_normalise` for any pre-token of n characters; the sum of node v is `alpha[v] 2^(-512 scale[v])`.

    Returns log Z.
    """
    alpha = np.zeros(n + 1)
    scale = np.zeros(n + 1, dtype=np.int64)
    alpha[0] = 1.0
    a = first
    while a < last:
        v = np.uint64(arc_end[a]) - origin
        common = 0
        reached = False
        stop = a
        while stop < last and np.uint64(arc_end[stop]) - origin == v:
            u = v - arc_length[stop]
            if alpha[u] > 0.0:
                common = min(common, scale[u]) if reached else scale[u]
                reached = True
            stop += 1
        total = 0.0
        for b in range(a, stop):
            u = v - arc_length[b]
            share[b - first] = _rescaled(alpha[u] * weight[arc_token[b]], common - scale[u])
            total += share[b - first]
        if total > 0.0:
            for b in range(a, stop):
                share[b - first] /= total
            while total < 1.0 / _SCALE:
                total *= _SCALE
                common += 1
            while _SCALE < total < np.inf:
                total /= _SCALE
                common -= 1
        alpha[v] = total
        scale[v] = common
        a = stop
    return log(alpha[n]) - scale[n] * _LOG_SCALE - n * LOG_CHARACTER


@kernel
def _forward_block_scaled(ptr, p, q, arc_first, arc_stop, arc_end, arc_length, arc_token, weight, share, log_z):
    """`_forward_scaled` for each of the pre-tokens p..q-1; sets `log_z[r - p]` for pre-token r."""
    for r in range(p, q):
        log_z[r - p] = _forward_scaled(
            arc_first[r],
            arc_stop[r],
            np.uint64(ptr[r] + r),
            ptr[r + 1] - ptr[r],
            arc_end,
            arc_length,
            arc_token,
            weight,
            share[arc_first[r] - arc_first[p] :],
        )


@kernel
def _log_z(n, arc_end, arc_length, arc_token, weight, share):
    """log Z of a lattice of n characters with the nodes 0..n; `share` as after `_normalise`."""
    alpha = np.zeros(n + 1)
    alpha[0] = 1.0
    origin = np.uint64(0)
    weight = weight[::1]  # of the type of `_interleaved`, so that training shares the kernels
    if not _forward(0, arc_end.size, origin, n + 1, arc_end, arc_length, arc_token, weight, alpha, share):
        return _forward_scaled(0, arc_end.size, origin, n, arc_end, arc_length, arc_token, weight, share)
    log_z = log(alpha[n]) - n * LOG_CHARACTER
    _normalise(0, arc_end.size, origin, n + 1, arc_end, alpha, share)
    return log_z


@inlined
def _backward(first, last, origin, arc_end, arc_length, share, visit, marginal):
    """Posterior probability of the arcs first..last-1, from their shares.

    Runs backwards from the ends of the pre-tokens: the probability of an arc is its share times the probability of the
    boundary at its end. All values are probabilities, so nothing can overflow. `marginal[a - first]` is the result for
    arc a; `visit[v - origin]` is the probability of a boundary at v, and must be 1 where a pre-token ends, else 0.
    """
    for a in range(last - 1, first - 1, -1):
        v = np.uint64(arc_end[a]) - origin
        m = share[a - first] * visit[v]
        marginal[a - first] = m
        visit[v - arc_length[a]] += m


@kernel
def _marginals(n, arc_end, arc_length, share, visit, marginal):
    """`_backward` for a lattice of n characters with the nodes 0..n."""
    for v in range(n):
        visit[v] = 0.0
    visit[n] = 1.0
    _backward(0, arc_end.size, np.uint64(0), arc_end, arc_length, share, visit, marginal)


@kernel
def _max_sizes(ptr, arc_first, arc_stop, first, last):
    """Maximum nodes and arcs of a block, and characters of a pre-token, among the pre-tokens first..last-1."""
    nodes, arcs, chars = 1, 0, 0
    p = first
    while p < last:
        q = _block_end(p, last, arc_first, arc_stop)
        nodes = max(nodes, ptr[q] - ptr[p] + q - p)
        arcs = max(arcs, arc_stop[q - 1] - arc_first[p])
        for r in range(p, q):
            chars = max(chars, ptr[r + 1] - ptr[r])
        p = q
    return nodes, arcs, chars

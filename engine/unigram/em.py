"""Expected counts of the tokens over all segmentations (E step) and their new probabilities (M step).

Thunder-Tok paper eq. 2 and 3; Kudo (2018), section 3.2. Weights are kept as probabilities, not logarithms: a node's
forward sum is a number in (2^-512, 1] and a count of how often it was scaled by 2^512. Short pre-tokens never scale.
"""

import numpy as np

from engine._jit import kernel
from engine.config import N_BYTES

# A token's count is raised to this in the M step: no byte is ever impossible, and no logarithm infinite.
BYTE_FLOOR = 0.5
TOKEN_FLOOR = 0.01

_SCALE = 2.0**512
_LOG_SCALE = 512.0 * np.log(2.0)


@kernel
def _rescaled(x, steps):
    """x * 2^(512 steps)."""
    while steps > 0 and x > 0.0:
        x *= _SCALE
        steps -= 1
    while steps < 0 and x > 0.0:
        x /= _SCALE
        steps += 1
    return x


@kernel
def _forward(lo, n, arc_ptr, arc_length, arc_token, weight, alpha, scale):
    """Forward sums of one pre-token of n characters from `lo`: node v has `alpha[v] * 2^(-512 scale[v])`."""
    alpha[0] = 1.0
    scale[0] = 0
    scaled = False
    for v in range(1, n + 1):
        first, last = arc_ptr[lo + v - 1], arc_ptr[lo + v]
        total = 0.0
        common = 0
        if first == last:  # inside a forced span no arc ends
            common = scale[v - 1]
        elif not scaled:
            for a in range(first, last):
                total += alpha[v - np.int64(arc_length[a])] * weight[arc_token[a]]
        else:
            common = scale[v - np.int64(arc_length[first])]
            for a in range(first, last):
                common = min(common, scale[v - np.int64(arc_length[a])])
            for a in range(first, last):
                u = v - np.int64(arc_length[a])
                total += _rescaled(alpha[u] * weight[arc_token[a]], common - scale[u])
        while 0.0 < total < 1.0 / _SCALE:
            total *= _SCALE
            common += 1
            scaled = True
        alpha[v] = total
        scale[v] = common


@kernel
def _log_z(n, alpha, scale):
    return np.log(alpha[n]) - scale[n] * _LOG_SCALE


@kernel
def _marginals(lo, n, arc_ptr, arc_length, arc_token, weight, alpha, scale, visit, marginal):
    """Posterior probability of every arc of the pre-token, from its forward sums.

    Walks back from the end: the probability to have come over an arc is its share of the node's forward sum. All
    numbers are probabilities, so nothing can overflow. `marginal[a - arc_ptr[lo]]` is that of arc a; `visit[v]` that
    of a boundary at v.
    """
    base = arc_ptr[lo]
    for v in range(n):
        visit[v] = 0.0
    visit[n] = 1.0
    for v in range(n, 0, -1):
        if alpha[v] == 0.0:
            continue
        share = visit[v] / alpha[v]
        for a in range(arc_ptr[lo + v - 1], arc_ptr[lo + v]):
            u = v - np.int64(arc_length[a])
            m = alpha[u] * weight[arc_token[a]]
            if scale[v] != scale[u]:
                m = _rescaled(m, scale[v] - scale[u])
            m *= share
            marginal[a - base] = m
            visit[u] += m


@kernel
def _longest(ptr, arc_ptr, first, last):
    """Characters and arcs of the longest pre-tokens among first..last-1."""
    chars, arcs = 0, 0
    for p in range(first, last):
        chars = max(chars, ptr[p + 1] - ptr[p])
        arcs = max(arcs, arc_ptr[ptr[p + 1]] - arc_ptr[ptr[p]])
    return chars, arcs


@kernel
def _expected_counts(ptr, count, first, last, arc_ptr, arc_length, arc_token, weight):
    """E step over the pre-tokens first..last-1.

    Returns expected counts (float64 per entry of `weight`) and the sum of count x log Z.
    """
    n_chars, _ = _longest(ptr, arc_ptr, first, last)
    alpha = np.empty(n_chars + 1)
    scale = np.empty(n_chars + 1, dtype=np.int64)
    visit = np.empty(n_chars + 1)
    expected = np.zeros(weight.size)
    log_likelihood = 0.0
    for p in range(first, last):
        lo = ptr[p]
        n = ptr[p + 1] - lo
        times = count[p]
        _forward(lo, n, arc_ptr, arc_length, arc_token, weight, alpha, scale)
        log_likelihood += times * _log_z(n, alpha, scale)
        for v in range(n):
            visit[v] = 0.0
        visit[n] = times
        for v in range(n, 0, -1):
            share = visit[v] / alpha[v]
            for a in range(arc_ptr[lo + v - 1], arc_ptr[lo + v]):
                u = v - np.int64(arc_length[a])
                m = alpha[u] * weight[arc_token[a]]
                if scale[v] != scale[u]:
                    m = _rescaled(m, scale[v] - scale[u])
                m *= share
                visit[u] += m
                expected[arc_token[a]] += m
    return expected, log_likelihood


@kernel
def _digamma(x):
    """Digamma function by recurrence up to 10 and its asymptotic series (Abramowitz and Stegun 6.3.5, 6.3.18)."""
    result = 0.0
    while x < 10.0:
        result -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * (691 / 32760 - y / 12))))))
    return result + np.log(x) - 0.5 / x - series


@kernel
def _maximise(expected, floors):
    n = expected.size
    log_prob = np.empty(n)
    total = 0.0
    for t in range(n):
        log_prob[t] = max(expected[t], floors[t])
        total += log_prob[t]
    log_total = _digamma(total)
    mass = 0.0
    for t in range(n):
        log_prob[t] = _digamma(log_prob[t]) - log_total
        mass += np.exp(log_prob[t])
    log_mass = np.log(mass)
    for t in range(n):
        log_prob[t] -= log_mass
    return log_prob


def maximise(expected: np.ndarray, held: np.ndarray | None = None) -> np.ndarray:
    """M step: log probabilities (natural, float64[n_tokens]) from expected counts; the first 256 tokens are the bytes.

    `held` (int64[n]) are characters that stay for the sake of other tokens; their floor is that of the bytes.

    exp(digamma(count) - digamma(total)) instead of count / total makes rare tokens rarer, as the Bayesian EM of
    Liang and Klein (2007) does and SentencePiece after it; then the probabilities are made to sum to one.
    """
    floors = np.full(expected.size, TOKEN_FLOOR)
    floors[:N_BYTES] = BYTE_FLOOR
    if held is not None:
        floors[held] = BYTE_FLOOR
    return _maximise(expected, floors)


def first_log_prob(weight: np.ndarray) -> np.ndarray:
    """Log probabilities of the seed vocabulary: proportional to count x length, every byte at least 0.5."""
    raised = weight.copy()
    raised[:N_BYTES] = np.maximum(raised[:N_BYTES], BYTE_FLOOR)
    return np.log(raised) - np.log(raised.sum())

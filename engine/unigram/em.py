"""Expected counts of the tokens over all segmentations (E step) and their new probabilities (M step).

Thunder-Tok paper eq. 2 and 3; Kudo (2018), section 3.2. Weights are kept as probabilities, not logarithms. The arcs
of a pre-token are walked as one flat list in order of their ends: a loop over the arcs of each node would be
mispredicted at nearly every node. Every weight carries a factor 16 a character, about what a character costs, so that
the forward sums of all but extraordinary pre-tokens stay within range. Where one leaves it the nodes are taken one by
one, each with a count of how often its sum was scaled by 2^512. Powers of two change no digit.
"""

import numpy as np

from engine._jit import inlined, kernel
from engine.config import N_BYTES
from engine.exact_math import LOG2, exp, exps, log

# A token's count is raised to this in the M step: no byte is ever impossible, and no logarithm infinite.
BYTE_FLOOR = 0.5
TOKEN_FLOOR = 0.01

_CHARACTER = 16.0
_LOG_CHARACTER = 4.0 * LOG2
_SCALE = 2.0**512
_LOG_SCALE = 512.0 * LOG2


@kernel
def _rescaled(x, steps):
    """x * 2^(512 steps)."""
    while steps > 0 and 0.0 < x < np.inf:
        x *= _SCALE
        steps -= 1
    while steps < 0 and 0.0 < x < np.inf:
        x /= _SCALE
        steps += 1
    return x


@kernel
def _scale(weight, length):
    for t in range(weight.size):
        for _ in range(length[t]):
            weight[t] *= _CHARACTER


def scaled_weights(log_prob: np.ndarray, length: np.ndarray) -> np.ndarray:
    """What the kernels take as weights: probabilities from natural logarithms, 16 times as large a character.

    `length` is the characters of each token or arc.
    """
    weight = exps(log_prob)
    _scale(weight, length)
    return weight


@inlined
def _forward(first, last, n, arc_end, arc_length, arc_token, weight, alpha, share):
    """Forward pass over the arcs first..last-1 of one pre-token of n characters.

    Returns log Z, or nan where a forward sum leaves the range: then `_forward_scaled` has to do it. (A call of that
    many arrays costs as much as a word, and all of both would be too much to be inlined.)

    `share[a - first]` becomes the probability to have come over arc a, given that there is a boundary at its end:
    what the arc adds to the forward sum of that node, divided by the sum. The weights are `scaled_weights`; `alpha` is
    room for n + 1 numbers.
    """
    for v in range(n + 1):
        alpha[v] = 0.0
    alpha[0] = 1.0
    for a in range(first, last):
        v = arc_end[a]
        flow = alpha[v - arc_length[a]] * weight[arc_token[a]]
        share[a - first] = flow
        alpha[v] += flow
    out_of_range = False
    for v in range(1, n + 1):
        out_of_range |= (alpha[v] < 1.0 / _SCALE) | (alpha[v] > _SCALE)
    if out_of_range:
        return np.nan
    log_z = log(alpha[n]) - n * _LOG_CHARACTER
    for v in range(1, n + 1):
        alpha[v] = 1.0 / alpha[v]
    for a in range(first, last):
        share[a - first] *= alpha[arc_end[a]]
    return log_z


@kernel
def _forward_alone(first, last, n, arc_end, arc_length, arc_token, weight, alpha, share):
    """`_forward`, for callers outside of kernels."""
    return _forward(first, last, n, arc_end, arc_length, arc_token, weight, alpha, share)


@kernel
def _forward_scaled(first, last, n, arc_end, arc_length, arc_token, weight, alpha, share):
    """`_forward` for any pre-token, with scaled sums: node v has `alpha[v] * 2^(-512 scale[v])`."""
    scale = np.zeros(n + 1, dtype=np.int64)
    for v in range(n + 1):
        alpha[v] = 0.0
    alpha[0] = 1.0
    a = first
    while a < last:
        v = arc_end[a]
        common = 0
        reached = False
        behind = a
        while behind < last and arc_end[behind] == v:
            u = v - arc_length[behind]
            if alpha[u] > 0.0:
                common = min(common, scale[u]) if reached else scale[u]
                reached = True
            behind += 1
        total = 0.0
        for b in range(a, behind):
            u = v - arc_length[b]
            share[b - first] = _rescaled(alpha[u] * weight[arc_token[b]], common - scale[u])
            total += share[b - first]
        if total > 0.0:
            for b in range(a, behind):
                share[b - first] /= total
            while total < 1.0 / _SCALE:
                total *= _SCALE
                common += 1
            while _SCALE < total < np.inf:
                total /= _SCALE
                common -= 1
        alpha[v] = total
        scale[v] = common
        a = behind
    return log(alpha[n]) - scale[n] * _LOG_SCALE - n * _LOG_CHARACTER


@kernel
def _marginals(first, last, n, arc_end, arc_length, share, visit, marginal):
    """Posterior probability of every arc of the pre-token, from the forward pass.

    Walks back from the end: the probability of an arc is its share of that of the boundary at its end. All numbers
    are probabilities, so nothing can overflow. `marginal[a - first]` is that of arc a; `visit[v]` that of a boundary
    at v.
    """
    for v in range(n):
        visit[v] = 0.0
    visit[n] = 1.0
    for a in range(last - 1, first - 1, -1):
        m = share[a - first] * visit[arc_end[a]]
        marginal[a - first] = m
        visit[arc_end[a] - arc_length[a]] += m


@kernel
def _longest(ptr, arc_first, arc_behind, first, last):
    """Characters and arcs of the longest pre-tokens among first..last-1."""
    chars, arcs = 0, 0
    for p in range(first, last):
        chars = max(chars, ptr[p + 1] - ptr[p])
        arcs = max(arcs, arc_behind[p] - arc_first[p])
    return chars, arcs


@kernel
def _expected_counts(ptr, count, first, last, arc_first, arc_behind, arc_end, arc_length, arc_token, weight):
    """E step over the pre-tokens first..last-1: expected counts (float64 per entry of `weight`)."""
    n_chars, n_arcs = _longest(ptr, arc_first, arc_behind, first, last)
    alpha = np.empty(n_chars + 1)
    visit = np.empty(n_chars + 1)
    share = np.empty(n_arcs)
    expected = np.zeros(weight.size)
    for p in range(first, last):
        n = ptr[p + 1] - ptr[p]
        i, j = arc_first[p], arc_behind[p]
        if np.isnan(_forward(i, j, n, arc_end, arc_length, arc_token, weight, alpha, share)):
            _forward_scaled(i, j, n, arc_end, arc_length, arc_token, weight, alpha, share)
        for v in range(n):
            visit[v] = 0.0
        visit[n] = count[p]
        for a in range(j - 1, i - 1, -1):
            m = share[a - i] * visit[arc_end[a]]
            visit[arc_end[a] - arc_length[a]] += m
            expected[arc_token[a]] += m
    return expected


@kernel
def _digamma(x):
    """Digamma function by recurrence up to 10 and its asymptotic series (Abramowitz and Stegun 6.3.5, 6.3.18)."""
    result = 0.0
    while x < 10.0:
        result -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * (691 / 32760 - y / 12))))))
    return result + log(x) - 0.5 / x - series


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
        mass += exp(log_prob[t])
    log_mass = log(mass)
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


@kernel
def _logs_of_shares(weight):
    total = 0.0
    for t in range(weight.size):
        total += weight[t]
    log_total = log(total)
    result = np.empty(weight.size)
    for t in range(weight.size):
        result[t] = log(weight[t]) - log_total
    return result


def first_log_prob(weight: np.ndarray) -> np.ndarray:
    """Log probabilities of the seed vocabulary: proportional to count x length, every byte at least 0.5."""
    raised = weight.copy()
    raised[:N_BYTES] = np.maximum(raised[:N_BYTES], BYTE_FLOOR)
    return _logs_of_shares(raised)

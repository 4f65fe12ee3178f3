"""Expected counts of the tokens over all segmentations (E step) and their new probabilities (M step).

Thunder-Tok paper eq. 2 and 3; Kudo (2018), section 3.2. `engine.lattice.passes` has the passes over the lattices.
"""

import numpy as np

from engine._jit import inlined, kernel
from engine.config import N_BYTES
from engine.corpus.arrays import Corpus
from engine.exact_math import exp, log
from engine.lattice.fallback import Fallback, FallbackSpans, _write_fallback
from engine.lattice.passes import (
    _begin,
    _block_end,
    _forward,
    _forward_block_scaled,
    _interleaved,
    _max_sizes,
    _normalise,
    _search,
)
from engine.unigram.train.arcs import Arcs


@kernel
def _viterbi_counts(ptr, count, first, last, arcs, log_weight):
    """Count of each token and fallback in the best segmentations of the pre-tokens first..last-1."""
    n_chars = 0
    for p in range(first, last):
        n_chars = max(n_chars, ptr[p + 1] - ptr[p])
    best = np.empty(n_chars + 1)
    back = np.empty(n_chars + 1, dtype=np.int64)
    used = np.zeros(log_weight.size, dtype=np.int64)
    for p in range(first, last):
        v = ptr[p + 1] - ptr[p]
        begin = ptr[p] + p
        _search(arcs.first[p], arcs.stop[p], begin, v, -1, arcs.end, arcs.length, arcs.token, log_weight, best, back)
        while v > 0 and back[v] >= 0:
            used[arcs.token[back[v]]] += count[p]
            v -= np.int64(arcs.length[back[v]])
    return used


def viterbi_counts(corpus: Corpus, shard: int, arcs: Arcs, tokens: np.ndarray, log_weight: np.ndarray) -> np.ndarray:
    """int64 per token and fallback: uses in the best segmentations of the shard's pre-tokens."""
    first, last = corpus.shard_pretoken[shard : shard + 2]
    used = np.zeros(log_weight.size, dtype=np.int64)
    used[tokens] = _viterbi_counts(corpus.pretokens.ptr, corpus.pretokens.count, first, last, arcs, log_weight[tokens])
    return used


def fold_viterbi(used: np.ndarray, n_tokens: int, spans: FallbackSpans, fallback: Fallback) -> np.ndarray:
    """Uses of the tokens (float64[n_tokens]), with fallbacks replaced by the tokens of their best segmentations."""
    uses = used[:n_tokens].astype(np.float64)
    path = np.empty(4, dtype=np.int32)
    for k in np.flatnonzero(used[n_tokens:]).tolist():
        n = _write_fallback(k, spans.n_bytes, spans.token, fallback.best_cuts, path, 0)
        np.add.at(uses, path[:n], used[n_tokens + k])
    return uses


# Counts are floored at these values in the M step, so that no byte is impossible and no logarithm infinite.
BYTE_FLOOR = 0.5
TOKEN_FLOOR = 0.01


@kernel
def _expected_counts(ptr, count, first, last, arc_first, arc_stop, arc_end, arc_length, arc_token, tokens, weight):
    """E step over the pre-tokens first..last-1: expected counts (float64 per entry of `weight`)."""
    counts = np.zeros(weight.size)
    most_nodes, most_arcs, _ = _max_sizes(ptr, arc_first, arc_stop, first, last)
    alpha = np.empty(most_nodes)
    visit = np.empty(most_nodes)
    log_z = np.empty(most_nodes)
    share = np.empty(most_arcs)
    sums, weight = _interleaved(weight, tokens, 1)
    p = first
    while p < last:
        q = _block_end(p, last, arc_first, arc_stop)
        i, j = arc_first[p], arc_stop[q - 1]
        origin, n_nodes = np.uint64(ptr[p] + p), ptr[q] - ptr[p] + q - p
        _begin(ptr, p, q, alpha)
        if _forward(i, j, origin, n_nodes, arc_end, arc_length, arc_token, weight, alpha, share):
            _normalise(i, j, origin, n_nodes, arc_end, alpha, share)
        else:
            _forward_block_scaled(ptr, p, q, arc_first, arc_stop, arc_end, arc_length, arc_token, weight, share, log_z)
        for v in range(n_nodes):
            visit[v] = 0.0
        for r in range(p, q):
            visit[ptr[r + 1] - ptr[p] + r - p] = count[r]
        for a in range(j - 1, i - 1, -1):
            v = np.uint64(arc_end[a]) - origin
            m = share[a - i] * visit[v]
            visit[v - arc_length[a]] += m
            sums[arc_token[a], 0] += m
        p = q
    for t in range(tokens.size):
        counts[tokens[t]] = sums[t, 0]
    return counts


def shard_counts(corpus: Corpus, shard: int, arcs: Arcs, tokens: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Expected counts of one shard (float64 per entry of `weight`, which is `scaled_weights`)."""
    first, last = corpus.shard_pretoken[shard : shard + 2]
    return _expected_counts(corpus.pretokens.ptr, corpus.pretokens.count, first, last, *arcs[:5], tokens, weight)


@inlined
def _digamma(x):
    """Digamma function by recurrence up to 10 and its asymptotic series (Abramowitz and Stegun 6.3.5, 6.3.18).

    Without branches, so that loops vectorize.
    """
    result = 0.0
    for _ in range(10):
        is_small = x < 10.0
        result -= 1.0 / x if is_small else 0.0
        x += 1.0 if is_small else 0.0
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
    for t in range(n):
        log_prob[t] = _digamma(log_prob[t]) - log_total
    prob = np.empty(n)
    for t in range(n):
        prob[t] = exp(log_prob[t])
    mass = 0.0
    for t in range(n):
        mass += prob[t]
    log_mass = log(mass)
    for t in range(n):
        log_prob[t] -= log_mass
    return log_prob


def maximise(expected: np.ndarray, protected: np.ndarray | None = None) -> np.ndarray:
    """M step: log probabilities (natural, float64[n_tokens]) from expected counts; the first 256 tokens are the bytes.

    `protected` (int64[n]) are characters that other tokens need; they are floored like the bytes.

    exp(digamma(count) - digamma(total)) instead of count / total makes rare tokens rarer, as in the Bayesian EM of
    Liang and Klein (2007) and in SentencePiece; then the probabilities are normalised.
    """
    floors = np.full(expected.size, TOKEN_FLOOR)
    floors[:N_BYTES] = BYTE_FLOOR
    if protected is not None:
        floors[protected] = BYTE_FLOOR
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
    """Initial log probabilities of the seed vocabulary: proportional to count x length, with bytes floored at 0.5."""
    floored = weight.copy()
    floored[:N_BYTES] = np.maximum(floored[:N_BYTES], BYTE_FLOOR)
    return _logs_of_shares(floored)

"""Branching entropy over whole sentences, as sums that shard and merge (Thunder-Tok paper, section 3.3).

With integer counts c(y) of N units and m = P(x|y): a token's A0 = sum c m and A1 = sum c m log(c m) give

    P(x) = A0 / N  (eq. 5),  BE(x) = log A0 - A1 / A0  (eq. 1 and 4),  BE(x) P(x) = (A0 log A0 - A1) / N  (eq. 6).

P(x|y) is the probability that a segmentation of y contains x (`inclusion`), the expected number of x in it
(`expected`), or every place of x is a y of its own (`occurrence`).
"""

from typing import NamedTuple

import numpy as np

from engine._jit import kernel
from engine.config import MEMBERSHIPS
from engine.corpus.arrays import Corpus
from engine.unigram.arcs import Arcs
from engine.unigram.em import _forward, _log_z, _longest, _marginals, _rescaled
from engine.unigram.fallback import Fallback

_INCLUSION, _EXPECTED, _OCCURRENCE = range(3)

# Where the effect of an occurrence counts as having died out, relative; the sums keep 11 digits.
_SETTLED = 1e-13

_NO_ENTROPY = 1e-12


class Statistics(NamedTuple):
    """Sums over the sentences of one or more shards; `merge` adds them."""

    sums: np.ndarray  # float64[n_tokens, 2], A0 and A1
    expected_count: np.ndarray  # float64[n_tokens]
    log_likelihood: float  # sum of count x log Z, nats
    n_tokens: float  # expected number of tokens in the corpus


class TokenStatistics(NamedTuple):
    """What a pruning round ranks by, one number a token."""

    sentence_prob: np.ndarray  # float64[n_tokens], P(x) of eq. 5
    branching_entropy: np.ndarray  # float64[n_tokens], nats


@kernel
def _inclusion(first_entry, e_next, e_arc, e_share, lo, n, reach, arc_ptr, arc_length, arc_token, weight,
               alpha, scale, end_of, g):  # fmt: skip
    """Probability that a segmentation of the pre-token uses at least one of a token's occurrences.

    `g[v]` is that probability for the part up to node v, given that there is a boundary at v. An arc's share of its
    node's forward sum carries g along; an occurrence makes it certain (or, for the parts of a fallback, as probable
    as its share). All terms are positive, so rare tokens keep their digits. Once g is the same over the length of the
    longest arc (`reach`) it stays so until the next occurrence, which is where the walk goes on: a token costs its
    occurrences times a few token lengths, not the length of the line.
    """
    e = first_entry
    base = arc_ptr[lo]
    v = end_of[e_arc[e] - base]
    for u in range(max(0, v - reach), v):
        g[u] = 0.0
    settled = 0  # nodes in a row with the same g
    while v <= n:
        total = 0.0
        for a in range(arc_ptr[lo + v - 1], arc_ptr[lo + v]):
            u = v - np.int64(arc_length[a])
            q = alpha[u] * weight[arc_token[a]]
            if scale[v] != scale[u]:
                q = _rescaled(q, scale[v] - scale[u])
            if e >= 0 and e_arc[e] == a:
                q *= e_share[e] + (1.0 - e_share[e]) * g[u]
                e = e_next[e]
            else:
                q *= g[u]
            total += q
        g[v] = total / alpha[v]
        settled = settled + 1 if abs(g[v] - g[v - 1]) <= _SETTLED * g[v] else 0
        if settled >= reach:
            # Nothing can be more certain than certain: a frequent token on a long line ends here.
            if e < 0 or g[v] >= 1.0 - _SETTLED:
                return g[v]
            next_v = end_of[e_arc[e] - base]
            if next_v > v + 1:
                for u in range(max(v + 1, next_v - reach), next_v):
                    g[u] = g[v]
                v = next_v - 1
        v += 1
    return g[n]


@kernel
def _count_entries(ptr, first, last, arc_ptr, arc_token, n_tokens, fallback_size):
    """Uses of tokens by arcs: in all pre-tokens first..last-1 together, and in the one with the most."""
    total, most = 0, 0
    for p in range(first, last):
        here = 0
        for a in range(arc_ptr[ptr[p]], arc_ptr[ptr[p + 1]]):
            t = arc_token[a]
            here += 1 if t < n_tokens else fallback_size[t - n_tokens]
        total += here
        most = max(most, here)
    return total, most


@kernel
def _shard_statistics(
    ptr, first_pretoken, last_pretoken,
    sentence_ptr, sentence_pretoken, sentence_count, first_sentence, last_sentence,
    arc_ptr, arc_length, arc_token, weight, n_tokens,
    fallback_token, fallback_expected, fallback_inclusion, mode, pretoken_count,
):  # fmt: skip
    """Sums over one shard: first every pre-token's tokens with their P(x|pre-token), then the sentences."""
    n_chars, n_arcs = _longest(ptr, arc_ptr, first_pretoken, last_pretoken)
    alpha = np.empty(n_chars + 1)
    scale = np.empty(n_chars + 1, dtype=np.int64)
    visit = np.empty(n_chars + 1)
    g = np.empty(n_chars + 1)
    marginal = np.empty(n_arcs)
    end_of = np.empty(n_arcs, dtype=np.int32)

    # Entries are uses of a token by an arc; outputs are the distinct tokens of a pre-token, each with its entries.
    fallback_size = (fallback_token >= 0).sum(axis=1)
    room, pretoken_room = _count_entries(
        ptr, first_pretoken, last_pretoken, arc_ptr, arc_token, n_tokens, fallback_size
    )
    e_arc = np.empty(pretoken_room, dtype=np.int64)
    e_share = np.empty(pretoken_room)
    e_next = np.empty(pretoken_room, dtype=np.int32)
    o_first = np.empty(pretoken_room, dtype=np.int32)
    o_last = np.empty(pretoken_room, dtype=np.int32)
    output_of = np.full(n_tokens, -1, dtype=np.int32)

    item_ptr = np.empty(last_pretoken - first_pretoken + 1, dtype=np.int64)
    item_token = np.empty(room, dtype=np.int32)
    item_value = np.empty(room)
    expected_count = np.zeros(weight.size)
    log_likelihood = 0.0
    k = 0
    for p in range(first_pretoken, last_pretoken):
        lo = ptr[p]
        n = ptr[p + 1] - lo
        base = arc_ptr[lo]
        item_ptr[p - first_pretoken] = k
        _forward(lo, n, arc_ptr, arc_length, arc_token, weight, alpha, scale)
        _marginals(lo, n, arc_ptr, arc_length, arc_token, weight, alpha, scale, visit, marginal)
        times = pretoken_count[p]
        log_likelihood += times * _log_z(n, alpha, scale)
        n_entries = 0
        n_outputs = 0
        reach = 1
        for v in range(1, n + 1):
            for a in range(arc_ptr[lo + v - 1], arc_ptr[lo + v]):
                m = marginal[a - base]
                t = arc_token[a]
                end_of[a - base] = v
                reach = max(reach, np.int64(arc_length[a]))
                expected_count[t] += times * m
                if m == 0.0:
                    continue
                for s in range(fallback_size[t - n_tokens] if t >= n_tokens else 1):
                    x = t
                    times_used = 1.0
                    share = 1.0
                    if t >= n_tokens:
                        x = fallback_token[t - n_tokens, s]
                        times_used = fallback_expected[t - n_tokens, s]
                        share = fallback_inclusion[t - n_tokens, s]
                    if mode == _OCCURRENCE:
                        item_token[k] = x
                        item_value[k] = m * times_used
                        k += 1
                        continue
                    o = output_of[x]
                    if o < 0:
                        o = n_outputs
                        n_outputs += 1
                        output_of[x] = o
                        item_token[k + o] = x
                        item_value[k + o] = 0.0
                        o_first[o] = n_entries
                    else:
                        e_next[o_last[o]] = n_entries
                    o_last[o] = n_entries
                    e_arc[n_entries] = a
                    e_share[n_entries] = share
                    e_next[n_entries] = -1
                    n_entries += 1
                    item_value[k + o] += m * times_used if mode == _EXPECTED else m * share
        for o in range(n_outputs):
            x = item_token[k + o]
            output_of[x] = -1
            if mode == _INCLUSION and o_first[o] != o_last[o]:
                # The sum of the marginals counts segmentations with several occurrences more than once. The
                # occurrences exclude each other where all of them overlap: then the sum is right as it stands.
                first_arc, last_arc = e_arc[o_first[o]], e_arc[o_last[o]]
                if end_of[last_arc - base] - arc_length[last_arc] >= end_of[first_arc - base]:
                    item_value[k + o] = _inclusion(
                        o_first[o], e_next, e_arc, e_share, lo, n, reach,
                        arc_ptr, arc_length, arc_token, weight, alpha, scale, end_of, g,
                    )  # fmt: skip
            if mode == _INCLUSION:
                item_value[k + o] = min(1.0, item_value[k + o])
        k += n_outputs
    item_ptr[last_pretoken - first_pretoken] = k

    sums = np.zeros((n_tokens, 2))
    touched = np.empty(n_tokens, dtype=np.int32)
    value_of = np.zeros(n_tokens)
    for y in range(first_sentence, last_sentence):
        times = sentence_count[y]
        a, b = sentence_ptr[y], sentence_ptr[y + 1]
        if mode == _OCCURRENCE or b - a == 1:
            for i in range(a, b):
                p = sentence_pretoken[i] - first_pretoken
                for j in range(item_ptr[p], item_ptr[p + 1]):
                    c = times * item_value[j]
                    if c > 0.0:
                        sums[item_token[j], 0] += c
                        sums[item_token[j], 1] += c * np.log(c)
            continue
        n_touched = 0
        for i in range(a, b):
            p = sentence_pretoken[i] - first_pretoken
            for j in range(item_ptr[p], item_ptr[p + 1]):
                x = item_token[j]
                value = item_value[j]
                if value_of[x] == 0.0:
                    if value > 0.0:
                        touched[n_touched] = x
                        n_touched += 1
                        value_of[x] = value
                elif mode == _EXPECTED:
                    value_of[x] += value
                else:
                    # 1 - (1 - value_of)(1 - value), without losing the digits of small values.
                    value_of[x] += value * (1.0 - value_of[x])
        for i in range(n_touched):
            x = touched[i]
            c = times * value_of[x]
            value_of[x] = 0.0
            sums[x, 0] += c
            sums[x, 1] += c * np.log(c)
    return sums, expected_count, log_likelihood


def shard_statistics(
    corpus: Corpus, shard: int, arcs: Arcs, weight: np.ndarray, fallback: Fallback, membership: str
) -> Statistics:
    """Statistics of one shard under the tokens' probabilities.

    Parameters
    ----------
    corpus, shard : which sentences.
    arcs : the lattices of the corpus.
    weight : float64[n_tokens + n_alphabet], probabilities of the tokens, then of the characters' fallbacks.
    fallback : what the fallbacks are made of.
    membership : one of MEMBERSHIPS.
    """
    n_tokens = weight.size - fallback.log_prob.size
    sums, expected, log_likelihood = _shard_statistics(
        corpus.pretokens.ptr, corpus.shard_pretoken[shard], corpus.shard_pretoken[shard + 1],
        corpus.sentence_ptr, corpus.sentence_pretoken, corpus.sentence_count,
        corpus.shard_sentence[shard], corpus.shard_sentence[shard + 1],
        *arcs, weight, n_tokens, fallback.token, fallback.expected, fallback.inclusion,
        MEMBERSHIPS.index(membership), corpus.pretokens.count,
    )  # fmt: skip
    counts = fold_fallback(expected, n_tokens, fallback)
    return Statistics(sums, counts, float(log_likelihood), float(counts.sum()))


def fold_fallback(expected: np.ndarray, n_tokens: int, fallback: Fallback) -> np.ndarray:
    """Expected counts of the tokens: those of the characters' fallbacks go to their bytes, with multiplicity."""
    counts = expected[:n_tokens].copy()
    used = fallback.token >= 0
    np.add.at(counts, fallback.token[used], (expected[n_tokens:, None] * fallback.expected)[used])
    return counts


def merge(a: Statistics, b: Statistics) -> Statistics:
    """Statistics of two disjoint sets of sentences together, provided that no sentence is in both."""
    return Statistics(
        a.sums + b.sums,
        a.expected_count + b.expected_count,
        a.log_likelihood + b.log_likelihood,
        a.n_tokens + b.n_tokens,
    )


def token_statistics(statistics: Statistics, n_units: int) -> TokenStatistics:
    """P(x) and BE(x) (nats) from the merged sums; both are 0 for a token that never occurs."""
    a0, a1 = statistics.sums[:, 0], statistics.sums[:, 1]
    occurs = a0 > 0
    safe = np.where(occurs, a0, 1.0)
    entropy = np.where(occurs, np.log(safe) - a1 / safe, 0.0)
    # A token with a single context has none; rounding may say 1e-16.
    entropy[entropy < _NO_ENTROPY] = 0.0
    return TokenStatistics(a0 / n_units, entropy)

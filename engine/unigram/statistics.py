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
from engine.unigram.em import _forward, _forward_scaled, _longest, _marginals
from engine.unigram.fallback import Fallback
from engine.unigram.inclusion import SHORT, _inclusion, _inclusion_of_long

_INCLUSION, _EXPECTED, _OCCURRENCE = range(3)

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
def _log_counts(sentence_ptr, sentence_pretoken, sentence_count, n_pretokens):
    total = np.zeros(n_pretokens)
    for y in range(sentence_count.size):
        term = sentence_count[y] * np.log(sentence_count[y])
        for i in range(sentence_ptr[y], sentence_ptr[y + 1]):
            total[sentence_pretoken[i]] += term
    return total


def log_counts(corpus: Corpus) -> np.ndarray:
    """Sum of c(y) log c(y) over the places y of every pre-token (float64[n_pretokens])."""
    return _log_counts(
        corpus.sentence_ptr, corpus.sentence_pretoken, corpus.sentence_count, corpus.pretokens.count.size
    )


@kernel
def _count_repeats(first, last, arc_first, arc_behind, arc_repeats):
    """Uses of tokens by arcs that repeat: in all pre-tokens first..last-1 together, and in the one with the most."""
    total, most = 0, 0
    for p in range(first, last):
        here = 0
        for a in range(arc_first[p], arc_behind[p]):
            here += np.int64(arc_repeats[a])
        total += here
        most = max(most, here)
    return total, most


@kernel
def _shard_statistics(
    ptr, first_pretoken, last_pretoken, pretoken_count, pretoken_log_count,
    sentence_ptr, sentence_pretoken, sentence_count, first_sentence, last_sentence,
    arc_first, arc_behind, arc_end, arc_length, arc_token, arc_repeats, weight, n_tokens,
    fallback_token, fallback_expected, fallback_inclusion, mode,
):  # fmt: skip
    """Sums over one shard: first every pre-token's arcs, then what repeats within a sentence.

    An arc that does not repeat is added at once, for all sentences of its pre-token together: with m its probability,
    sum c m = m C and sum c m log(c m) = m (C log m + L), C = sum c and L = sum c log c. Only tokens with several
    places in a sentence need to be kept until that sentence is looked at.

    Returns `single` (A0 and A1 of what does not repeat), `repeated` (A0, A1 and expected count of what does), both by
    token and fallback, and the log likelihood.
    """
    n_chars, n_arcs = _longest(ptr, arc_first, arc_behind, first_pretoken, last_pretoken)
    alpha = np.empty(n_chars + 1)
    visit = np.empty(n_chars + 1)
    g = np.empty(n_chars + 1)
    share = np.empty(n_arcs)
    marginal = np.empty(n_arcs)

    # Entries are uses of a token by an arc; outputs are the distinct tokens of a pre-token, each with its entries.
    room, most = _count_repeats(first_pretoken, last_pretoken, arc_first, arc_behind, arc_repeats)
    e_arc = np.empty(most, dtype=np.int64)
    e_used = np.empty(most)
    e_next = np.empty(most, dtype=np.int32)
    o_first = np.empty(most, dtype=np.int32)
    o_last = np.empty(most, dtype=np.int32)
    output_of = np.full(n_tokens, -1, dtype=np.int32)

    item_ptr = np.empty(last_pretoken - first_pretoken + 1, dtype=np.int64)
    item_token = np.empty(room, dtype=np.int32)
    item_value = np.empty(room)
    single = np.zeros((weight.size, 2))
    repeated = np.zeros((weight.size, 3))
    log_likelihood = 0.0
    k = 0
    for p in range(first_pretoken, last_pretoken):
        n = ptr[p + 1] - ptr[p]
        base, behind = arc_first[p], arc_behind[p]
        item_ptr[p - first_pretoken] = k
        log_z = _forward(base, behind, n, arc_end, arc_length, arc_token, weight, alpha, share)
        if np.isnan(log_z):
            log_z = _forward_scaled(base, behind, n, arc_end, arc_length, arc_token, weight, alpha, share)
        _marginals(base, behind, n, arc_end, arc_length, share, visit, marginal)
        times = np.float64(pretoken_count[p])
        log_times = pretoken_log_count[p]
        log_likelihood += times * log_z
        n_entries = 0
        n_outputs = 0
        for a in range(base, behind):
            m = marginal[a - base]
            t = arc_token[a]
            if m == 0.0:
                continue
            if arc_repeats[a] == 0:
                single[t, 0] += m * times
                single[t, 1] += m * (times * np.log(m) + log_times)
                continue
            repeated[t, 2] += m * times
            for s in range(arc_repeats[a]):
                x = t
                times_used = 1.0
                used = 1.0
                if t >= n_tokens:
                    x = fallback_token[t - n_tokens, s]
                    if x < 0:
                        break
                    times_used = fallback_expected[t - n_tokens, s]
                    used = fallback_inclusion[t - n_tokens, s]
                if mode == _OCCURRENCE:
                    q = m * times_used
                    repeated[x, 0] += q * times
                    repeated[x, 1] += q * (times * np.log(q) + log_times)
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
                e_used[n_entries] = used
                e_next[n_entries] = -1
                n_entries += 1
                item_value[k + o] += m * times_used if mode == _EXPECTED else m * used
        reach = np.int64(0)
        for o in range(n_outputs):
            output_of[item_token[k + o]] = -1
            if mode == _INCLUSION and o_first[o] != o_last[o]:
                # The sum of the marginals counts segmentations with several occurrences more than once. The
                # occurrences exclude each other where all of them overlap: then the sum is right as it stands.
                entry, last_entry = o_first[o], o_last[o]
                last_arc = e_arc[last_entry]
                if arc_end[last_arc] - np.int64(arc_length[last_arc]) >= arc_end[e_arc[entry]]:
                    if n <= SHORT:
                        item_value[k + o] = _inclusion(
                            entry, last_entry, e_next, e_arc, e_used, base, arc_end, arc_length, share, marginal, g
                        )
                    else:
                        if reach == 0:
                            reach = np.int64(arc_length[base:behind].max())
                        item_value[k + o] = _inclusion_of_long(
                            entry, e_next, e_arc, e_used, base, arc_end, arc_length, share, marginal, g, reach
                        )
            if mode == _INCLUSION:
                item_value[k + o] = min(1.0, item_value[k + o])
        k += n_outputs
    item_ptr[last_pretoken - first_pretoken] = k

    touched = np.empty(n_tokens, dtype=np.int32)
    value_of = np.zeros(n_tokens)
    for y in range(first_sentence, last_sentence):
        n_touched = 0
        for i in range(sentence_ptr[y], sentence_ptr[y + 1]):
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
            c = sentence_count[y] * value_of[x]
            value_of[x] = 0.0
            repeated[x, 0] += c
            repeated[x, 1] += c * np.log(c)
    return single, repeated, log_likelihood


def shard_statistics(
    corpus: Corpus, logs: np.ndarray, shard: int, arcs: Arcs, weight: np.ndarray, fallback: Fallback, membership: str
) -> Statistics:
    """Statistics of one shard under the tokens' probabilities.

    Parameters
    ----------
    corpus, shard : which sentences.
    logs : what `log_counts` says of the corpus.
    arcs : the lattices of the corpus.
    weight : float64[n_tokens + n_alphabet], `scaled_weights` of the tokens, then of the characters' fallbacks.
    fallback : what the fallbacks are made of.
    membership : one of MEMBERSHIPS.
    """
    n_tokens = weight.size - fallback.log_prob.size
    single, repeated, log_likelihood = _shard_statistics(
        corpus.pretokens.ptr, corpus.shard_pretoken[shard], corpus.shard_pretoken[shard + 1],
        corpus.pretokens.count, logs,
        corpus.sentence_ptr, corpus.sentence_pretoken, corpus.sentence_count,
        corpus.shard_sentence[shard], corpus.shard_sentence[shard + 1],
        *arcs, weight, n_tokens, fallback.token, fallback.expected, fallback.inclusion, MEMBERSHIPS.index(membership),
    )  # fmt: skip
    counts = fold_fallback(single[:, 0] + repeated[:, 2], n_tokens, fallback)
    sums = single[:n_tokens] + repeated[:n_tokens, :2]
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

"""Branching entropy over whole sentences, as sums over shards (Thunder-Tok paper, section 3.3).

With integer counts c(y) of N units and m = P(x|y): a token's A0 = sum c m and A1 = sum c m log(c m) give

    P(x) = A0 / N  (eq. 5),  BE(x) = log A0 - A1 / A0  (eq. 1 and 4),  BE(x) P(x) = (A0 log A0 - A1) / N  (eq. 6).

P(x|y) is the probability that a segmentation of y contains x (`inclusion`), or the expected number of x in it
(`expected`); with `occurrence` each occurrence of x is a separate y.
"""

from typing import NamedTuple

import numpy as np

from engine._jit import inlined, kernel, subkernel
from engine.config import MEMBERSHIPS, N_BYTES
from engine.corpus.arrays import Corpus
from engine.exact_math import log
from engine.lattice.fallback import Fallback
from engine.lattice.passes import (
    LOG_CHARACTER,
    _backward,
    _begin,
    _block_end,
    _forward,
    _forward_block_scaled,
    _interleaved,
    _max_sizes,
    _normalise,
)
from engine.unigram.train.arcs import Arcs

# In pre-tokens of at most this many characters nothing between the occurrences is skipped.
SHORT = 512

# Relative change below which the effect of an occurrence is negligible; the sums keep 11 digits.
_SETTLED = 1e-13


_INCLUSION, _EXPECTED, _OCCURRENCE = range(3)

_NO_ENTROPY = 1e-12
_FEW = 16  # repeating arcs for which linear search is faster than a table


class ShardSums(NamedTuple):
    """Sums over the sentences of one or more shards, which share no sentence; `merge` adds them."""

    # float64[n_tokens + n_alphabet, 3]: A0, A1 and expected count of tokens and fallbacks.
    sums: np.ndarray
    log_likelihood: float  # sum of count x log Z, nats


class Statistics(NamedTuple):
    """Sums over all sentences; those of the fallbacks are added to their tokens."""

    sums: np.ndarray  # float64[n_tokens, 2], A0 and A1
    expected_count: np.ndarray  # float64[n_tokens]
    log_likelihood: float  # sum of count x log Z, nats
    n_tokens: float  # expected number of tokens in the corpus


class TokenStatistics(NamedTuple):
    """The statistics by which a pruning round ranks tokens."""

    sentence_prob: np.ndarray  # float64[n_tokens], P(x) of eq. 5
    branching_entropy: np.ndarray  # float64[n_tokens], nats


@kernel
def _log_counts(sentence_ptr, sentence_pretoken, sentence_count, n_pretokens):
    total = np.zeros(n_pretokens)
    for y in range(sentence_count.size):
        term = sentence_count[y] * log(np.float64(sentence_count[y]))
        for i in range(sentence_ptr[y], sentence_ptr[y + 1]):
            total[sentence_pretoken[i]] += term
    return total


def log_counts(corpus: Corpus) -> np.ndarray:
    """Sum of c(y) log c(y) over the occurrences of each pre-token in sentences y (float64[n_pretokens])."""
    return _log_counts(
        corpus.sentence_ptr, corpus.sentence_pretoken, corpus.sentence_count, corpus.pretokens.count.size
    )


class _Shard(NamedTuple):
    """A shard of the corpus, for the kernels."""

    first_pretoken: int
    last_pretoken: int
    first_sentence: int
    last_sentence: int
    ptr: np.ndarray  # int64[n_pretokens + 1], of the pre-tokens' characters
    count: np.ndarray  # type: ignore[assignment]  # int64[n_pretokens]; hides tuple.count, which is unused
    log_count: np.ndarray  # float64[n_pretokens], `log_counts`
    sentence_ptr: np.ndarray
    sentence_pretoken: np.ndarray
    sentence_count: np.ndarray


class _Items(NamedTuple):
    """Items `ptr[i]:ptr[i + 1]` are the distinct repeating tokens in pre-token i of the shard.

    `value` is the membership of the token in the pre-token.
    """

    ptr: np.ndarray  # int64[n_pretokens of the shard + 1]
    token: np.ndarray  # int32[n_items]
    value: np.ndarray  # float64[n_items]


class _Walk(NamedTuple):
    """Buffers for the passes over a block of pre-tokens, with one number per node, arc or pre-token."""

    alpha: np.ndarray
    visit: np.ndarray
    g: np.ndarray  # of one pre-token
    share: np.ndarray
    marginal: np.ndarray
    log_marginal: np.ndarray
    log_z: np.ndarray
    others: np.ndarray  # uint32, the repeating arcs, relative to the first arc of the block
    others_ptr: np.ndarray  # int64, offsets of the pre-tokens in `others`


class _Uses(NamedTuple):
    """Buffers for the uses of repeating tokens by the arcs of one pre-token: a linked list of uses per item."""

    arc: np.ndarray  # int64
    prob: np.ndarray  # float64, probability that a path over the arc uses the token
    next: np.ndarray  # int32, the item's next use, or -1
    first: np.ndarray  # int32, by item
    last: np.ndarray  # int32, by item
    item_of: np.ndarray  # int32[n_tokens], -1 for tokens outside this pre-token


@subkernel
def _buffers(shard, arcs, n_tokens):
    """Buffers for the items of the shard, and for the passes and uses of any of its pre-tokens."""
    first, last = shard.first_pretoken, shard.last_pretoken
    n_nodes, n_arcs, n_chars = _max_sizes(shard.ptr, arcs.first, arcs.stop, first, last)
    total = 0  # uses of tokens by repeating arcs; of the buffers for one pre-token only what it needs takes memory
    for p in range(first, last):
        for a in range(arcs.first[p], arcs.stop[p]):
            total += np.int64(arcs.repeats[a])
    items = _Items(
        np.empty(last - first + 1, dtype=np.int64), np.empty(total, dtype=np.int32), np.empty(total, dtype=np.float64)
    )
    walk = _Walk(
        np.empty(n_nodes),
        np.empty(n_nodes),
        np.empty(n_chars + 1),
        np.empty(n_arcs),
        np.empty(n_arcs),
        np.empty(n_arcs),
        np.empty(n_nodes),
        np.empty(n_arcs, dtype=np.uint32),
        np.empty(n_nodes, dtype=np.int64),
    )
    uses = _Uses(
        np.empty(total, dtype=np.int64),
        np.empty(total),
        np.empty(total, dtype=np.int32),
        np.empty(total, dtype=np.int32),
        np.empty(total, dtype=np.int32),
        np.full(n_tokens, -1, dtype=np.int32),
    )
    return items, walk, uses


@inlined
def _pass(shard, p, q, base, stop, arcs, weight, walk):
    """Both passes over the pre-tokens p..q-1, whose arcs are base..stop-1: marginals, their logarithms, log Z."""
    ptr = shard.ptr
    arc_first, arc_stop, arc_end, arc_length, arc_token, _ = arcs
    alpha, visit, _, share, marginal, log_marginal, log_z, _, _ = walk
    origin, n_nodes = np.uint64(ptr[p] + p), ptr[q] - ptr[p] + q - p
    _begin(ptr, p, q, alpha)
    if _forward(base, stop, origin, n_nodes, arc_end, arc_length, arc_token, weight, alpha, share):
        for r in range(p, q):
            log_z[r - p] = alpha[ptr[r + 1] - ptr[p] + r - p]
        for r in range(q - p):
            log_z[r] = log(log_z[r])
        for r in range(p, q):
            log_z[r - p] -= (ptr[r + 1] - ptr[r]) * LOG_CHARACTER
        _normalise(base, stop, origin, n_nodes, arc_end, alpha, share)
    else:
        _forward_block_scaled(ptr, p, q, arc_first, arc_stop, arc_end, arc_length, arc_token, weight, share, log_z)
    for v in range(n_nodes):
        visit[v] = 0.0
    for r in range(p, q):
        visit[ptr[r + 1] - ptr[p] + r - p] = 1.0
    _backward(base, stop, origin, arc_end, arc_length, share, visit, marginal)
    for i in range(stop - base):
        log_marginal[i] = log(marginal[i])


@inlined
def _add_single(p, q, base, shard, arcs, walk, sums):
    """Add the non-repeating arcs of the pre-tokens p..q-1, for all their sentences, and list the others.

    With m an arc's probability, sum c m = m C and sum c m log(c m) = m (C log m + L), C = sum c and L = sum c log c.
    Every arc adds something, if only 0: a branch would be mispredicted too often.
    """
    count, log_count = shard.count, shard.log_count
    arc_first, arc_stop, _, _, arc_token, arc_repeats = arcs
    marginal, log_marginal, others, others_ptr = walk.marginal, walk.log_marginal, walk.others, walk.others_ptr
    n_others = 0
    for r in range(p, q):
        others_ptr[r - p] = n_others
        times, log_times = np.float64(count[r]), log_count[r]
        for a in range(arc_first[r], arc_stop[r]):
            m = marginal[a - base]
            t = arc_token[a]
            is_single, is_used = arc_repeats[a] == 0, m > 0.0
            entropy = m * (times * log_marginal[a - base] + log_times)
            sums[t, 0] += m * times if is_single else 0.0
            sums[t, 1] += entropy if is_single & is_used else 0.0
            sums[t, 2] += m * times
            others[n_others] = a - base
            n_others += is_used & (not is_single)
    others_ptr[q - p] = n_others


@subkernel
def _add_occurrences(p, q, base, shard, arcs, walk, fallback, n_tokens, sums):
    """Add the tokens of the fallbacks, each use as a separate y; with `occurrence` nothing else repeats."""
    for r in range(p, q):
        times, log_times = np.float64(shard.count[r]), shard.log_count[r]
        for i in range(walk.others_ptr[r - p], walk.others_ptr[r - p + 1]):
            a, m = base + walk.others[i], walk.marginal[walk.others[i]]
            k = arcs.token[a] - n_tokens
            for s in range(arcs.repeats[a]):
                x = fallback.token[k, s]
                if x < 0:
                    break
                q_use = m * fallback.expected[k, s]
                sums[x, 0] += q_use * times
                sums[x, 1] += q_use * (times * log(q_use) + log_times)


@subkernel
def _add_pretokens(shard, arcs, weight, n_tokens, fallback, mode, walk, uses, items, sums):
    """Add the non-repeating arcs, and list the repeating tokens in `items`; returns the log likelihood of the shard.

    The tuples are unpacked once, and the code for each pre-token is inline: for a call or a field access Numba counts
    references, which costs as much as the work itself.
    """
    ptr, count = shard.ptr, shard.count
    arc_first, arc_stop, arc_end, arc_length, arc_token, arc_repeats = arcs
    _, _, g, share, marginal, _, log_z, others, others_ptr = walk
    use_arc, use_prob, use_next, use_first, use_last, item_of = uses
    item_ptr, item_token, item_value = items
    part, part_expected, part_inclusion = fallback.token, fallback.expected, fallback.inclusion
    log_likelihood = 0.0
    k = 0
    p = shard.first_pretoken
    while p < shard.last_pretoken:
        q = _block_end(p, shard.last_pretoken, arc_first, arc_stop)
        base = arc_first[p]
        _pass(shard, p, q, base, arc_stop[q - 1], arcs, weight, walk)
        _add_single(p, q, base, shard, arcs, walk, sums)
        if mode == _OCCURRENCE:
            _add_occurrences(p, q, base, shard, arcs, walk, fallback, n_tokens, sums)
        for r in range(p, q):
            item_ptr[r - shard.first_pretoken] = k
            log_likelihood += count[r] * log_z[r - p]
            if mode == _OCCURRENCE:
                continue
            # Group the others by token: an item's value is the sum over its uses.
            n_uses, n_items = 0, 0
            are_few = others_ptr[r - p + 1] - others_ptr[r - p] <= _FEW
            for j in range(others_ptr[r - p], others_ptr[r - p + 1]):
                a, m = base + others[j], marginal[others[j]]
                t = arc_token[a]
                for s in range(arc_repeats[a]):
                    x, expected, prob = t, 1.0, 1.0
                    if t >= n_tokens:
                        x = part[t - n_tokens, s]
                        if x < 0:
                            break
                        expected, prob = part_expected[t - n_tokens, s], part_inclusion[t - n_tokens, s]
                    i = np.int64(-1)
                    if are_few:
                        for other in range(n_items):
                            i = other if item_token[k + other] == x else i
                    else:
                        i = np.int64(item_of[x])
                    if i < 0:
                        i = n_items
                        n_items += 1
                        if not are_few:
                            item_of[x] = i
                        item_token[k + i] = x
                        item_value[k + i] = 0.0
                        use_first[i] = n_uses
                    else:
                        use_next[use_last[i]] = n_uses
                    use_last[i] = n_uses
                    use_arc[n_uses], use_prob[n_uses], use_next[n_uses] = a, prob, -1
                    n_uses += 1
                    item_value[k + i] += m * (expected if mode == _EXPECTED else prob)
            n, start = ptr[r + 1] - ptr[r], ptr[r] + r
            reach = np.int64(0)
            for i in range(n_items):
                if not are_few:
                    item_of[item_token[k + i]] = -1
                if mode != _INCLUSION:
                    continue
                # The sum counts segmentations with several occurrences more than once. It is exact if all occurrences
                # overlap, because they then exclude each other.
                use, last = use_first[i], use_last[i]
                if (
                    use != last
                    and arc_end[use_arc[last]] - np.int64(arc_length[use_arc[last]]) >= arc_end[use_arc[use]]
                ):
                    if n <= SHORT:
                        item_value[k + i] = _inclusion(
                            use, last, use_next, use_arc, use_prob, base, start, arc_end, arc_length, share, marginal, g
                        )
                    else:
                        if reach == 0:
                            for a in range(arc_first[r], arc_stop[r]):
                                reach = max(reach, np.int64(arc_length[a]))
                        item_value[k + i] = _inclusion_of_long(
                            use,
                            use_next,
                            use_arc,
                            use_prob,
                            base,
                            start,
                            arc_end,
                            arc_length,
                            share,
                            marginal,
                            g,
                            reach,
                        )
                item_value[k + i] = min(1.0, item_value[k + i])
            k += n_items
        p = q
    item_ptr[shard.last_pretoken - shard.first_pretoken] = k
    return log_likelihood


@subkernel
def _add_sentences(shard, items, n_tokens, is_expected, sums):
    """Add the repeating tokens: combine a token's memberships in the pre-tokens of each sentence."""
    sentence_ptr, sentence_pretoken, sentence_count = shard.sentence_ptr, shard.sentence_pretoken, shard.sentence_count
    item_ptr, item_token, item_value = items
    touched = np.empty(n_tokens + 1, dtype=np.int32)
    found = np.empty(n_tokens)
    log_found = np.empty(n_tokens)
    value_of = np.zeros(n_tokens)
    # 1 - (1 - value_of)(1 - value), written without cancellation; or the sum.
    overlap = 0.0 if is_expected else 1.0
    for y in range(shard.first_sentence, shard.last_sentence):
        n_touched = 0
        for i in range(sentence_ptr[y], sentence_ptr[y + 1]):
            p = sentence_pretoken[i] - shard.first_pretoken
            for j in range(item_ptr[p], item_ptr[p + 1]):
                x = item_token[j]
                before = value_of[x]
                after = before + item_value[j] * (1.0 - overlap * before)
                value_of[x] = after
                touched[n_touched] = x
                n_touched += (before == 0.0) & (after > 0.0)
        for i in range(n_touched):
            found[i] = sentence_count[y] * value_of[touched[i]]
            value_of[touched[i]] = 0.0
        for i in range(n_touched):
            log_found[i] = log(found[i])
        for i in range(n_touched):
            sums[touched[i], 0] += found[i]
            sums[touched[i], 1] += found[i] * log_found[i]


@kernel
def _shard_statistics(shard, arcs, tokens, weight, n_tokens, fallback, mode):
    """Sums over one shard and its log likelihood: first all pre-tokens, then the tokens that repeat in a sentence."""
    total = np.zeros((weight.size, 3))
    items, walk, uses = _buffers(shard, arcs, n_tokens)
    sums, weight = _interleaved(weight, tokens, 3)
    log_likelihood = _add_pretokens(shard, arcs, weight, n_tokens, fallback, mode, walk, uses, items, sums)
    _add_sentences(shard, items, n_tokens, mode == _EXPECTED, sums)
    for t in range(tokens.size):
        for k in range(3):
            total[tokens[t], k] = sums[t, k]
    return total, log_likelihood


def shard_statistics(
    corpus: Corpus,
    shard: int,
    arcs: Arcs,
    tokens: np.ndarray,
    logs: np.ndarray,
    weight: np.ndarray,
    fallback: Fallback,
    membership: str,
) -> ShardSums:
    """Sums over one shard under the tokens' probabilities.

    Parameters
    ----------
    corpus, shard : the sentences.
    arcs, tokens : the lattices of the corpus, and the shard's tokens from `number_tokens`.
    logs : `log_counts` of the corpus.
    weight : float64[n_tokens + n_alphabet], `scaled_weights` of the tokens, then of the fallbacks.
    fallback : the tokens of the fallbacks.
    membership : one of MEMBERSHIPS.
    """
    if fallback.token.max(initial=0) >= N_BYTES:  # bytes have their own numbers in every shard
        number = np.empty(weight.size, dtype=np.int32)
        number[tokens] = np.arange(tokens.size)
        fallback = fallback._replace(token=np.where(fallback.token < 0, fallback.token, number[fallback.token]))
    n_tokens = tokens.size - fallback.log_prob.size
    p0, p1 = corpus.shard_pretoken[shard : shard + 2].tolist()
    y0, y1 = corpus.shard_sentence[shard : shard + 2].tolist()
    sentences = (corpus.sentence_ptr, corpus.sentence_pretoken, corpus.sentence_count)
    own = _Shard(p0, p1, y0, y1, corpus.pretokens.ptr, corpus.pretokens.count, logs, *sentences)
    mode = MEMBERSHIPS.index(membership)
    sums, log_likelihood = _shard_statistics(own, arcs, tokens, weight, n_tokens, fallback, mode)
    return ShardSums(sums, float(log_likelihood))


def merge(a: ShardSums, b: ShardSums) -> ShardSums:
    """Sums over the union of two disjoint sets of sentences; overwrites `a`."""
    return ShardSums(np.add(a.sums, b.sums, out=a.sums), a.log_likelihood + b.log_likelihood)


@kernel
def _fold_fallback(expected, n_tokens, token, uses):
    counts = expected[:n_tokens].copy()
    for k in range(token.shape[0]):
        for s in range(token.shape[1]):
            if token[k, s] >= 0:
                counts[token[k, s]] += expected[n_tokens + k] * uses[k, s]
    total = 0.0
    for t in range(n_tokens):
        total += counts[t]
    return counts, total


def fold_fallback(expected: np.ndarray, n_tokens: int, fallback: Fallback) -> tuple[np.ndarray, float]:
    """Expected counts of the tokens, including those in fallbacks (with multiplicity), and their sum."""
    return _fold_fallback(expected, n_tokens, fallback.token, fallback.expected)


def finished(total: ShardSums, fallback: Fallback) -> Statistics:
    """Statistics of the corpus from the merged sums of its shards."""
    n_tokens = total.sums.shape[0] - fallback.log_prob.size
    counts, n_uses = fold_fallback(total.sums[:, 2].copy(), n_tokens, fallback)
    return Statistics(total.sums[:n_tokens, :2], counts, total.log_likelihood, n_uses)


@kernel
def _entropies(sums):
    entropy = np.zeros(sums.shape[0])
    for t in range(entropy.size):
        a0, a1 = sums[t, 0], sums[t, 1]
        if a0 > 0.0:
            found = log(a0) - a1 / a0
            # A token with a single context has no entropy; rounding may leave 1e-16.
            entropy[t] = found if found >= _NO_ENTROPY else 0.0
    return entropy


def token_statistics(statistics: Statistics, n_units: int) -> TokenStatistics:
    """P(x) and BE(x) (nats) from the merged sums; both are 0 for a token that never occurs."""
    return TokenStatistics(statistics.sums[:, 0] / n_units, _entropies(statistics.sums))


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

"""Neighbour entropy: how freely a token combines with the characters around it (Jin and Tanaka-Ishii 2006).

Counted over the best segmentations of the sentences, where the edge of a sentence is one neighbour. Neighbours in other
pre-tokens count as well. A token that the best segmentations do not use has none, and entropy 0.
"""

from typing import NamedTuple

import numpy as np

from engine._jit import kernel
from engine.corpus.arrays import Corpus
from engine.exact_math import log
from engine.lattice.fallback import Fallback, FallbackSpans, _write_fallback
from engine.lattice.passes import _search
from engine.unigram.train.arcs import Arcs

_CHARACTER_BITS = 21
_EDGE = 0x110000


class NeighbourCounts(NamedTuple):
    """How often each token or fallback has each neighbour on one side; integers, so that sums are exact in any order.

    The key of a pair is the token's number, shifted by 21 bits, plus the code point of the neighbour.
    """

    key: np.ndarray  # int64[n], ascending
    count: np.ndarray  # type: ignore[assignment]  # int64[n]; hides tuple.count, which is unused


class Neighbours(NamedTuple):
    """The pairs on both sides, of one or more shards."""

    left: NeighbourCounts
    right: NeighbourCounts


@kernel
def _cuts(chars, ptr, count, p0, p1, sentence_ptr, sentence_pretoken, sentence_count, y0, y1, arcs, tokens, log_weight):
    """Where two tokens of the best segmentations meet, or the last and the first of a sentence its edges.

    Returns the keys of the token before each cut with its right neighbour and of the token after it with its left
    neighbour, and how often the cut occurs.
    """
    n_chars = 0
    for p in range(p0, p1):
        n_chars = max(n_chars, ptr[p + 1] - ptr[p])
    best = np.empty(n_chars + 1)
    back = np.empty(n_chars + 1, dtype=np.int64)
    room = ptr[p1] - ptr[p0] + sentence_ptr[y1] - sentence_ptr[y0]
    before = np.empty(room, dtype=np.int64)
    after = np.empty(room, dtype=np.int64)
    times = np.empty(room, dtype=np.int64)
    first = np.empty(p1 - p0, dtype=np.int64)  # token of each pre-token, shifted
    last = np.empty(p1 - p0, dtype=np.int64)
    k = 0
    for p in range(p0, p1):
        v = ptr[p + 1] - ptr[p]
        _search(
            arcs.first[p], arcs.stop[p], ptr[p] + p, v, -1, arcs.end, arcs.length, arcs.token, log_weight, best, back
        )
        here = np.int64(tokens[arcs.token[back[v]]]) << _CHARACTER_BITS
        last[p - p0] = here
        v -= np.int64(arcs.length[back[v]])
        while v > 0:
            following, here = here, np.int64(tokens[arcs.token[back[v]]]) << _CHARACTER_BITS
            at = ptr[p] + v
            before[k], after[k], times[k] = here + chars[at], following + chars[at - 1], count[p]
            k += 1
            v -= np.int64(arcs.length[back[v]])
        first[p - p0] = here
    for y in range(y0, y1):
        begin, end = sentence_ptr[y], sentence_ptr[y + 1]
        if begin < end:
            p, q = sentence_pretoken[end - 1], sentence_pretoken[begin]
            before[k], after[k], times[k] = last[p - p0] + _EDGE, first[q - p0] + _EDGE, sentence_count[y]
            k += 1
        for i in range(begin + 1, end):
            p, q = sentence_pretoken[i - 1], sentence_pretoken[i]
            before[k], after[k] = last[p - p0] + chars[ptr[q]], first[q - p0] + chars[ptr[p + 1] - 1]
            times[k] = sentence_count[y]
            k += 1
    return before[:k], after[:k], times[:k]


@kernel
def _entropies(key, count, n_tokens):
    """Entropy (nats) of the neighbours of each token."""
    total = np.zeros(n_tokens)
    entropy = np.zeros(n_tokens)
    for i in range(key.size):
        total[key[i] >> _CHARACTER_BITS] += count[i]
    for i in range(key.size):
        t = key[i] >> _CHARACTER_BITS
        share = count[i] / total[t]
        entropy[t] -= share * log(share)
    return entropy


def shard_neighbours(corpus: Corpus, shard: int, arcs: Arcs, tokens: np.ndarray, log_weight: np.ndarray) -> Neighbours:
    """Neighbours in the best segmentations of the shard's sentences; fallbacks count as tokens of their own.

    Parameters
    ----------
    corpus, shard : the sentences.
    arcs, tokens : lattices of the corpus, and the shard's tokens from `number_tokens`.
    log_weight : log probabilities of tokens and fallbacks.
    """
    p0, p1 = corpus.shard_pretoken[shard : shard + 2]
    y0, y1 = corpus.shard_sentence[shard : shard + 2]
    sentences = (corpus.sentence_ptr, corpus.sentence_pretoken, corpus.sentence_count, y0, y1)
    before, after, times = _cuts(*corpus.pretokens, p0, p1, *sentences, arcs, tokens, log_weight[tokens])
    return Neighbours(_summed(after, times), _summed(before, times))


def _summed(key: np.ndarray, count: np.ndarray) -> NeighbourCounts:
    """One pair for each distinct key."""
    order = np.argsort(key)
    key = key[order]
    begin = np.flatnonzero(np.diff(key, prepend=-1))
    return NeighbourCounts(key[begin], np.add.reduceat(count[order], begin) if begin.size else begin)


def _joined(*sides: NeighbourCounts) -> NeighbourCounts:
    return _summed(np.concatenate([side.key for side in sides]), np.concatenate([side.count for side in sides]))


def add_neighbours(a: Neighbours, b: Neighbours) -> Neighbours:
    """The neighbours in the sentences of both."""
    return Neighbours(_joined(a.left, b.left), _joined(a.right, b.right))


def neighbour_entropy(neighbours: Neighbours, n_tokens: int, spans: FallbackSpans, fallback: Fallback) -> np.ndarray:
    """Mean of the left and the right entropy of each token (float64[n_tokens], nats).

    The tokens of a fallback have the neighbours of its character.
    """
    left, right = (_entropies(*_unfolded(side, n_tokens, spans, fallback), n_tokens) for side in neighbours)
    mean: np.ndarray = (left + right) / 2
    return mean


def _unfolded(side: NeighbourCounts, n_tokens: int, spans: FallbackSpans, fallback: Fallback) -> NeighbourCounts:
    """The pairs with fallbacks replaced by the tokens of their best segmentations."""
    is_fallback = side.key >= n_tokens << _CHARACTER_BITS
    parts = [NeighbourCounts(side.key[~is_fallback], side.count[~is_fallback])]
    path = np.empty(4, dtype=np.int32)
    character = (side.key[is_fallback] >> _CHARACTER_BITS) - n_tokens
    neighbour = side.key[is_fallback] & ((1 << _CHARACTER_BITS) - 1)
    numbers, begin = np.unique(character, return_index=True)
    for k, own in zip(numbers.tolist(), np.split(np.arange(character.size), begin[1:]), strict=False):
        n = _write_fallback(k, spans.n_bytes, spans.token, fallback.best_cuts, path, 0)
        for token in path[:n].tolist():
            parts.append(NeighbourCounts((token << _CHARACTER_BITS) + neighbour[own], side.count[is_fallback][own]))
    return _joined(*parts)

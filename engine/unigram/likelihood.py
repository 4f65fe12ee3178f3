"""The Unigram LM's pruning score: how much likelihood the corpus loses without a token (Kudo 2018, section 3.2).

As SentencePiece's trainer approximates it: the token's uses in the best segmentations are handed to the best
segmentation of its own text without it.
"""

import numpy as np

from engine._jit import kernel
from engine.corpus.arrays import Corpus
from engine.unigram.arcs import Arcs
from engine.unigram.em import _longest
from engine.unigram.fallback import Fallback, FallbackSpans


@kernel
def _viterbi(first, last, n, arc_end, arc_length, arc_token, log_weight, best, back):
    """Best log probability of every node of the pre-token and the arc it came over; ties: the earliest start."""
    for v in range(1, n + 1):
        best[v] = -np.inf
    best[0] = 0.0
    for a in range(first, last):
        v = arc_end[a]
        total = best[v - arc_length[a]] + log_weight[arc_token[a]]
        if total > best[v]:
            best[v] = total
            back[v] = a


@kernel
def _viterbi_counts(ptr, count, first, last, arc_first, arc_behind, arc_end, arc_length, arc_token, log_weight):
    """How often each token stands in the best segmentations of the pre-tokens first..last-1."""
    n_chars, _ = _longest(ptr, arc_first, arc_behind, first, last)
    best = np.empty(n_chars + 1)
    back = np.empty(n_chars + 1, dtype=np.int64)
    used = np.zeros(log_weight.size, dtype=np.int64)
    for p in range(first, last):
        n = ptr[p + 1] - ptr[p]
        _viterbi(arc_first[p], arc_behind[p], n, arc_end, arc_length, arc_token, log_weight, best, back)
        v = n
        while v > 0:
            used[arc_token[back[v]]] += count[p]
            v -= np.int64(arc_length[back[v]])
    return used


@kernel
def _write_fallback(k, n_bytes, span_token, best_cuts, path, n_path):
    """Append the tokens of the best way to write character k to `path`."""
    begin = 0
    for i in range(n_bytes[k]):
        if i == n_bytes[k] - 1 or (best_cuts[k] >> i) & 1:
            path[n_path] = span_token[k, begin, i + 1]
            n_path += 1
            begin = i + 1
    return n_path


@kernel
def _first_arc(arc_end, low, high, end):
    """The first of the arcs low..high-1 that ends at `end` or later; they are in order of their ends."""
    while low < high:
        middle = (low + high) // 2
        if arc_end[middle] < end:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _losses(
    n_tokens, pretoken, begin, length, character, freq,
    arc_first, arc_behind, arc_end, arc_length, arc_token, log_weight, n_bytes, span_token, best_cuts,
):  # fmt: skip
    """Loss of every token, which is the characters from `begin[t]` on of a pre-token (-1: it is not in the corpus).

    `character[t]` is the alphabet's number of a token that is one character, else -1.
    """
    longest = 1
    for t in range(n_tokens):
        longest = max(longest, length[t])
    best = np.empty(longest + 1)
    back = np.empty(longest + 1, dtype=np.int64)
    path = np.empty(4 * longest, dtype=np.int32)
    total = 0.0
    for t in range(n_tokens):
        total += freq[t]
    loss = np.zeros(n_tokens)
    for t in range(256, n_tokens):
        if freq[t] == 0 or pretoken[t] < 0:
            continue
        n_path = 0
        if length[t] == 1:
            n_path = _write_fallback(character[t], n_bytes, span_token, best_cuts, path, 0)
        else:
            # The token's own text is a stretch of the corpus, so the corpus' arcs inside it are its lattice.
            for v in range(1, length[t] + 1):
                best[v] = -np.inf
            best[0] = 0.0
            last = arc_behind[pretoken[t]]
            a = _first_arc(arc_end, arc_first[pretoken[t]], last, begin[t] + 1)
            while a < last and arc_end[a] <= begin[t] + length[t]:
                v = arc_end[a] - begin[t]
                u = v - np.int64(arc_length[a])
                if u >= 0 and arc_token[a] != t:
                    score = best[u] + log_weight[arc_token[a]]
                    if score > best[v]:
                        best[v] = score
                        back[v] = a
                a += 1
            v = length[t]
            while v > 0:
                x = arc_token[back[v]]
                if x < n_tokens:
                    path[n_path] = x
                    n_path += 1
                else:
                    n_path = _write_fallback(x - n_tokens, n_bytes, span_token, best_cuts, path, n_path)
                v -= np.int64(arc_length[back[v]])
        f = freq[t]
        log_total = np.log(total + f * (n_path - 1))
        log_alternative = 0.0
        for k in range(n_path):
            log_alternative += np.log(freq[path[k]] + f) - log_total
        loss[t] = f / total * (np.log(f) - np.log(total) - log_alternative)
    return loss


def viterbi_counts(corpus: Corpus, shard: int, arcs: Arcs, log_weight: np.ndarray) -> np.ndarray:
    """int64 per token and fallback: uses in the best segmentations of the shard's pre-tokens."""
    return _viterbi_counts(
        corpus.pretokens.ptr, corpus.pretokens.count, corpus.shard_pretoken[shard], corpus.shard_pretoken[shard + 1],
        *arcs[:5], log_weight,
    )  # fmt: skip


def fold_viterbi(used: np.ndarray, n_tokens: int, spans: FallbackSpans, fallback: Fallback) -> np.ndarray:
    """Uses of the tokens alone (float64[n_tokens]): a fallback's go to the tokens of its best way."""
    freq = used[:n_tokens].astype(np.float64)
    path = np.empty(4, dtype=np.int32)
    for k in np.flatnonzero(used[n_tokens:]).tolist():
        n = _write_fallback(k, spans.n_bytes, spans.token, fallback.best_cuts, path, 0)
        np.add.at(freq, path[:n], used[n_tokens + k])
    return freq


def likelihood_losses(
    corpus: Corpus,
    freq: np.ndarray,
    first: np.ndarray,
    length: np.ndarray,
    character: np.ndarray,
    arcs: Arcs,
    log_weight: np.ndarray,
    spans: FallbackSpans,
    fallback: Fallback,
) -> np.ndarray:
    """Likelihood loss of every token (float64[n_tokens], nats a token of the corpus); 0 for bytes and unused tokens.

    Parameters
    ----------
    corpus : where the tokens are from.
    freq : float64[n_tokens], uses in the best segmentations of the corpus.
    first, length : where each token first occurs in the corpus' characters, and its length there.
    character : int32[n_tokens], the alphabet's number of a token that is one character, else -1.
    arcs, log_weight : lattices of the corpus, log probabilities of tokens and fallbacks.
    """
    ptr = corpus.pretokens.ptr
    pretoken = np.searchsorted(ptr, first, side="right") - 1
    return _losses(
        freq.size, pretoken, first - ptr[pretoken], length, character, freq,
        *arcs[:5], log_weight, spans.n_bytes, spans.token, fallback.best_cuts,
    )  # fmt: skip

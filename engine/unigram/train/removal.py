"""The effect of removing each token: the Unigram LM's pruning score (Kudo 2018, section 3.2) and related scores.

As in SentencePiece's trainer, each use of the token in the best segmentations is replaced by the best segmentation of
the token's text without it.
"""

from typing import NamedTuple

import numpy as np

from engine._jit import kernel, subkernel
from engine.config import N_BYTES
from engine.corpus.arrays import Corpus, offsets
from engine.exact_math import log
from engine.lattice.fallback import Fallback, FallbackSpans, _write_fallback
from engine.lattice.passes import _search
from engine.unigram.train.arcs import Arcs


class Removal(NamedTuple):
    """Statistics of removing each token, for the scores that need them."""

    uses: np.ndarray  # float64[n_tokens], in the best segmentations of the corpus
    n_pieces: np.ndarray  # int64[n_tokens], of the best segmentation without it; 1 for bytes and unused tokens
    loss: np.ndarray  # float64[n_tokens], nats per token of the corpus; 0 for bytes and unused tokens


class PiecesWithout(NamedTuple):
    """The best segmentation of each token's text without it: `piece[ptr[t]:ptr[t + 1]]`, empty if not computed."""

    ptr: np.ndarray  # int64[n_tokens + 1]
    piece: np.ndarray  # int32


class Places(NamedTuple):
    """An occurrence of each token's text in the corpus; the arcs inside it are the lattice of the text."""

    shard: np.ndarray  # int64[n_tokens]
    pretoken: np.ndarray  # int64[n_tokens], -1: not in the corpus
    begin: np.ndarray  # int64[n_tokens], node
    length: np.ndarray  # int64[n_tokens], characters
    character: np.ndarray  # int32[n_tokens], index in the alphabet of a token that is one character, else -1


def places(corpus: Corpus, first: np.ndarray, length: np.ndarray, character: np.ndarray) -> Places:
    """Places of the tokens whose texts begin at the characters `first` of the corpus (-1: nowhere)."""
    pretoken = np.searchsorted(corpus.pretokens.ptr, first, side="right") - 1
    shard = np.searchsorted(corpus.shard_pretoken, pretoken, side="right") - 1
    return Places(shard, pretoken, first + pretoken, length, character)


@subkernel
def _first_arc(arc_end, low, high, end):
    """The first of the arcs low..high-1, which are sorted by end, that ends at `end` or later."""
    while low < high:
        middle = (low + high) // 2
        if arc_end[middle] < end:
            low = middle + 1
        else:
            high = middle
    return low


@subkernel
def _bounds(is_wanted, length):
    """Length of the longest wanted token, and an upper bound of the total number of pieces."""
    longest, n_pieces = 1, 0
    for t in range(is_wanted.size):
        if is_wanted[t]:
            longest = max(longest, length[t])
            n_pieces += 4 * length[t]
    return longest, n_pieces


@kernel
def _pieces_without(is_wanted, places, arcs, tokens, tokens_ptr, log_weight, spans, best_cuts):
    """`ptr` and `piece` of PiecesWithout; a token's last piece comes first.

    `tokens[tokens_ptr[k]:]` are those of shard k by number, and `log_weight` what they weigh.
    """
    n_tokens = is_wanted.size
    longest, room = _bounds(is_wanted, places.length)
    best = np.empty(longest + 1)
    back = np.empty(longest + 1, dtype=np.int64)
    ptr = np.zeros(n_tokens + 1, dtype=np.int64)
    piece = np.empty(room, dtype=np.int32)
    k = 0
    for t in range(n_tokens):
        if is_wanted[t]:
            v = places.length[t]
            if v == 1:
                k = _write_fallback(places.character[t], spans.n_bytes, spans.token, best_cuts, piece, k)
                v = 0
            else:
                p, begin = places.pretoken[t], places.begin[t]
                first = _first_arc(arcs.end, arcs.first[p], arcs.stop[p], begin + 1)
                last = _first_arc(arcs.end, first, arcs.stop[p], begin + v + 1)
                whole = last - 1  # the arc of the token
                while arcs.length[whole] != v:
                    whole -= 1
                base = tokens_ptr[places.shard[t]]
                weight = log_weight[base:]
                without = arcs.token[whole]
                _search(first, last, begin, v, without, arcs.end, arcs.length, arcs.token, weight, best, back)
            while v > 0:
                x = tokens[base + arcs.token[back[v]]]
                if x < n_tokens:
                    piece[k] = x
                    k += 1
                else:
                    k = _write_fallback(x - n_tokens, spans.n_bytes, spans.token, best_cuts, piece, k)
                v -= np.int64(arcs.length[back[v]])
        ptr[t + 1] = k
    return ptr, piece[:k].copy()


@kernel
def _losses(uses, ptr, piece):
    """Likelihood loss of each token with pieces: its uses move to them, which changes all probabilities."""
    total = 0.0
    for t in range(uses.size):
        total += uses[t]
    loss = np.zeros(uses.size)
    for t in range(uses.size):
        n_pieces = ptr[t + 1] - ptr[t]
        if n_pieces == 0:
            continue
        log_total = log(total + uses[t] * (n_pieces - 1))
        log_alternative = 0.0
        for k in range(ptr[t], ptr[t + 1]):
            log_alternative += log(uses[piece[k]] + uses[t]) - log_total
        loss[t] = uses[t] / total * (log(uses[t]) - log(total) - log_alternative)
    return loss


def pieces_without(
    is_wanted: np.ndarray,
    places: Places,
    arcs: Arcs,
    tokens: list[np.ndarray],
    log_weight: np.ndarray,
    spans: FallbackSpans,
    fallback: Fallback,
) -> PiecesWithout:
    """Best segmentations of the wanted tokens without themselves.

    Parameters
    ----------
    is_wanted : bool[n_tokens]; bytes and tokens without a place are ignored.
    places : occurrences of the tokens' texts.
    arcs, tokens : lattices of the corpus, and each shard's tokens from `number_tokens`.
    log_weight : log probabilities of tokens and fallbacks.
    spans, fallback : the fallbacks.
    """
    is_wanted = is_wanted & (places.pretoken >= 0)
    is_wanted[:N_BYTES] = False
    every = np.concatenate(tokens)
    given = (places, arcs, every, offsets([part.size for part in tokens]), log_weight[every], spans, fallback.best_cuts)
    return PiecesWithout(*_pieces_without(is_wanted, *given))


def removal(uses: np.ndarray, pieces: PiecesWithout) -> Removal:
    """The effect of removing each token; `uses` (float64[n_tokens]) are from the best segmentations of the corpus."""
    return Removal(uses, np.maximum(np.diff(pieces.ptr), 1), _losses(uses, *pieces))

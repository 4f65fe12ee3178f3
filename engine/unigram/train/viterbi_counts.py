"""Token counts in the best segmentations of the corpus."""

import numpy as np

from engine._jit import kernel
from engine.corpus.arrays import Corpus
from engine.lattice.fallback import Fallback, FallbackSpans, _write_fallback
from engine.lattice.viterbi import _search
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


def viterbi_counts(corpus: Corpus, shard: int, arcs: Arcs, log_weight: np.ndarray) -> np.ndarray:
    """int64 per token and fallback: uses in the best segmentations of the shard's pre-tokens."""
    first, last = corpus.shard_pretoken[shard : shard + 2]
    return _viterbi_counts(corpus.pretokens.ptr, corpus.pretokens.count, first, last, arcs, log_weight)


def fold_viterbi(used: np.ndarray, n_tokens: int, spans: FallbackSpans, fallback: Fallback) -> np.ndarray:
    """Uses of the tokens (float64[n_tokens]), with fallbacks replaced by the tokens of their best segmentations."""
    uses = used[:n_tokens].astype(np.float64)
    path = np.empty(4, dtype=np.int32)
    for k in np.flatnonzero(used[n_tokens:]).tolist():
        n = _write_fallback(k, spans.n_bytes, spans.token, fallback.best_cuts, path, 0)
        np.add.at(uses, path[:n], used[n_tokens + k])
    return uses

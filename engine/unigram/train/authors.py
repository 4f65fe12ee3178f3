"""Thunder-Tok as its authors' program trains it, ThunderTok.patch of mcrl/Thunder-LLM-Toolkit for tokenizers 0.21.0.

Written from a description of the program and from what it computes, to which every round is equal (tests). What it does
that neither the paper nor `trainer` does:

- Candidates are the internal nodes of the suffix tree over the bytes of the distinct pre-tokens, cut to whole words if
  they contain a space, and whole pre-tokens that begin with a space. A candidate's count is that of the most frequent
  node cut to it; the seed `authors-misread` reads the counts where the program does by mistake (see `_counts`).
- Lattices are over bytes: a token competes with the bytes of its characters. A byte that is no token costs 10 nats more
  than the least probable token.
- A context of the branching entropy is one place in a distinct pre-token. So a token that always is a whole pre-token
  has one context, and no entropy.
- Tokens expected less than half a time are dropped in every M step, and tokens that no best segmentation uses in every
  round, which prunes by entropies from before its last M step.
- Rounds end at 1.1 times the size. What is too much then is cut in the order of the last round, and bytes of the text
  that are no tokens come back, each a little more probable than the one before it.

Equal scores keep the order of the seed vocabulary (`_rank`). Few are equal to the last bit, so that what rounding adds
decides: logarithms are rounded to the nearest float64, and sums are in the order of the program. Only two orders of the
program depend on a hash table: that of its pre-tokens, here as they are first seen, and that of its bytes, here by
count.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from engine._jit import inlined, kernel, subkernel
from engine.config import AUTHORS_MISREAD, N_BYTES, TrainingSettings
from engine.corpus.arrays import Corpus
from engine.corpus.pretokens.pretokenize import text_of, utf8_offsets
from engine.exact_math import LOG2, nearest_exp, nearest_log, nearest_log2
from engine.merges.alphabet import BYTE_ORDER
from engine.progress import Progress
from engine.pruning_rounds import Round
from engine.unigram.train.pruning import LEAST_COUNT
from engine.unigram.train.seed import SeedVocabulary
from engine.unigram.train.trainer import Trainer
from engine.vocabulary.trie import _child, build_trie

_END = 256  # symbols from here on are the ends of the pre-tokens
_BELOW_LEAST = 10.0  # nats between the least probable token and a byte that is none
_STEP_OF_BYTES = 0.0001  # nats between the bytes that come back

# Place of each byte in the order of GPT-2's letters for them.
_LETTERS = bytes(BYTE_ORDER.index(byte) for byte in range(N_BYTES))


class AuthorsTrainer(Trainer):
    """Trains as the authors' program does: every E step is a round, the last one over the final vocabulary.

    The final size is smaller than asked for if fewer tokens are left.

    Parameters
    ----------
    corpus : cut into pre-tokens, with pre-tokens as contexts.
    settings : of the preset `authors`; `min_count` is not used.

    Raises
    ------
    InputError : the vocabulary size is outside the feasible range, which the message names.
    """

    def __init__(self, corpus: Corpus, settings: TrainingSettings) -> None:
        self._facts, self._settings = corpus.facts, settings
        chars, ptr, count = corpus.pretokens
        self._weight: np.ndarray = count  # of the pre-tokens
        text, offsets = text_of(chars).encode(), utf8_offsets(chars)
        self._ptr = offsets[ptr]
        self._codes = np.frombuffer(text, dtype=np.uint8).astype(np.int32)
        byte_count = np.bincount(self._codes, np.repeat(self._weight, np.diff(self._ptr)), N_BYTES)
        candidates = _candidates(self._codes, self._ptr, self._weight, settings)
        ranked = sorted(
            filter(candidates.get, candidates), key=lambda token: _rank(token, candidates[token]), reverse=True
        )
        ranked = ranked[: settings.max_seed - int((byte_count > 0).sum())]
        every = [bytes([byte]) for byte in range(N_BYTES)] + sorted(set(ranked) - {b" "})
        row = {token: number for number, token in enumerate(every)}
        size = np.array([len(token) for token in every], dtype=np.int64)
        weight = np.concatenate([byte_count, [float(candidates[token]) for token in every[N_BYTES:]]])
        self._total = float(weight.sum())
        if b" " in ranked:  # a token twice, as a byte and as a pre-token, of which the second counts
            self._total += candidates[b" "]
            weight[ord(" ")] = candidates[b" "]
        by_count = np.argsort(-byte_count, kind="stable")[: int((byte_count > 0).sum())]
        chosen = np.array([row[token] for token in ranked], dtype=np.int64)
        self._order = np.concatenate([by_count[~np.isin(by_count, chosen)], chosen])
        self._seen = np.flatnonzero(byte_count)
        self._seed = SeedVocabulary(
            blob=np.frombuffer(b"".join(every), dtype=np.uint8),
            ptr=np.concatenate([[0], np.cumsum(size)]),
            weight=weight,
            first=np.empty(0, dtype=np.int64),
            length=np.array([len(token.decode(errors="ignore")) for token in every], dtype=np.int64),
            alphabet=np.empty(0, dtype=np.int32),
            alphabet_count=np.empty(0, dtype=np.int64),
            character_row=np.empty(0, dtype=np.int32),
        )
        texts = [token.decode("latin-1") for token in every]
        self._trie = build_trie(texts, np.arange(len(texts), dtype=np.int32))
        self._longest = int(size.max())
        self._n_special = len(settings.special_tokens)
        self.feasible = (N_BYTES + self._n_special, len(every) + self._n_special)
        self._check_size()
        self._target = settings.vocab_size - self._n_special - (N_BYTES - self._seen.size)
        self._rounds: list[Round] = []
        self._died = np.full(len(every), -1, dtype=np.int16)

    def rounds(self) -> Iterator[Progress]:
        """Train; yields a report after each E step. The last one (`is_last`) removes nothing."""
        kept = self._order
        log_prob = self._spread(kept, _first_log_prob(self._seed.weight[kept], self._total))
        most = self._target * 11 // 10 - 1
        is_last = False
        while not is_last:
            for step in range(1, self._settings.sub_iterations + 1):
                before, given = kept, log_prob
                expectations = self._expect(given)
                kept = before[expectations.occurrences[before] >= LEAST_COUNT]
                log_prob = self._spread(kept, _maximise(expectations.occurrences[kept]))
                if step < self._settings.sub_iterations:
                    yield self._report(before, given, expectations, kept)
            is_last = kept.size <= most
            threshold = None
            if not is_last:
                ranked = self._ranked(kept, log_prob, expectations)
                size = max(int((kept.size + 1) * (1.0 - self._settings.shrink)) - 1, most, (kept < N_BYTES).sum())
                is_last = min(size, ranked.size) == kept.size
                threshold = ranked[size] if size < ranked.size else None
                kept = ranked[:size]
                log_prob = self._spread(kept, log_prob[kept])
            if is_last:
                kept, log_prob = self._final(kept, log_prob)
            yield self._report(before, given, expectations, kept, threshold)
        yield self._report(kept, log_prob, self._expect(log_prob), kept, is_last=True)

    def _spread(self, order: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Log probabilities of all rows from those of some; of a row that is none of them -inf, of a byte the least."""
        log_prob = np.full(self._died.size, -np.inf)
        log_prob[:N_BYTES] = values.min() - _BELOW_LEAST
        log_prob[order] = values
        return log_prob

    def _expect(self, log_prob: np.ndarray) -> "_Expectations":
        """E step."""
        return _Expectations(*_expect(self._codes, self._ptr, self._weight, *self._trie, self._longest, log_prob))

    def _ranked(self, kept: np.ndarray, log_prob: np.ndarray, expectations: "_Expectations") -> np.ndarray:
        """The tokens that a round does not drop as unused: bytes, then by falling score."""
        used = _used(self._codes, self._ptr, *self._trie, self._longest, log_prob)
        rest = kept[(kept >= N_BYTES) & used[kept]]
        score = (expectations.entropy * expectations.occurrences)[rest]
        return np.concatenate([kept[kept < N_BYTES], rest[np.argsort(-score, kind="stable")]])

    def _final(self, kept: np.ndarray, log_prob: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Cut to the size, and bring back the bytes of the text; rows and log probabilities."""
        missing = np.setdiff1d(self._seen, kept)
        tokens = kept[kept >= N_BYTES][: self._target - self._seen.size]
        after = self._spread(kept, log_prob[kept])
        after[missing] = log_prob[kept].min() + _STEP_OF_BYTES * np.arange(missing.size)
        final = np.concatenate([self._seen, tokens])
        after[np.setdiff1d(kept, final)] = -np.inf
        return final, after

    def _report(
        self,
        before: np.ndarray,
        log_prob: np.ndarray,
        expectations: "_Expectations",
        kept: np.ndarray,
        threshold: int | None = None,
        is_last: bool = False,
    ) -> Progress:
        """Store a round: its tokens and what becomes of them; `threshold` is the best token that it prunes."""
        number = len(self._rounds)
        every = np.arange(N_BYTES)
        alive, after = np.union1d(every, before), np.union1d(every, kept)
        self._died[np.setdiff1d(alive, after)] = number
        p, be = expectations.occurrences / self._facts.n_units, np.maximum(expectations.entropy, 0.0) * LOG2
        report = Progress(
            number=number,
            vocab_size=alive.size + self._n_special,
            objective=-expectations.log_likelihood / self._facts.n_units,
            n_tokens=float(expectations.occurrences.sum()),
            threshold=None if threshold is None else float(p[threshold] * be[threshold]),
            n_removed=alive.size - after.size,
            is_last=is_last,
        )
        self._rounds.append(Round(report, log_prob[alive], p[alive], be[alive], None))
        return report


class _Expectations(NamedTuple):
    """What an E step expects."""

    occurrences: np.ndarray  # float64[n_rows]
    entropy: np.ndarray  # float64[n_rows], branching entropy in bits
    log_likelihood: float  # nats


def _candidates(codes: np.ndarray, ptr: np.ndarray, count: np.ndarray, settings: TrainingSettings) -> dict[bytes, int]:
    """The candidates of several bytes, and a space that is a pre-token, with their counts."""
    size = np.diff(ptr)
    n = codes.size + size.size
    begin = ptr[:-1] + np.arange(size.size)  # of the pre-tokens in the text with their ends
    is_end = np.zeros(n, dtype=bool)
    is_end[begin + size] = True
    symbols = np.empty(n, dtype=np.int32)
    symbols[~is_end], symbols[is_end] = codes, _END + np.arange(size.size)
    suffixes = _suffixes(symbols)
    counts = _counts(symbols, np.repeat(count, size + 1) * ~is_end, settings)
    below = np.concatenate([[0], np.cumsum(counts[suffixes])])
    found = _nodes(symbols, suffixes, _common(symbols, suffixes), below, settings.max_token_bytes)
    data = np.minimum(symbols, 0xFF).astype(np.uint8).tobytes()
    candidates: dict[bytes, int] = {}
    for a, b, occurrences in zip(*(column.tolist() for column in found), strict=True):
        token = data[a:b]
        candidates[token] = max(occurrences, candidates.get(token, 0))
    whole = (symbols[begin] == ord(" ")) & (size < settings.max_token_bytes)
    for a, b, occurrences in zip(begin[whole].tolist(), size[whole].tolist(), count[whole].tolist(), strict=True):
        token = data[a : a + b]
        candidates[token] = max(occurrences, candidates.get(token, 0))
    return candidates


def _rank(token: bytes, count: int) -> tuple[int, bytes]:
    """What the program sorts by, descending: count x length in bytes, then its letters for the bytes (`_counts`)."""
    return count * len(token), token.translate(_LETTERS)


def _counts(symbols: np.ndarray, count: np.ndarray, settings: TrainingSettings) -> np.ndarray:
    """The count of the pre-token around each symbol (int64[n]), or what the program reads instead.

    It writes bytes as printable letters, as GPT-2 does, stores a count for each byte of these letters, most of which
    have two, and reads one for each letter: so a count belongs to an earlier pre-token, further and further away.
    """
    if settings.seed_vocabulary != AUTHORS_MISREAD:
        return count
    is_two = (symbols < _END) & ((symbols < ord("!")) | (symbols > ord("~")))
    return np.repeat(count, 1 + is_two)[: count.size]


def _suffixes(symbols: np.ndarray) -> np.ndarray:
    """Begins of the suffixes (int64[n]), sorted; none is a prefix of another (Manber and Myers 1993)."""
    rank, length = np.unique(symbols, return_inverse=True)[1], 1
    while True:
        pairs = rank * (symbols.size + 1)
        pairs[:-length] += rank[length:] + 1
        order = np.argsort(pairs, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.cumsum(np.diff(pairs[order], prepend=pairs[order[0]]) != 0)
        if rank[order[-1]] == symbols.size - 1:
            return order
        length *= 2


@kernel
def _common(symbols, suffixes):
    """Length of the common prefix of each suffix and the one sorted before it (Kasai et al. 2001)."""
    n = suffixes.size
    rank = np.empty(n, dtype=np.int64)
    for k in range(n):
        rank[suffixes[k]] = k
    common = np.zeros(n + 1, dtype=np.int64)
    length = 0
    for i in range(n):
        if rank[i] > 0:
            j = suffixes[rank[i] - 1]
            while max(i, j) + length < n and symbols[i + length] == symbols[j + length]:
                length += 1
            common[rank[i]] = length
            length = max(length - 1, 0)
        else:
            length = 0
    return common


@kernel
def _nodes(symbols, suffixes, common, below, most_bytes):
    """The internal nodes of the suffix tree, cut: begin and end in the text, and their counts.

    Only those of whole characters, of 2 to `most_bytes` bytes. `below[k]` is the count of the first k suffixes.
    """
    n = suffixes.size
    nodes = np.empty((n, 3), dtype=np.int64)
    depth, left = np.empty(n + 1, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    depth[0] = left[0] = 0
    top, k = 0, 0
    for right in range(1, n + 1):
        first = right - 1
        while depth[top] > common[right]:
            first = left[top]
            a, b = suffixes[first], suffixes[first] + depth[top]
            top -= 1
            space, last_space = -1, -1
            for i in range(a, b):
                if symbols[i] == 32:
                    space, last_space = i if space < 0 else space, i
            if space >= 0:  # whole words: from the first space to before the last, if there are two
                a, b = space, last_space if last_space > space else b
            is_whole = symbols[a] >> 6 != 2 and symbols[b] >> 6 != 2  # no byte 10xxxxxx
            if is_whole and 1 < b - a <= most_bytes:
                nodes[k] = a, b, below[right] - below[first]
                k += 1
        if depth[top] < common[right]:
            top += 1
            depth[top], left[top] = common[right], first
    return nodes[:k, 0].copy(), nodes[:k, 1].copy(), nodes[:k, 2].copy()


@inlined
def _log_sum(a, b):
    """log(e^a + e^b), with a or b -inf or both finite."""
    high, low = max(a, b), min(a, b)
    return high if low < high - 50.0 else high + nearest_log(nearest_exp(low - high) + 1.0)


@subkernel
def _arcs(codes, begin, n, keys, children, token, log_prob, arc_first, arc_end, arc_token):
    """Write the arcs of a pre-token by their begins, shortest first; those from node i are from `arc_first[i]` on."""
    k = 0
    for i in range(n):
        arc_first[i] = k
        node = 0
        for j in range(i, n):
            node = _child(keys, children, node, codes[begin + j])
            if node < 0:
                break
            t = token[node]
            if t >= 0 and log_prob[t] > -np.inf:
                arc_end[k], arc_token[k] = j + 1, t
                k += 1
    arc_first[n] = k


@kernel
def _expect(codes, ptr, count, keys, children, token, longest, log_prob):
    """Expected counts, branching entropies in bits, and the log likelihood."""
    n_nodes = 1
    for p in range(count.size):
        n_nodes = max(n_nodes, ptr[p + 1] - ptr[p] + 1)
    alpha, beta = np.empty(n_nodes), np.empty(n_nodes)
    arc_first = np.empty(n_nodes, dtype=np.int64)
    arc_end, arc_token = np.empty(n_nodes * longest, dtype=np.int64), np.empty(n_nodes * longest, dtype=np.int64)
    expected, log_expected, entropy = np.zeros(log_prob.size), np.zeros(log_prob.size), np.zeros(log_prob.size)
    log_likelihood = 0.0
    for entropies in range(2):
        for p in range(count.size):
            n = ptr[p + 1] - ptr[p]
            _arcs(codes, ptr[p], n, keys, children, token, log_prob, arc_first, arc_end, arc_token)
            alpha[0] = beta[n] = 0.0
            alpha[1 : n + 1] = beta[:n] = -np.inf
            for i in range(n):
                for a in range(arc_first[i], arc_first[i + 1]):
                    v = arc_end[a]
                    alpha[v] = _log_sum(alpha[v], log_prob[arc_token[a]] + alpha[i])
            for i in range(n - 1, -1, -1):
                for a in range(arc_first[i], arc_first[i + 1]):
                    beta[i] = _log_sum(beta[i], log_prob[arc_token[a]] + beta[arc_end[a]])
            for i in range(n):
                for a in range(arc_first[i], arc_first[i + 1]):
                    t = arc_token[a]
                    log_share = alpha[i] + log_prob[t] + beta[arc_end[a]] - alpha[n]
                    if log_share < -700.0:
                        continue
                    here = nearest_exp(log_share) * count[p]
                    if entropies:
                        entropy[t] -= here / expected[t] * (nearest_log2(here) - log_expected[t])
                    else:
                        expected[t] += here
            if not entropies:
                log_likelihood += count[p] * alpha[n]
        for t in range(log_prob.size):
            if expected[t] > 0.0:
                log_expected[t] = nearest_log2(expected[t])
    return expected, entropy, log_likelihood


@kernel
def _used(codes, ptr, keys, children, token, longest, log_prob):
    """Whether the best segmentations of the pre-tokens use each row (bool[n_rows])."""
    n_nodes = 1
    for p in range(ptr.size - 1):
        n_nodes = max(n_nodes, ptr[p + 1] - ptr[p] + 1)
    best = np.empty(n_nodes)
    back = np.empty((n_nodes, 2), dtype=np.int64)
    arc_first = np.empty(n_nodes, dtype=np.int64)
    arc_end, arc_token = np.empty(n_nodes * longest, dtype=np.int64), np.empty(n_nodes * longest, dtype=np.int64)
    used = np.zeros(log_prob.size, dtype=np.bool_)
    for p in range(ptr.size - 1):
        n = ptr[p + 1] - ptr[p]
        _arcs(codes, ptr[p], n, keys, children, token, log_prob, arc_first, arc_end, arc_token)
        best[0] = 0.0
        best[1 : n + 1] = -np.inf
        for i in range(n):
            for a in range(arc_first[i], arc_first[i + 1]):
                through = best[i] + log_prob[arc_token[a]]
                if through > best[arc_end[a]]:
                    best[arc_end[a]] = through
                    back[arc_end[a]] = i, arc_token[a]
        while n > 0:
            used[back[n, 1]] = True
            n = back[n, 0]
    return used


@inlined
def _digamma(x):
    """Digamma function as the program computes it: by recurrence up to 7, and the series about x - 1/2."""
    result = 0.0
    while x < 7.0:
        result -= 1.0 / x
        x += 1.0
    x -= 0.5
    y = 1.0 / x
    y *= y
    z = y * y
    return result + (
        nearest_log(x) + 1.0 / 24.0 * y - 7.0 / 960.0 * z + 31.0 / 8064.0 * z * y - 127.0 / 30720.0 * z * z
    )


@kernel
def _maximise(expected):
    """M step: log probabilities, not normalised."""
    total = 0.0
    for k in range(expected.size):
        total += expected[k]
    log_prob = np.empty(expected.size)
    for k in range(expected.size):
        log_prob[k] = _digamma(expected[k]) - _digamma(total)
    return log_prob


@kernel
def _first_log_prob(weight, total):
    log_prob = np.empty(weight.size)
    for k in range(weight.size):
        log_prob[k] = nearest_log(weight[k]) - nearest_log(total)
    return log_prob

"""All segmentations of one text: the lattice that the explorer shows, and everything that can be asked of it.

Probabilities are those of Kudo (2018): P(seg) is the product of its tokens' probabilities, P(seg | text) that
divided by the sum over all segmentations.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from engine._jit import kernel
from engine.corpus.pretokenize import to_codes
from engine.errors import InputError
from engine.unigram.em import _forward, _forward_scaled, _marginals, scaled_weights
from engine.unigram.fallback import Fallback
from engine.unigram.trie import _child
from engine.unigram.viterbi import _viterbi
from engine.unigram.vocabulary import Vocabulary


class Path(NamedTuple):
    """One segmentation: arcs in order, log probability (nats), and its posterior probability."""

    arcs: tuple[int, ...]
    log_prob: float
    posterior: float


class Candidate(NamedTuple):
    """One way to arrive at a node: over `arc`, from `begin`, where the best so far is `before` (nats)."""

    arc: int
    begin: int
    before: float
    total: float
    is_winner: bool
    is_tie: bool


class ViterbiStep(NamedTuple):
    """One cell of the Viterbi table: the candidates of the node `end`, and the best total."""

    end: int
    candidates: list[Candidate]
    best: float


@kernel
def _find_arcs(codes, bounds, keys, children, node_token, alphabet, n_tokens, always_fall_back, begin, end, token):
    """Write all arcs; with arrays of size 0 only count them."""
    n = 0
    write = begin.size > 0
    for b in range(bounds.size - 1):
        for u in range(bounds[b], bounds[b + 1]):
            node = 0
            single = False
            for v in range(u + 1, bounds[b + 1] + 1):
                node = _child(keys, children, node, codes[v - 1])
                if node < 0:
                    break
                if node_token[node] >= 0:
                    single = single or v == u + 1
                    if write:
                        begin[n], end[n], token[n] = u, v, node_token[node]
                    n += 1
            if codes[u] >= 0x80 and (always_fall_back or not single):
                if write:
                    begin[n], end[n], token[n] = u, u + 1, n_tokens + np.searchsorted(alphabet, codes[u])
                n += 1
    return n


@kernel
def _nbest(n, k, arc_ptr, begin, log_weight, scores, arcs, ranks):
    """The k best ways to every node: score, last arc, and the rank of the rest of the way at that arc's begin."""
    scores[0, 0] = 0.0
    for v in range(1, n + 1):
        size = 0
        for a in range(arc_ptr[v - 1], arc_ptr[v]):
            for rank in range(k):
                before = scores[begin[a], rank]
                if before == -np.inf:
                    break
                total = before + log_weight[a]
                if size == k and total <= scores[v, k - 1]:
                    break
                at = min(size, k - 1)
                while at > 0 and scores[v, at - 1] < total:
                    scores[v, at] = scores[v, at - 1]
                    arcs[v, at] = arcs[v, at - 1]
                    ranks[v, at] = ranks[v, at - 1]
                    at -= 1
                scores[v, at] = total
                arcs[v, at] = a
                ranks[v, at] = rank
                size = min(size + 1, k)


@kernel
def _sample(n, arc_ptr, begin, share, uniform, path):
    """One segmentation from the end backwards; `share[a]` is the arc's part of its node's forward sum."""
    k = 0
    v = n
    while v > 0:
        left = uniform[k]
        chosen = arc_ptr[v] - 1
        for a in range(arc_ptr[v - 1], arc_ptr[v]):
            left -= share[a]
            if left < 0.0:
                chosen = a
                break
        path[k] = chosen
        k += 1
        v = begin[chosen]
    return k


class Lattice:
    """The lattice of one text over a vocabulary.

    Arcs are sorted by end, then by begin; positions are code points, half-open.

    Attributes
    ----------
    text : str of `n` code points.
    begin, end : int64[n_arcs].
    number : int32[n_arcs], the token in the vocabulary, or -1 for the byte fallback of a character.
    log_prob : float64[n_arcs], natural logarithms.
    labels : text of every arc; a fallback's is its bytes as `<0xEC><0x95><0x88>`.

    Parameters
    ----------
    vocabulary : of any round.
    text : one line.
    forbid : texts of tokens that are taken out ("what if it were not there").
    add : texts with log probabilities that are added.
    force : spans (begin, end) that must be one token each.

    Raises
    ------
    InputError : a forced span is not a token of the vocabulary, or out of range; an added log probability is positive.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        text: str,
        forbid: Sequence[str] = (),
        add: Sequence[tuple[str, float]] = (),
        force: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.text = text
        self.vocabulary = vocabulary
        codes = to_codes(text)
        self.n = codes.size
        self.bounds = vocabulary.pretokenizer.boundaries(codes)
        alphabet, _, fallback = vocabulary.fallbacks(codes)
        n_tokens = len(vocabulary.tokens)
        arguments = (codes, self.bounds, *vocabulary.trie, alphabet, n_tokens, vocabulary.partial_characters)
        nothing = np.empty(0, dtype=np.int64)
        size = _find_arcs(*arguments, nothing, nothing, nothing)
        begin, end, token = (np.empty(size, dtype=np.int64) for _ in range(3))
        if size:
            _find_arcs(*arguments, begin, end, token)
        weight = np.concatenate([vocabulary.log_prob, fallback.log_prob])
        best_weight = np.concatenate([vocabulary.log_prob, fallback.log_prob_best])
        number = np.where(token < n_tokens, token, -1)
        arcs = _Arcs(begin, end, number, weight[token], best_weight[token])
        arcs = self._what_if(arcs, alphabet, fallback, forbid, add, force)
        order = np.lexsort((arcs.begin, arcs.end))
        self.begin, self.end = arcs.begin[order], arcs.end[order]
        self.number = arcs.number[order].astype(np.int32)
        self.log_prob = arcs.log_prob[order]
        self._best_log_prob = arcs.best_log_prob[order]
        self._ptr = np.searchsorted(self.end, np.arange(1, self.n + 2)).astype(np.int64)

    def _what_if(
        self,
        arcs: "_Arcs",
        alphabet: np.ndarray,
        fallback: Fallback,
        forbid: Sequence[str],
        add: Sequence[tuple[str, float]],
        force: Sequence[tuple[int, int]],
    ) -> "_Arcs":
        for token in forbid:
            arcs = self._without(arcs, token, alphabet, fallback)
        for token, log_prob in add:
            if not 0 < len(token) < 256 or not log_prob <= 0:
                raise InputError(
                    "cannot add the token {token!r} with log probability {log_prob}; it must have 1 to 255 characters "
                    "and a log probability of at most 0",
                    code="lattice.add",
                    token=token,
                    log_prob=log_prob,
                )
            arcs = self._with(arcs, token, log_prob)
        for begin, end in force:
            arcs = self._through(arcs, begin, end)
        return arcs

    def _without(self, arcs: "_Arcs", token: str, alphabet: np.ndarray, fallback: Fallback) -> "_Arcs":
        number = self.vocabulary.number.get(token.encode())
        if number is None or (len(token) == 1 and ord(token) < 0x80):
            return arcs  # not in this vocabulary, or a byte, which can not be taken away
        gone = arcs.number == number
        kept = arcs.take(~gone)
        if len(token) == 1 and not self.vocabulary.partial_characters and gone.any():
            k = int(np.searchsorted(alphabet, ord(token)))
            places = arcs.begin[gone]
            kept = kept.append(places, places + 1, -1, fallback.log_prob[k], fallback.log_prob_best[k])
        return kept

    def _with(self, arcs: "_Arcs", token: str, log_prob: float) -> "_Arcs":
        number = self.vocabulary.number.get(token.encode(), -2)
        arcs = arcs.take(arcs.number != number) if number >= 0 else arcs
        places = [
            at
            for low, high in zip(self.bounds[:-1], self.bounds[1:], strict=True)
            for at in range(int(low), int(high) - len(token) + 1)
            if self.text.startswith(token, at)
        ]
        begin = np.array(places, dtype=np.int64)
        if len(token) == 1 and not self.vocabulary.partial_characters:
            # A character that is a token has no fallback.
            arcs = arcs.take((arcs.number != -1) | ~np.isin(arcs.begin, begin))
        return arcs.append(begin, begin + len(token), number, log_prob, log_prob)

    def _through(self, arcs: "_Arcs", begin: int, end: int) -> "_Arcs":
        is_span = (arcs.begin == begin) & (arcs.end == end)
        if not is_span.any():
            raise InputError(
                "characters {begin} to {end} are not a token of this vocabulary; choose a bar of the lattice",
                code="lattice.span",
                begin=begin,
                end=end,
            )
        return arcs.take(is_span | (arcs.end <= begin) | (arcs.begin >= end))

    def label(self, arc: int) -> str:
        """Text of an arc, or the hex of its bytes."""
        text = self.text[self.begin[arc] : self.end[arc]]
        return text if self.number[arc] != -1 else "".join(f"<0x{byte:02X}>" for byte in text.encode())

    @cached_property
    def labels(self) -> list[str]:
        """Labels of all arcs."""
        return [self.label(arc) for arc in range(self.begin.size)]

    @cached_property
    def _length(self) -> np.ndarray:
        return (self.end - self.begin).astype(np.uint8)

    @cached_property
    def _own_token(self) -> np.ndarray:
        # The kernels look weights up by token; in one text every arc is its own.
        return np.arange(self.begin.size, dtype=np.int32)

    def _forward(self, log_prob: np.ndarray, share: np.ndarray) -> float:
        """log Z under these log probabilities of the arcs; fills their shares of the boundaries at their ends."""
        weight = scaled_weights(log_prob, self._length)
        alpha = np.empty(self.n + 1)
        arguments = (0, self.begin.size, self.n, self.end, self._length, self._own_token, weight, alpha, share)
        log_z = _forward(*arguments)
        return float(_forward_scaled(*arguments) if np.isnan(log_z) else log_z)

    @cached_property
    def _passes(self) -> tuple[float, np.ndarray, np.ndarray]:
        """log Z, the marginals of the arcs and of the boundaries."""
        visit = np.empty(self.n + 1)
        share, marginal = np.empty(self.begin.size), np.empty(self.begin.size)
        log_z = self._forward(self.log_prob, share)
        _marginals(0, self.begin.size, self.n, self.end, self._length, share, visit, marginal)
        return log_z, marginal, visit

    @property
    def log_z(self) -> float:
        """Log of the summed probability of all segmentations, nats."""
        return self._passes[0]

    @property
    def marginal(self) -> np.ndarray:
        """float64[n_arcs]: probability that a segmentation uses the arc."""
        return self._passes[1]

    @property
    def boundary_prob(self) -> np.ndarray:
        """float64[n + 1]: probability that a segmentation has a boundary there."""
        return self._passes[2]

    @cached_property
    def entropy(self) -> float:
        """Entropy of P(seg | text), nats: log Z minus the mean log probability of a segmentation."""
        used = self.marginal > 0
        return max(0.0, self.log_z - float((self.marginal[used] * self.log_prob[used]).sum()))

    @cached_property
    def _viterbi_table(self) -> tuple[np.ndarray, np.ndarray]:
        return self._viterbi(self._best_log_prob)

    def _viterbi(self, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Best log probability of every node, and the arc it comes over where there is one."""
        best, back = np.empty(self.n + 1), np.empty(self.n + 1, dtype=np.int64)
        _viterbi(0, self.begin.size, 0, self.n, -1, self.end, self._length, self._own_token, weight, best, back)
        return best, back

    @cached_property
    def best_path(self) -> list[int]:
        """Arcs of the most probable segmentation; ties go to the earliest start."""
        return self._trace(self._viterbi_table[1])

    @property
    def best_log_prob(self) -> float:
        """Log probability of the best segmentation, nats."""
        return float(self._viterbi_table[0][self.n])

    @cached_property
    def best(self) -> np.ndarray:
        """bool[n_arcs]: whether the arc is on the best path."""
        mask = np.zeros(self.begin.size, dtype=bool)
        mask[self.best_path] = True
        return mask

    def _trace(self, back: np.ndarray) -> list[int]:
        path = []
        v = self.n
        while v > 0:
            path.append(int(back[v]))
            v = int(self.begin[back[v]])
        return path[::-1]

    def nbest(self, k: int) -> list[Path]:
        """The k most probable segmentations, exact, with their posteriors; equal ones by the earliest start."""
        scores = np.full((self.n + 1, k), -np.inf)
        arcs, ranks = (np.empty((self.n + 1, k), dtype=np.int64) for _ in range(2))
        _nbest(self.n, k, self._ptr, self.begin, self._best_log_prob, scores, arcs, ranks)
        paths = []
        for rank in range(k):
            if scores[self.n, rank] == -np.inf:
                break
            path, v, r = [], self.n, rank
            while v > 0:
                arc = int(arcs[v, r])
                path.append(arc)
                v, r = int(self.begin[arc]), int(ranks[v, r])
            log_prob = float(scores[self.n, rank])
            paths.append(Path(tuple(path[::-1]), log_prob, float(np.exp(log_prob - self.log_z))))
        return paths

    def sample(self, n: int, temperature: float = 1.0, seed: int = 0) -> list[tuple[int, ...]]:
        """n segmentations drawn by forward filtering, backward sampling from P(seg)^(1/temperature).

        Raises
        ------
        InputError : the temperature is not positive.
        """
        if not temperature > 0:
            raise InputError(
                "the temperature must be above 0, got {temperature}; 1 samples from the posterior itself",
                code="lattice.temperature",
                temperature=temperature,
            )
        share = np.empty(self.begin.size)
        self._forward(np.maximum(self.log_prob / temperature, -300.0), share)
        uniform = np.random.default_rng(seed).random((n, self.n))
        path = np.empty(self.n, dtype=np.int64)
        draws = []
        for i in range(n):
            k = _sample(self.n, self._ptr, self.begin, share, uniform[i], path)
            draws.append(tuple(path[:k][::-1].tolist()))
        return draws

    def viterbi_steps(self) -> list[ViterbiStep]:
        """The Viterbi table cell by cell, with every candidate's arithmetic."""
        best, back = self._viterbi_table
        steps = []
        for v in range(1, self.n + 1):
            candidates = []
            for arc in range(int(self._ptr[v - 1]), int(self._ptr[v])):
                before = float(best[self.begin[arc]])
                total = before + float(self._best_log_prob[arc])
                tie = arc != back[v] and total == best[v]
                candidates.append(Candidate(arc, int(self.begin[arc]), before, total, arc == int(back[v]), tie))
            steps.append(ViterbiStep(v, candidates, float(best[v])))
        return steps

    def greedy(self) -> list[int]:
        """Longest match from the left, for comparison."""
        path = []
        u = 0
        by_begin: dict[int, int] = {}
        for arc in range(self.begin.size):  # sorted by end: the last one seen is the longest
            by_begin[int(self.begin[arc])] = arc
        while u < self.n:
            path.append(by_begin[u])
            u = int(self.end[by_begin[u]])
        return path

    def fewest_tokens(self) -> list[int]:
        """The segmentation with the fewest arcs, for comparison; ties go to the earliest start."""
        return self._best_of(np.full(self.begin.size, -1.0))[0]

    def best_through(self, arc: int) -> tuple[list[int], float]:
        """The most probable segmentation that uses the arc, and its log probability (nats)."""
        crossing = (self.begin < self.end[arc]) & (self.end > self.begin[arc])
        crossing[arc] = False
        return self._best_of(np.where(crossing, -np.inf, self._best_log_prob))

    def best_avoiding(self, arc: int) -> tuple[list[int], float] | None:
        """The most probable segmentation without the arc, and its log probability; None where there is none."""
        weight = self._best_log_prob.copy()
        weight[arc] = -np.inf
        path, log_prob = self._best_of(weight)
        return None if log_prob == -np.inf else (path, log_prob)

    def _best_of(self, weight: np.ndarray) -> tuple[list[int], float]:
        best, back = self._viterbi(weight)
        return ([] if best[self.n] == -np.inf else self._trace(back)), float(best[self.n])

    @cached_property
    def n_segmentations(self) -> int:
        """How many segmentations there are; a whole number of any size."""
        ways = [1] + [0] * self.n
        for begin, end in zip(self.begin.tolist(), self.end.tolist(), strict=True):
            ways[end] += ways[begin]
        return ways[self.n]

    def path_log_prob(self, path: Sequence[int]) -> float:
        """Log probability of a segmentation, nats."""
        return float(self._best_log_prob[list(path)].sum())


class _Arcs(NamedTuple):
    begin: np.ndarray
    end: np.ndarray
    number: np.ndarray
    log_prob: np.ndarray
    best_log_prob: np.ndarray

    def take(self, mask: np.ndarray) -> "_Arcs":
        return _Arcs(*(column[mask] for column in self))

    def append(self, begin: np.ndarray, end: np.ndarray, number: int, log_prob: float, best: float) -> "_Arcs":
        new = (begin, end, np.full(begin.size, number), np.full(begin.size, log_prob), np.full(begin.size, best))
        return _Arcs(*(np.concatenate(pair) for pair in zip(self, new, strict=True)))

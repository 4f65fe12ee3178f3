"""The lattice of all segmentations of a text, as the explorer shows it.

Probabilities follow Kudo (2018): P(seg) is the product of the token probabilities, and P(seg | text) is P(seg) divided
by the sum over all segmentations.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from engine._jit import kernel
from engine.corpus.pretokens.pretokenize import to_codes
from engine.errors import InputError, require_between
from engine.exact_math import exp, log
from engine.lattice.fallback import _write_fallback, build_fallback
from engine.lattice.passes import _log_z, _marginals, _viterbi, scaled_weights
from engine.lattice.vocabulary import Vocabulary
from engine.pruning_scores import LEAST_LOG_PROB
from engine.vocabulary.trie import Trie, _child

# Scaled probabilities below this may underflow; imported files can contain such scores.
_LEAST_LOG_PROB = -300.0
_LEAST_TEMPERATURE = 1e-6
_MOST_SEGMENTATIONS = 10_000
_LONGEST = 255  # characters of an arc; tokens trained here have at most that many bytes


class Path(NamedTuple):
    """One segmentation: its arcs in order, log probability (nats) and posterior probability."""

    arcs: tuple[int, ...]
    log_prob: float
    posterior: float


class LatticeCandidate(NamedTuple):
    """A path to a node: over `arc` from `begin`, whose best log probability is `before` (nats)."""

    arc: int
    begin: int
    before: float
    total: float
    is_winner: bool
    is_tie: bool


class ViterbiStep(NamedTuple):
    """One cell of the Viterbi table: the candidates of node `end` and the best total."""

    end: int
    candidates: list[LatticeCandidate]
    best: float


@kernel
def _find_arcs(codes, bounds, keys, children, node_token, fallback, always_fall_back, begin, end, token):
    """Write all arcs, or only count them if the arrays are empty; `fallback[u]` is the token of character u alone."""
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
            if not single or (always_fall_back and codes[u] >= 0x80):
                if write:
                    begin[n], end[n], token[n] = u, u + 1, fallback[u]
                n += 1
    return n


@kernel
def _nbest(n, k, arc_ptr, begin, log_weight, scores, arcs, ranks):
    """The k best paths to each node: score, last arc, and rank of the prefix at that arc's begin."""
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
def _forward_log(n, arc_ptr, begin, log_prob, alpha, share):
    """Forward pass in log space, for any log probabilities; returns log Z. `share` as after `passes._normalise`."""
    alpha[0] = 0.0
    for v in range(1, n + 1):
        best = -np.inf
        for a in range(arc_ptr[v - 1], arc_ptr[v]):
            best = max(best, alpha[begin[a]] + log_prob[a])
        total = 0.0
        for a in range(arc_ptr[v - 1], arc_ptr[v]):
            share[a] = 0.0 if best == -np.inf else exp(alpha[begin[a]] + log_prob[a] - best)
            total += share[a]
        alpha[v] = best if best == -np.inf else best + log(total)
        for a in range(arc_ptr[v - 1], arc_ptr[v]):
            share[a] = share[a] / total if total > 0.0 else 0.0
    return alpha[n]


@kernel
def _sample(n, arc_ptr, begin, share, uniform, path):
    """Sample a segmentation from the end backwards; `share[a]` is the arc's share of the forward sum of its end node.

    Returns the number of arcs, 0 if there is no segmentation.
    """
    k = 0
    v = n
    while v > 0:
        left = uniform[k]
        chosen = -1
        for a in range(arc_ptr[v - 1], arc_ptr[v]):
            if share[a] > 0.0:
                chosen = a
                left -= share[a]
                if left < 0.0:
                    break
        if chosen < 0:
            return 0
        path[k] = chosen
        k += 1
        v = begin[chosen]
    return k


class LatticeArcs(NamedTuple):
    """The arcs of a lattice: half-open ranges of characters with their tokens.

    Attributes
    ----------
    begin, end : int64[n_arcs], code points.
    number : int32[n_arcs], the token; -1 for a fallback.
    log_prob : float64[n_arcs], natural; of a fallback, the sum over all its segmentations.
    best_log_prob : float64[n_arcs]; of a fallback, that of its best segmentation.
    """

    begin: np.ndarray
    end: np.ndarray
    number: np.ndarray
    log_prob: np.ndarray
    best_log_prob: np.ndarray

    def take(self, mask: np.ndarray) -> "LatticeArcs":
        """The arcs selected by the mask (bool[n_arcs])."""
        return LatticeArcs(*(column[mask] for column in self))

    def append(self, begin: np.ndarray, end: np.ndarray, number: int, log_prob: float, best: float) -> "LatticeArcs":
        """Add an arc with this token and these log probabilities at several positions."""
        new = (begin, end, np.full(begin.size, number), np.full(begin.size, log_prob), np.full(begin.size, best))
        return LatticeArcs(*(np.concatenate(pair) for pair in zip(self, new, strict=True)))


def find_arcs(
    codes: np.ndarray,
    bounds: np.ndarray,
    trie: Trie,
    log_prob: np.ndarray,
    alphabet: np.ndarray,
    fallback: tuple[np.ndarray, np.ndarray],
    always_fall_back: bool = False,
) -> LatticeArcs:
    """All arcs of a text.

    Parameters
    ----------
    codes : int32[n], the characters.
    bounds : int64, ascending from 0 to n; no arc crosses them.
    trie : the texts of the tokens; its values become the numbers of the arcs.
    log_prob : float64[n_tokens], natural.
    alphabet : int32, ascending, the characters with fallbacks of their own, or empty: then all share the first one.
    fallback : log probabilities of the fallbacks (float64 each), summed and best.
    always_fall_back : whether characters above U+007F fall back even if they are tokens.
    """
    own_fallback = log_prob.size + np.searchsorted(alphabet, codes)
    arguments = (codes, bounds, *trie, own_fallback, always_fall_back)
    nothing = np.empty(0, dtype=np.int64)
    size = _find_arcs(*arguments, nothing, nothing, nothing)
    begin, end, token = (np.empty(size, dtype=np.int64) for _ in range(3))
    if size:
        _find_arcs(*arguments, begin, end, token)
    weight, best_weight = (np.concatenate([log_prob, own]) for own in fallback)
    return LatticeArcs(begin, end, np.where(token < log_prob.size, token, -1), weight[token], best_weight[token])


class Lattice(ABC):
    """All segmentations of a text.

    Arcs are sorted by end, then by begin; positions are code points, half-open.

    Attributes
    ----------
    text : `n` code points, normalised. For an imported file, spaces may be U+2581, and one may precede the text.
    bounds : int64, ascending; no arc crosses them.
    offsets : int64[n + 1], UTF-8 byte offset of each character boundary in the text that the spans of `encode` refer
        to; non-decreasing.
    begin, end : int64[n_arcs].
    number : int32[n_arcs], the token in the vocabulary; -1 for the fallback of a character (its bytes, or the unknown
        token); -2 for a text of `add` that is not in the vocabulary.
    ids : int32[n_arcs], id of the arc's token, or -1.
    log_prob : float64[n_arcs], natural logarithms.
    labels : text of each arc; of a fallback, its bytes as `<0xEC><0x95><0x88>`.

    Parameters
    ----------
    forbid : texts of tokens to remove.
    add : texts to add, with log probabilities.
    force : spans (begin, end) that must be one token each.

    Raises
    ------
    InputError : a forced span is out of range or not a token, or the length or log probability of an added text is out
        of range.

    Examples
    --------
    >>> from engine import TrainingSettings, train
    >>> model = train(["가나 다라", "가나 마바", "가나 다라 마바"], TrainingSettings(vocab_size=260))
    >>> lattice = model.lattice("가나")
    >>> lattice.labels
    ['<0xEA><0xB0><0x80>', '가나', '<0xEB><0x82><0x98>']
    >>> [lattice.label(arc) for arc in lattice.best_path]
    ['가나']
    >>> without = model.lattice("가나", forbid=["가나"])
    >>> [without.label(arc) for arc in without.best_path]
    ['<0xEA><0xB0><0x80>', '<0xEB><0x82><0x98>']
    """

    def __init__(
        self,
        text: str,
        bounds: np.ndarray,
        offsets: np.ndarray,
        arcs: LatticeArcs,
        forbid: Sequence[str] = (),
        add: Sequence[tuple[str, float]] = (),
        force: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.text = text
        self.n = len(text)
        self.bounds = bounds
        self.offsets = offsets
        arcs = self._what_if(arcs, forbid, add, force)
        order = np.lexsort((arcs.begin, arcs.end))
        self.begin, self.end = arcs.begin[order], arcs.end[order]
        self.number = arcs.number[order].astype(np.int32)
        self.log_prob = arcs.log_prob[order]
        self._best_log_prob = arcs.best_log_prob[order]
        self._ptr = np.searchsorted(self.end, np.arange(1, self.n + 2)).astype(np.int64)

    @abstractmethod
    def _number(self, token: str) -> int:
        """Number of a token in the vocabulary, or -2."""

    @abstractmethod
    def _id(self, number: int) -> int:
        """Id of the token with this number, or -1."""

    @abstractmethod
    def _fallback(self, character: str) -> tuple[float, float] | None:
        """Summed and best log probability of a character's fallback; None if it does not depend on the token."""

    def _can_forbid(self, token: str) -> bool:
        return True

    @abstractmethod
    def label(self, arc: int) -> str:
        """Text of an arc, or the hex of its bytes."""

    @abstractmethod
    def written(self, arc: int) -> list[int]:
        """Ids of an arc: of its token, or of the tokens of a fallback."""

    def n_tokens(self, path: Sequence[int]) -> int:
        """Number of tokens of a path, counted as `encode` counts them.

        A fallback counts as its number of tokens; an arc without an id, such as an added text, counts as one.
        """
        return sum(len(self.written(arc)) or 1 for arc in path)

    def span(self, arc: int) -> tuple[int, int]:
        """UTF-8 byte offsets of an arc, as in the spans of `encode`."""
        return int(self.offsets[self.begin[arc]]), int(self.offsets[self.end[arc]])

    @cached_property
    def ids(self) -> np.ndarray:
        """Id of each arc's token, or -1."""
        return np.array([self._id(number) if number >= 0 else -1 for number in self.number.tolist()], dtype=np.int32)

    def _what_if(
        self,
        arcs: LatticeArcs,
        forbid: Sequence[str],
        add: Sequence[tuple[str, float]],
        force: Sequence[tuple[int, int]],
    ) -> LatticeArcs:
        for token in forbid:
            arcs = self._without(arcs, token)
        for token, log_prob in add:
            if not 0 < len(token) < 256 or not LEAST_LOG_PROB <= log_prob <= 0:
                raise InputError("lattice.add", token=token, log_prob=log_prob)
            arcs = self._with(arcs, token, log_prob)
        for begin, end in force:
            arcs = self._through(arcs, begin, end)
        return arcs

    def _without(self, arcs: LatticeArcs, token: str) -> LatticeArcs:
        number = self._number(token)
        if number < 0 or not self._can_forbid(token):
            return arcs
        gone = arcs.number == number
        kept = arcs.take(~gone)
        fallback = self._fallback(token) if len(token) == 1 and gone.any() else None
        if fallback is not None:
            places = arcs.begin[gone]
            kept = kept.append(places, places + 1, -1, *fallback)
        return kept

    def _with(self, arcs: LatticeArcs, token: str, log_prob: float) -> LatticeArcs:
        number = self._number(token)
        arcs = arcs.take(arcs.number != number) if number >= 0 else arcs
        places = [
            at
            for low, high in zip(self.bounds[:-1], self.bounds[1:], strict=True)
            for at in range(int(low), int(high) - len(token) + 1)
            if self.text.startswith(token, at)
        ]
        begin = np.array(places, dtype=np.int64)
        if places and len(token) == 1 and self._fallback(token) is not None:
            # A character that is a token has no fallback.
            arcs = arcs.take((arcs.number != -1) | ~np.isin(arcs.begin, begin))
        return arcs.append(begin, begin + len(token), number, log_prob, log_prob)

    def _through(self, arcs: LatticeArcs, begin: int, end: int) -> LatticeArcs:
        is_span = (arcs.begin == begin) & (arcs.end == end)
        if not is_span.any():
            raise InputError("lattice.span", begin=begin, end=end)
        return arcs.take(is_span | (arcs.end <= begin) | (arcs.begin >= end))

    @cached_property
    def labels(self) -> list[str]:
        """Label of each arc."""
        return [self.label(arc) for arc in range(self.begin.size)]

    @cached_property
    def _length(self) -> np.ndarray:
        length = self.end - self.begin
        return length if length.max(initial=0) > _LONGEST else length.astype(np.uint8)

    def _is_extreme(self, log_prob: np.ndarray) -> bool:
        """Whether scaled probabilities could leave the range of floats."""
        longest = self._length.max(initial=0)
        return bool(longest > _LONGEST or (log_prob < _LEAST_LOG_PROB).any() or (log_prob > 0.0).any())

    @cached_property
    def _arc_token(self) -> np.ndarray:
        # The kernels look weights up by token; here each arc has its own weight.
        return np.arange(self.begin.size, dtype=np.uint32)

    @cached_property
    def _arc_end(self) -> np.ndarray:
        return self.end.astype(np.uint32)  # of the type that training uses, so that both share kernels

    def _forward(self, log_prob: np.ndarray, share: np.ndarray) -> float:
        """log Z under these log probabilities of the arcs; fills `share` as `passes._normalise` does."""
        if self._is_extreme(log_prob):
            alpha = np.empty(self.n + 1)
            return float(_forward_log(self.n, self._ptr, self.begin, log_prob, alpha, share))
        weight = scaled_weights(log_prob, self._length)
        return float(_log_z(self.n, self._arc_end, self._length, self._arc_token, weight, share))

    @cached_property
    def _passes(self) -> tuple[float, np.ndarray, np.ndarray]:
        """log Z, and the marginals of the arcs and of the boundaries."""
        visit = np.empty(self.n + 1)
        share, marginal = np.empty(self.begin.size), np.empty(self.begin.size)
        log_z = self._forward(self.log_prob, share)
        _marginals(self.n, self._arc_end, self._length, share, visit, marginal)
        return log_z, marginal, visit

    @property
    def log_z(self) -> float:
        """Log of the total probability of all segmentations, nats."""
        return self._passes[0]

    @property
    def marginal(self) -> np.ndarray:
        """float64[n_arcs]: probability that a segmentation uses the arc."""
        return self._passes[1]

    @property
    def boundary_prob(self) -> np.ndarray:
        """float64[n + 1]: probability that a segmentation has a boundary at the position."""
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
        """Best log probability and last arc (-1: none) of each node."""
        best, back = np.empty(self.n + 1), np.empty(self.n + 1, dtype=np.int64)
        _viterbi(0, self.begin.size, 0, self.n, -1, self._arc_end, self._length, self._arc_token, weight, best, back)
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
        """The best path, empty if there is none."""
        path = []
        v = self.n
        while v > 0:
            arc = int(back[v])
            if arc < 0:
                return []
            path.append(arc)
            v = int(self.begin[arc])
        return path[::-1]

    def fields(self, nbest: int = 0) -> dict[str, Any]:
        """As plain values: its arcs, log Z and entropy (nats), and its `nbest` best segmentations.

        `begin` and `end` are characters of the text as the vocabulary sees it, `span` bytes of it as in `encode`. A
        token outside the final vocabulary has id null; a fallback has id null and the `ids` of its bytes, or of the
        unknown token.
        """
        arcs = []
        for arc in range(self.begin.size):
            token_id = int(self.ids[arc])
            row: dict[str, object] = {
                "begin": int(self.begin[arc]),
                "end": int(self.end[arc]),
                "span": self.span(arc),
                "token": self.labels[arc],
                "id": token_id if token_id >= 0 else None,
                "log_prob": float(self.log_prob[arc]),
                "marginal": float(self.marginal[arc]),
                "best": bool(self.best[arc]),
            }
            if self.number[arc] < 0:
                row["ids"] = self.written(arc)
            arcs.append(row)
        return {
            "arcs": arcs,
            "log_z": self.log_z,
            "entropy": self.entropy,
            "nbest": [
                {
                    "tokens": [self.labels[arc] for arc in path.arcs],
                    "log_prob": path.log_prob,
                    "posterior": path.posterior,
                }
                for path in (self.nbest(nbest) if nbest else [])
            ],
        }

    def nbest(self, k: int) -> list[Path]:
        """The k (up to 10,000) most probable segmentations (exact), with posteriors; ties go to the earliest start."""
        require_between("segmentations", k, 0, _MOST_SEGMENTATIONS)
        scores = np.full((self.n + 1, k), -np.inf)
        arcs, ranks = (np.zeros((self.n + 1, k), dtype=np.int64) for _ in range(2))
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
        """Draw n segmentations from P(seg)^(1/temperature) by forward filtering, backward sampling.

        Raises
        ------
        InputError : the temperature is less than 1e-6, or infinite.
        """
        if not _LEAST_TEMPERATURE <= temperature < np.inf:
            raise InputError("lattice.temperature", temperature=temperature)
        share = np.empty(self.begin.size)
        self._forward(self.log_prob / temperature, share)
        uniform = np.random.default_rng(seed).random((n, self.n))
        path = np.zeros(self.n, dtype=np.int64)
        draws = []
        for i in range(n):
            k = _sample(self.n, self._ptr, self.begin, share, uniform[i], path)
            draws.append(tuple(path[:k][::-1].tolist()))
        return draws

    def viterbi_steps(self) -> list[ViterbiStep]:
        """The Viterbi table cell by cell, with all candidates."""
        best, back = self._viterbi_table
        steps = []
        for v in range(1, self.n + 1):
            candidates = []
            for arc in range(int(self._ptr[v - 1]), int(self._ptr[v])):
                before = float(best[self.begin[arc]])
                total = before + float(self._best_log_prob[arc])
                tie = arc != back[v] and total == best[v]
                candidates.append(LatticeCandidate(arc, int(self.begin[arc]), before, total, arc == int(back[v]), tie))
            steps.append(ViterbiStep(v, candidates, float(best[v])))
        return steps

    def greedy(self) -> list[int]:
        """Longest match from the left, for comparison."""
        path = []
        u = 0
        by_begin: dict[int, int] = {}
        for arc in range(self.begin.size):  # sorted by end, so the last one is the longest
            by_begin[int(self.begin[arc])] = arc
        while u < self.n:
            path.append(by_begin[u])
            u = int(self.end[by_begin[u]])
        return path

    def _min_tokens(self, arc: int) -> int:
        """Minimum number of tokens of a fallback."""
        return len(self.written(arc)) or 1

    @cached_property
    def _fewest(self) -> tuple[list[int], float]:
        weight = np.full(self.begin.size, -1.0)
        for arc in np.flatnonzero(self.number == -1).tolist():
            weight[arc] = -self._min_tokens(arc)
        return self._best_of(weight)

    def fewest_tokens(self) -> list[int]:
        """The segmentation with the fewest tokens; ties go to the best segmentation, then to the earliest start."""
        best = self.best_path
        return best if best and self.n_tokens(best) == self.floor else self._fewest[0]

    def fewest_from_latest(self) -> list[int]:
        """The segmentation with the fewest tokens, of equal ones the latest start, whatever their probabilities."""
        best = [(0.0, 0, -1)] + [(math.inf, 0, -1)] * self.n  # tokens, minus the start of the last arc, the arc
        for arc, (begin, end) in enumerate(zip(self.begin.tolist(), self.end.tolist(), strict=True)):
            best[end] = min(best[end], (best[begin][0] + self.n_tokens([arc]), -begin, arc))
        return [] if best[self.n][0] == math.inf else self._trace(np.array([arc for _, _, arc in best]))

    @property
    def floor(self) -> int:
        """Number of tokens of `fewest_tokens`, with each fallback at its minimum; 0 if there is no segmentation."""
        path, total = self._fewest
        least = int(-total) if path else 0
        # Adjacent unknown characters may be one token (`n_tokens`), so the best path may have fewer tokens than arcs.
        return min(least, self.n_tokens(self.best_path) or least)

    def best_through(self, arc: int) -> tuple[list[int], float]:
        """The most probable segmentation that uses the arc, and its log probability (nats)."""
        crossing = (self.begin < self.end[arc]) & (self.end > self.begin[arc])
        crossing[arc] = False
        return self._best_of(np.where(crossing, -np.inf, self._best_log_prob))

    def best_avoiding(self, arc: int) -> tuple[list[int], float] | None:
        """The most probable segmentation without the arc, and its log probability (nats); None if there is none."""
        weight = self._best_log_prob.copy()
        weight[arc] = -np.inf
        path, log_prob = self._best_of(weight)
        return None if log_prob == -np.inf else (path, log_prob)

    def _best_of(self, weight: np.ndarray) -> tuple[list[int], float]:
        best, back = self._viterbi(weight)
        return ([] if best[self.n] == -np.inf else self._trace(back)), float(best[self.n])

    @cached_property
    def n_segmentations(self) -> int:
        """Number of segmentations, exact."""
        ways = [1] + [0] * self.n
        for begin, end in zip(self.begin.tolist(), self.end.tolist(), strict=True):
            ways[end] += ways[begin]
        return ways[self.n]

    def path_log_prob(self, path: Sequence[int]) -> float:
        """Log probability of a segmentation, nats."""
        return float(self._best_log_prob[list(path)].sum())


class VocabularyLattice(Lattice):
    """The lattice of one text over a vocabulary trained here: characters fall back to their bytes.

    Parameters
    ----------
    vocabulary : of any round.
    text : one line.
    forbid, add, force : see Lattice. The 128 ASCII tokens cannot be forbidden.
    ids : int32[n_tokens], ids of the tokens in the final vocabulary, -1 if removed; None: their numbers.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        text: str,
        forbid: Sequence[str] = (),
        add: Sequence[tuple[str, float]] = (),
        force: Sequence[tuple[int, int]] = (),
        ids: np.ndarray | None = None,
    ) -> None:
        codes = to_codes(text)
        self.vocabulary = vocabulary
        self._ids = np.arange(len(vocabulary.tokens)) if ids is None else ids
        self._alphabet, spans, fallback = vocabulary.fallbacks(codes)
        self._fallbacks = (fallback.log_prob, fallback.log_prob_best)
        self._spans = spans
        self._ways = (spans.n_bytes, spans.token, fallback.best_cuts)
        bounds = vocabulary.pretokenizer.boundaries(codes)
        arcs = find_arcs(
            codes,
            bounds,
            vocabulary.trie,
            vocabulary.log_prob,
            self._alphabet,
            self._fallbacks,
            vocabulary.partial_characters,
        )
        sizes = np.fromiter((len(character.encode()) for character in text), dtype=np.int64, count=len(text))
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        super().__init__(text, bounds, offsets, arcs, forbid, add, force)

    def _number(self, token: str) -> int:
        return self.vocabulary.number.get(token.encode(), -2)

    def _id(self, number: int) -> int:
        return int(self._ids[number])

    def _fallback(self, character: str) -> tuple[float, float] | None:
        if ord(character) < 0x80 or self.vocabulary.partial_characters:
            return None
        k = int(np.searchsorted(self._alphabet, ord(character)))
        return float(self._fallbacks[0][k]), float(self._fallbacks[1][k])

    def _can_forbid(self, token: str) -> bool:
        return len(token) > 1 or ord(token) >= 0x80

    def label(self, arc: int) -> str:
        """Text of an arc, or the hex of its bytes."""
        text = self.text[self.begin[arc] : self.end[arc]]
        return text if self.number[arc] != -1 else "".join(f"<0x{byte:02X}>" for byte in text.encode())

    def written(self, arc: int) -> list[int]:
        """Ids of an arc: of its token, or of the best segmentation of a fallback."""
        if self.number[arc] != -1:
            return [int(self.ids[arc])] if self.ids[arc] >= 0 else []
        numbers = np.empty(4, dtype=np.int32)  # bytes of a character
        k = self._fallback_of(arc)
        size = _write_fallback(k, *self._ways, numbers, 0)
        return [self._id(number) for number in numbers[:size].tolist()]

    def _fallback_of(self, arc: int) -> int:
        return int(np.searchsorted(self._alphabet, ord(self.text[self.begin[arc]])))

    def _min_tokens(self, arc: int) -> int:
        return int(self._fewest_bytes[self._fallback_of(arc)])

    @cached_property
    def _fewest_bytes(self) -> np.ndarray:
        """Minimum number of tokens in the fallback of each character of the alphabet."""
        # With weight -1 per token, the best segmentation has the fewest tokens.
        flat = np.full(len(self.vocabulary.tokens), -1.0)
        return -build_fallback(self._spans, flat).log_prob_best

"""Greedy maximal matching by U(w) = min PMI + lambda min(H_left, H_right).

The entropy-driven pre-tokenization paper, section 3.1. A span of one character has no pairs: its PMI term is 0.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from engine.boundaries.ngrams import Ngrams, pmi_at
from engine.errors import InputError

TOTALS = ("characters", "ngrams")
# The best on Chinese gold text (docs/boundaries.md).
DEFAULT_LAMBDA, DEFAULT_TOTAL = 4.0, "ngrams"


class Terms(NamedTuple):
    """The two terms of U for every position and length; enough to try any lambda.

    Attributes
    ----------
    pmi : float64[n, n_max], smallest PMI inside the span of length k + 1 that begins at i; -inf: no such span.
    entropy : float64[n, n_max], the smaller of its two branching entropies; 0 for an unseen character.
    """

    pmi: np.ndarray
    entropy: np.ndarray


class UtilityMatcher:
    """Cuts text by utility; immutable.

    Parameters
    ----------
    ngrams : counts of the training corpus.
    lam : weight of the entropy term, at least 0; if infinite, only the entropy counts.
    total : the T of the PMI, one of TOTALS.
    """

    def __init__(self, ngrams: Ngrams, lam: float = DEFAULT_LAMBDA, total: str = DEFAULT_TOTAL) -> None:
        if not lam >= 0:
            raise InputError("lambda.negative", lam=lam)
        if total not in TOTALS:
            raise InputError("total.unknown", choices=", ".join(TOTALS), total=total)
        self.ngrams, self.total = ngrams, total
        self.lam = lam if lam < 1e300 else float("inf")  # so large that the product could overflow

    def terms(self, text: str) -> Terms:
        """PMI and entropy of every span of the text."""
        n, n_max = len(text), self.ngrams.n_max
        pmi = np.full((n, n_max), -np.inf)
        entropy = np.zeros((n, n_max))
        if n == 0:
            return Terms(pmi, entropy)
        found = self.ngrams.numbers(text)
        pairs = pmi_at(self._pair_pmi, found)
        # A character is always a span, seen or unseen, so every text can be cut.
        pmi[:, 0] = 0.0
        lowest = np.full(n, np.inf)
        for k, (smaller, numbers) in enumerate(zip(self._smaller_entropy, found, strict=True)):
            seen = numbers >= 0
            entropy[seen, k] = smaller[numbers[seen]]
            if k > 0:
                room = max(0, n - k)
                lowest[:room] = np.minimum(lowest[:room], pairs[k - 1 :])
                pmi[seen, k] = lowest[seen]
        return Terms(pmi, entropy)

    @cached_property
    def _smaller_entropy(self) -> list[np.ndarray]:
        """The smaller of its two entropies for every n-gram of each length; cached for all texts."""
        return [np.minimum(level.left_entropy, level.right_entropy) for level in self.ngrams.levels]

    @cached_property
    def _pair_pmi(self) -> np.ndarray:
        return self.ngrams.pair_pmi(self.total)

    def _utility(self, terms: Terms) -> np.ndarray:
        if np.isinf(self.lam):
            return np.where(np.isfinite(terms.pmi), terms.entropy, -np.inf)
        return terms.pmi + self.lam * terms.entropy

    def lexicon(self) -> list[str]:
        """The n-grams of two or more characters that can win: no prefix has a higher utility.

        `cut` takes at every position the longest word of this list, or else one character.
        """
        levels, width = self.ngrams.levels, self.ngrams.n_symbols
        pmi = np.zeros(levels[0].keys.size)
        best = self._utility(Terms(pmi, self._smaller_entropy[0]))
        last = levels[0].keys
        words: list[str] = []
        for length, level in enumerate(levels[1:], start=2):
            parent, symbol = level.keys // width, level.keys % width
            pair = self._pair_pmi[np.searchsorted(levels[1].keys, (last[parent] - 1) * width + symbol)]
            pmi = pair if length == 2 else np.minimum(pmi[parent], pair)
            worth = self._utility(Terms(pmi, self._smaller_entropy[length - 1]))
            wins = worth >= best[parent]
            words += [text for text, won in zip(self.ngrams.texts(length), wins.tolist(), strict=True) if won]
            best, last = np.maximum(worth, best[parent]), symbol
        return words

    def cut(self, text: str) -> list[int]:
        """Ends of the spans, in characters; of spans with equal utility the longest wins."""
        utility = self._utility(self.terms(text))
        n_max = self.ngrams.n_max
        best = (n_max - np.argmax(utility[:, ::-1], axis=1)).tolist() if len(text) else []
        ends: list[int] = []
        at = 0
        while at < len(text):
            at += best[at]
            ends.append(at)
        return ends

    def cut_lines(self, lines: Sequence[str]) -> list[list[int]]:
        """`cut` for every line, with one lookup for all."""
        if "\n" in self.ngrams.characters or any("\n" in line for line in lines):
            return [self.cut(line) for line in lines]
        # A character in no n-gram is a span of its own, and no span crosses it.
        ends = self.cut("\n".join(lines))
        cuts: list[list[int]] = []
        at = begin = 0
        for line in lines:
            stop = begin + len(line)
            own = []
            while at < len(ends) and ends[at] <= stop:
                own.append(ends[at] - begin)
                at += 1
            at += at < len(ends)  # skip the line end itself
            cuts.append(own)
            begin = stop + 1
        return cuts

"""A language model over a tokenizer's tokens, to measure bits per character on held-back lines.

Interpolated Kneser-Ney over n-grams of three tokens (Kneser and Ney 1995; in the form of Chen and Goodman 1999,
section 2.7): P(w | u v) = (max(c(u v w) − D, 0) + D · N(u v •) · P(w | v)) / c(u v •), and likewise P(w | v) and P(w)
with N(• v w), the number of contexts, in place of the count. P(w) is interpolated with the uniform distribution over
all tokens and the end of a line, so every probability is positive. Every order has one discount, D = n1 / (n1 + 2 n2),
from its numbers of n-grams that occur once and twice; 1 is added to both, so that D is never 0 or 1.

Bits per character do not depend on the segmentation: a tokenizer with longer tokens makes fewer but harder predictions.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.measure.encoded import EncodedLines, units_per_line
from engine.measure.result import Measure, ratio_of_lines

ORDER = 3


class _Order(NamedTuple):
    """The n-grams of one length: counts of followers by context.

    Attributes
    ----------
    keys : int64[n_ngrams], `context * n_outcomes + follower`, ascending.
    counts : int64[n_ngrams].
    totals, kinds : int64[n_contexts], sum of counts and number of distinct followers of each context.
    discount : subtracted from each count.
    """

    keys: np.ndarray
    counts: np.ndarray
    totals: np.ndarray
    kinds: np.ndarray
    discount: float


class TokenModel:
    """Predicts the next token, or the end of the line, from the two before it; immutable.

    Parameters
    ----------
    ids : int64[n], the tokens of all lines.
    token_ptr : int64[n_lines + 1], where each line begins.
    n_tokens : size of the vocabulary.
    """

    def __init__(self, ids: np.ndarray, token_ptr: np.ndarray, n_tokens: int) -> None:
        self.n_outcomes = n_tokens + 1  # the last one is the line end, which also precedes a line
        first, second, third = self._trigrams(ids, token_ptr)
        # Observed contexts of two tokens.
        self._contexts, context = np.unique(first * self.n_outcomes + second, return_inverse=True)
        longest, counts = np.unique(context * self.n_outcomes + third, return_counts=True)
        followers, context = longest % self.n_outcomes, longest // self.n_outcomes
        pairs, in_contexts = np.unique(
            self._contexts[context] % self.n_outcomes * self.n_outcomes + followers, return_counts=True
        )
        singles, after = np.unique(pairs % self.n_outcomes, return_counts=True)
        self._orders = (
            self._order(singles, after, 1),
            self._order(pairs, in_contexts, self.n_outcomes),
            self._order(longest, counts, self._contexts.size),
        )

    def _order(self, keys: np.ndarray, counts: np.ndarray, n_contexts: int) -> _Order:
        context = keys // self.n_outcomes
        once, twice = 1 + np.count_nonzero(counts == 1), 1 + np.count_nonzero(counts == 2)
        totals = np.bincount(context, weights=counts, minlength=n_contexts).astype(np.int64)
        return _Order(keys, counts, totals, np.bincount(context, minlength=n_contexts), once / (once + 2 * twice))

    def _trigrams(self, ids: np.ndarray, token_ptr: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Every token and line end (int64[n + n_lines]) with the two tokens before it, padded with line ends."""
        line_end = self.n_outcomes - 1
        n_lines = token_ptr.size - 1
        padded = np.insert(ids.astype(np.int64), np.repeat(token_ptr, 2), line_end)
        predicted = np.ones(padded.size, dtype=bool)
        # Of the two line ends after a line only the first is predicted, of the two before the first line neither.
        predicted[token_ptr[1:] + 2 * np.arange(1, n_lines + 1) + 1] = False
        predicted[:2] = False
        at = np.flatnonzero(predicted)
        return padded[at - 2], padded[at - 1], padded[at]

    def _probability(self, first: np.ndarray, second: np.ndarray, third: np.ndarray) -> np.ndarray:
        """float64[n]: P(third | first second)."""
        whole = first * self.n_outcomes + second
        context = np.minimum(np.searchsorted(self._contexts, whole), self._contexts.size - 1)
        p = np.full(third.size, 1 / self.n_outcomes)
        nothing = np.zeros_like(third)
        for order, after, known in zip(
            self._orders, (nothing, second, context), (True, True, self._contexts[context] == whole), strict=True
        ):
            keys = after * self.n_outcomes + third
            at = np.minimum(np.searchsorted(order.keys, keys), order.keys.size - 1)
            seen = np.where(order.keys[at] == keys, order.counts[at] - order.discount, 0.0)
            total, kinds = order.totals[after], order.kinds[after]
            mixed = (seen + order.discount * kinds * p) / np.maximum(total, 1)
            p = np.where(known & (total > 0), mixed, p)
        return p

    def distribution(self, first: int, second: int) -> np.ndarray:
        """float64[n_outcomes]: P of every token and of the line end after two tokens; sums to 1."""
        third = np.arange(self.n_outcomes)
        return self._probability(np.full_like(third, first), np.full_like(third, second), third)

    def bits(self, ids: np.ndarray, token_ptr: np.ndarray) -> np.ndarray:
        """float64[n_lines]: −log2 P of every line including its end; arguments as for the model."""
        bits = -np.log2(self._probability(*self._trigrams(ids, token_ptr)))
        return np.add.reduceat(bits, token_ptr[:-1] + np.arange(token_ptr.size - 1))


def predicted_bits(training: EncodedLines, held_back: EncodedLines) -> np.ndarray:
    """float64[n_lines]: bits of each held-back line under the model of the training lines; one tokenizer for both."""
    model = TokenModel(training.ids, training.token_ptr, training.tokenizer.vocab_size)
    return model.bits(held_back.ids, held_back.token_ptr)


def bits_per_character(bits: np.ndarray, lines: Sequence[str], seed: int = 0) -> Measure:
    """Bits a character of held-back lines, from `predicted_bits`; a line's end is one of its characters.

    Comparable where every text can be read back from its tokens.

    >>> from engine import TrainingSettings, encode_lines, train
    >>> lines = ["가나 다라", "가나 마바", "가나 다라"]
    >>> encoded = encode_lines(train(lines, TrainingSettings(vocab_size=260)), lines)
    >>> measure = bits_per_character(predicted_bits(encoded, encoded), lines)
    >>> measure.n, measure.n_of, measure.value < 1
    (18, 'characters', True)
    """
    return ratio_of_lines("bits_per_character", bits, units_per_line(lines, "characters") + 1, "characters", seed)

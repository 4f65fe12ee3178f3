"""A language model over a tokenizer's tokens, to measure bits per character on held-back lines.

Interpolated Kneser-Ney over n-grams of tokens (Kneser and Ney 1995; in the form of Chen and Goodman 1999, section 2.7).
For three tokens, P(w | u v) = (max(c(u v w) − D, 0) + D · N(u v •) · P(w | v)) / c(u v •), and likewise P(w | v) and
P(w) with N(• v w), the number of contexts, in place of the count. P(w) is interpolated with the uniform distribution
over all tokens and the end of a line, so every probability is positive. Every order has one discount,
D = n1 / (n1 + 2 n2), from its numbers of n-grams that occur once and twice; 1 is added to both, so that D is never 0
or 1.

Bits per character do not depend on the segmentation: a tokenizer with longer tokens makes fewer but harder predictions.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.measure.encoded import EncodedLines

ORDER = 3


class _Table(NamedTuple):
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
    """Predicts the next token, or the end of the line, from those before it; immutable.

    Contains the models of all lower orders, which share its contexts.

    Parameters
    ----------
    ids : int64[n], the tokens of all lines.
    token_ptr : int64[n_lines + 1], where each line begins.
    n_tokens : size of the vocabulary.
    order : length of the longest n-grams.
    """

    def __init__(self, ids: np.ndarray, token_ptr: np.ndarray, n_tokens: int, order: int = ORDER) -> None:
        self.n_outcomes = n_tokens + 1  # the last one is the line end, which also precedes a line
        self.order = order
        before, following = self._windows(ids, token_ptr)
        # Observed contexts by length. A context is numbered by its first token and the number of the rest.
        self._contexts = [np.zeros(1, dtype=np.int64)]
        # By length of the context: how often each n-gram occurs, and after how many tokens it does.
        self._occurrences: list[_Table] = []
        self._continuations: list[_Table] = []
        context = np.zeros_like(following)
        for length in range(order):
            if length:
                contexts, context = np.unique(
                    before[length - 1] * self._contexts[-1].size + context, return_inverse=True
                )
                self._contexts.append(contexts)
            keys, counts = np.unique(context * self.n_outcomes + following, return_counts=True)
            if length:
                shorter = self._contexts[-1][keys // self.n_outcomes] % self._contexts[-2].size
                continued = np.unique(shorter * self.n_outcomes + keys % self.n_outcomes, return_counts=True)
                self._continuations.append(self._table(*continued, self._contexts[-2].size))
            self._occurrences.append(self._table(keys, counts, self._contexts[-1].size))

    def _table(self, keys: np.ndarray, counts: np.ndarray, n_contexts: int) -> _Table:
        context = keys // self.n_outcomes
        once, twice = 1 + np.count_nonzero(counts == 1), 1 + np.count_nonzero(counts == 2)
        totals = np.bincount(context, weights=counts, minlength=n_contexts).astype(np.int64)
        return _Table(keys, counts, totals, np.bincount(context, minlength=n_contexts), once / (once + 2 * twice))

    def _windows(self, ids: np.ndarray, token_ptr: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """The tokens before every token and line end, nearest first, padded with line ends; and these themselves.

        Each is int64[n + n_lines].
        """
        n_before = self.order - 1
        sizes = np.diff(token_ptr)
        line = np.arange(sizes.size)
        padded = np.full(ids.size + sizes.size * self.order, self.n_outcomes - 1)
        padded[np.arange(ids.size) + np.repeat(line * self.order, sizes) + n_before] = ids
        at = np.arange(ids.size + sizes.size) + np.repeat(line * n_before, sizes + 1) + n_before
        return [padded[at - k] for k in range(1, self.order)], padded[at]

    def _probability(self, before: Sequence[np.ndarray], following: np.ndarray, order: int) -> np.ndarray:
        """float64[n]: P of every token after those before it, nearest first."""
        p = np.full(following.size, 1 / self.n_outcomes)
        context = np.zeros_like(following)
        known = np.ones(following.size, dtype=bool)
        for length in range(order):
            if length:
                contexts = self._contexts[length]
                wanted = before[length - 1] * self._contexts[length - 1].size + context
                context = np.minimum(np.searchsorted(contexts, wanted), contexts.size - 1)
                known &= contexts[context] == wanted
            table = self._occurrences[length] if length == order - 1 else self._continuations[length]
            keys = context * self.n_outcomes + following
            at = np.minimum(np.searchsorted(table.keys, keys), table.keys.size - 1)
            seen = np.where(table.keys[at] == keys, table.counts[at] - table.discount, 0.0)
            mixed = (seen + table.discount * table.kinds[context] * p) / table.totals[context]
            p = np.where(known, mixed, p)
        return p

    def probabilities(self, before: Sequence[np.ndarray], following: np.ndarray) -> np.ndarray:
        """float64[n]: P of every token, or of the line end, after those before it, nearest first, int64[n] each."""
        return self._probability(before, following, self.order)

    def bits(self, ids: np.ndarray, token_ptr: np.ndarray, order: int | None = None) -> np.ndarray:
        """float64[n_lines]: −log2 P of every line including its end, under the model of `order`, by default its own."""
        bits = -np.log2(self._probability(*self._windows(ids, token_ptr), order or self.order))
        return np.add.reduceat(bits, token_ptr[:-1] + np.arange(token_ptr.size - 1))


def token_model(training: EncodedLines, order: int = ORDER) -> TokenModel:
    """The model of the training lines."""
    return TokenModel(training.ids, training.token_ptr, training.tokenizer.vocab_size, order)

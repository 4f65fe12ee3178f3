"""A character n-gram language model and its predictive entropy.

Witten-Bell interpolation (Witten and Bell 1991, method C; Jelinek-Mercer form as in Chen and Goodman 1999, section
2.4): P(c | h) = (f(h c) + N(h) P(c | h')) / (f(h) + N(h)), where N(h) is the number of distinct characters that
followed h, and h' is h without its first character. The unigram is interpolated with the uniform distribution over the
alphabet, the edge of a sentence and one unknown character.
"""

from functools import cached_property

import numpy as np

from engine.boundaries.ngrams import Ngrams
from engine.errors import require_between, require_choice
from engine.exact_math import logs

RULES = ("peak", "rise")
# The best on Chinese gold text (docs/boundaries.md).
DEFAULT_ORDER, DEFAULT_RULE = 2, "rise"


class CharacterModel:
    """Predicts the next character; immutable.

    Parameters
    ----------
    ngrams : counts of the training corpus.
    order : length of the n-grams used: the context is `order - 1` characters. At most `ngrams.n_max`.
    """

    def __init__(self, ngrams: Ngrams, order: int = DEFAULT_ORDER) -> None:
        require_between("lm_order", order, 1, ngrams.n_max)
        self.ngrams, self.order = ngrams, order
        # Symbols: 0 is the end of a sentence, 1.. the alphabet, the last one any unknown character.
        self.n_outcomes = ngrams.n_symbols + 1
        # Every character and every end of a sentence is an outcome.
        self._n_follows = ngrams.n_characters + ngrams.n_lines

    @cached_property
    def context_entropies(self) -> list[np.ndarray]:
        """For each context length from 0 to order - 1, float64[n_ngrams]: entropy (nats) after that context.

        P(.|h) is proportional to P(.|h') on all symbols that did not follow h, so one sum over the n-grams of a length
        gives the entropies of all contexts one shorter: the symbols that did not follow h add
        b log b (1 - S') - b (H(h') - H'), where b = N(h) / (f(h) + N(h)) and S', H' are the probability and the
        entropy terms, under h', of those that did.
        """
        width = self.ngrams.n_symbols
        # For the shorter context of each context: the entropy, P(end), and P of every follower.
        entropy, ended = logs(np.array([float(self.n_outcomes)])), np.array([1.0 / self.n_outcomes])
        shorter = np.zeros(1, dtype=np.int64)  # index of the context without its first character
        follower = np.full(self.ngrams.levels[0].keys.size, 1.0 / self.n_outcomes)
        found = []
        for length in range(self.order):
            level = self.ngrams.levels[length]
            owner = level.keys // width if length else np.zeros(level.keys.size, dtype=np.int64)
            size = self.ngrams.levels[length - 1].keys.size if length else 1
            total = self.ngrams.levels[length - 1].counts if length else np.array([self._n_follows])
            followed = np.bincount(owner, weights=level.counts, minlength=size)
            n_ended = total - followed
            kinds = np.bincount(owner, minlength=size) + (n_ended > 0)
            before = ended[shorter]
            p = (level.counts + kinds[owner] * follower) / (total + kinds)[owner]
            ended = (n_ended + kinds * before) / (total + kinds)
            share = kinds / (total + kinds)
            seen_end = np.where(n_ended > 0, before, 0.0)
            seen = np.bincount(owner, weights=follower, minlength=size) + seen_end
            terms = np.bincount(owner, weights=_terms(follower), minlength=size) + _terms(seen_end)
            own = np.bincount(owner, weights=_terms(p), minlength=size) + np.where(n_ended > 0, _terms(ended), 0.0)
            rest = _terms(share) * np.maximum(1.0 - seen, 0.0) + share * (entropy[shorter] - terms)
            entropy = own + rest
            found.append(entropy)
            if length + 1 < self.order:
                shorter = self._without_first(length + 1, shorter)
                follower = p[self._without_first(length + 2, shorter)]
        return found

    def _without_first(self, length: int, shorter: np.ndarray) -> np.ndarray:
        """int64: for every n-gram of the length, the index of its last `length - 1` characters.

        `shorter` is the same for n-grams one shorter.
        """
        width = self.ngrams.n_symbols
        keys = self.ngrams.levels[length - 1].keys
        if length == 1:
            return np.zeros(keys.size, dtype=np.int64)
        return np.searchsorted(self.ngrams.levels[length - 2].keys, shorter[keys // width] * width + keys % width)

    def entropies(self, text: str) -> np.ndarray:
        """float64[len(text)]: entropy (nats) of the model's prediction at every position."""
        values = np.full(len(text), self.context_entropies[0][0])
        numbers = self.ngrams.numbers(text)
        for length in range(1, min(self.order, len(text))):
            # The longest seen context decides: interpolation adds nothing from an unseen one.
            number = numbers[length - 1][: len(text) - length]
            known = number >= 0
            values[length:][known] = self.context_entropies[length][number[known]]
        return values


def _terms(p: np.ndarray) -> np.ndarray:
    """-p log p, 0 where p is 0."""
    return 0.0 - p * logs(np.where(p > 0, p, 1.0))  # never -0.0


def entropy_cuts(entropies: np.ndarray, rule: str = DEFAULT_RULE) -> list[int]:
    """Ends of the pieces of a text, from the predictive entropy at each of its characters.

    Parameters
    ----------
    rule : `rise`: a character begins a piece if its entropy is above the previous one (it was harder to predict);
        `peak`: if it is also not below the next one.

    Raises
    ------
    InputError : the rule is unknown.
    """
    require_choice("rule", rule, RULES)
    n = entropies.size
    begins = [
        at
        for at in range(1, n)
        if entropies[at] > entropies[at - 1] and (rule == "rise" or at == n - 1 or entropies[at] >= entropies[at + 1])
    ]
    return [*begins, n] if n else []

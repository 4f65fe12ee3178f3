"""A character n-gram language model and the entropy of what it expects next.

Witten-Bell interpolation (Witten and Bell 1991, method C; Jelinek-Mercer form as in Chen and Goodman 1999, section
2.4): P(c | h) = (f(h c) + N(h) P(c | h')) / (f(h) + N(h)), where N(h) counts the different characters that followed
h, and h' is h without its first character. Below one character it is interpolated with the uniform distribution over
the alphabet, the edge of a sentence and one unknown character.
"""

import numpy as np

from engine.boundaries.ngrams import Ngrams
from engine.errors import InputError

RULES = ("peak", "rise")


class CharacterModel:
    """Predicts the next character; immutable.

    Parameters
    ----------
    ngrams : counts of the training corpus.
    order : length of the n-grams used: the context is `order - 1` characters. At most `ngrams.n_max`.
    """

    def __init__(self, ngrams: Ngrams, order: int = 2) -> None:
        if not 1 <= order <= ngrams.n_max:
            raise InputError(f"the order must be between 1 and {ngrams.n_max}, got {order}; count longer n-grams")
        self.ngrams, self.order = ngrams, order
        # Symbols: 0 the end of a sentence, 1.. the alphabet, the last one whatever the corpus does not have.
        self.n_outcomes = ngrams.n_symbols + 1

    def distribution(self, context: str) -> np.ndarray:
        """float64[n_outcomes]: probability of everything that may come next; sums to 1."""
        p = np.full(self.n_outcomes, 1.0 / self.n_outcomes)
        known = self._followers(0, -1)
        p = self._interpolated(p, *known)
        for length in range(1, self.order):
            if length > len(context):
                break
            numbers = self.ngrams.numbers(context[len(context) - length :])
            number = int(numbers[length - 1][0])
            if number < 0:
                break  # a longer context is unseen too
            p = self._interpolated(p, *self._followers(length, number))
        return p

    def _followers(self, length: int, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Symbols that followed an n-gram and how often; the end of the sentence is symbol 0."""
        width = self.ngrams.n_symbols
        level = self.ngrams.levels[length]
        if length == 0:
            symbols, counts = level.keys, level.counts
            return symbols, counts
        low, high = np.searchsorted(level.keys, [number * width, (number + 1) * width])
        symbols, counts = level.keys[low:high] - number * width, level.counts[low:high]
        ended = int(self.ngrams.levels[length - 1].counts[number] - counts.sum())
        if ended > 0:
            symbols, counts = np.append(symbols, 0), np.append(counts, ended)
        return symbols, counts

    @staticmethod
    def _interpolated(p: np.ndarray, symbols: np.ndarray, counts: np.ndarray) -> np.ndarray:
        total, kinds = counts.sum(), symbols.size
        mixed = p * (kinds / (total + kinds))
        mixed[symbols] += counts / (total + kinds)
        return mixed

    def entropies(self, text: str) -> np.ndarray:
        """float64[len(text)]: entropy (nats) of what the model expects at every position, before it sees it."""
        values = np.empty(len(text))
        seen: dict[str, float] = {}
        for at in range(len(text)):
            context = text[max(0, at - self.order + 1) : at]
            if context not in seen:
                p = self.distribution(context)
                seen[context] = float(-(p * np.log(p)).sum())
            values[at] = seen[context]
        return values

    def cut(self, text: str, rule: str = "rise") -> list[int]:
        """Ends of the pieces; see `entropy_cuts`."""
        return entropy_cuts(self.entropies(text), rule)


def entropy_cuts(entropies: np.ndarray, rule: str = "rise") -> list[int]:
    """Ends of the pieces of a text, from the predictive entropy at each of its characters.

    Parameters
    ----------
    rule : `rise`: a character begins a piece where its entropy is higher than the one before it (the expected
        character was harder to guess); `peak`: where it is also not lower than the one behind it.

    Raises
    ------
    InputError : there is no such rule.
    """
    if rule not in RULES:
        raise InputError(f"unknown rule {rule!r}; choose one of: {', '.join(RULES)}")
    n = entropies.size
    begins = [
        at
        for at in range(1, n)
        if entropies[at] > entropies[at - 1] and (rule == "rise" or at == n - 1 or entropies[at] >= entropies[at + 1])
    ]
    return [*begins, n] if n else []

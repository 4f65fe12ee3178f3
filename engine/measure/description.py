"""Description length: how many bits a text takes when the vocabulary that it is written with has to be told as well.

A two-part code (Rissanen 1978; for vocabularies de Marcken 1996 and Morfessor Baseline, Creutz and Lagus 2007): first
every token's spelling and count, then the text as tokens. A larger vocabulary makes the text shorter and the
vocabulary longer; somewhere between a character and the whole text the sum is smallest.
"""

from collections.abc import Sequence
from math import lgamma
from typing import NamedTuple

import numpy as np

from engine.exact_math import logs
from engine.tokenizer import MergedTokenizer

_LN2 = float(np.log(2))


class DescriptionLength(NamedTuple):
    """Bits of the two parts: of the text as tokens, and of the vocabulary."""

    text: float
    vocabulary: float

    @property
    def total(self) -> float:
        """Bits of both."""
        return self.text + self.vocabulary


def description_length(counts: np.ndarray, spellings: list[bytes]) -> DescriptionLength:
    """The two parts for a text that uses the tokens so often.

    The text has −log2 of its tokens' own shares, the best that a code of single tokens can do. Of the vocabulary only
    tokens that the text uses are told: their bytes and an end each, coded by the shares of these bytes and ends, and
    their counts, which are one of (N − 1 over M − 1) ways to share N tokens out among M kinds.

    Parameters
    ----------
    counts : int64[n_tokens], uses in the text.
    spellings : the bytes of each token.

    >>> length = description_length(np.array([2, 2]), [b"a", b"b"])
    >>> length.text, round(length.vocabulary, 3)
    (4.0, 7.585)
    """
    used = np.flatnonzero(counts)
    told = b"".join(spellings[i] for i in used.tolist())
    n, kinds = int(counts.sum()), used.size
    marks = np.append(np.bincount(np.frombuffer(told, dtype=np.uint8), minlength=256), kinds)
    return DescriptionLength(_code_bits(counts), _code_bits(marks) + _choices_bits(n - 1, kinds - 1))


def description_by_merges(
    model: MergedTokenizer, lines: Sequence[str], numbers: Sequence[int]
) -> list[DescriptionLength]:
    """The same for the training text of a merge model after so many merges each, without encoding it again.

    A merge takes as many tokens away as it makes, of either part one.

    Parameters
    ----------
    lines : the training text.
    numbers : of merges, ascending.
    """
    first = [token for line in lines for token in model.encode_after(0, line).ids]
    counts = np.bincount(first, minlength=model.n_first + model.n_merges)
    history = model.history
    made = -np.diff(history.n_tokens, prepend=model.n_symbols)
    spellings = [model.token_bytes(i) for i in range(counts.size)]
    found, done = [], 0
    for number in numbers:
        for k in range(done, number):
            counts[history.left[k]] -= made[k]
            counts[history.right[k]] -= made[k]
            counts[model.n_first + k] = made[k]
        done = number
        found.append(description_length(counts, spellings))
    return found


def _code_bits(counts: np.ndarray) -> float:
    """−log2 of the shares of so many symbols, over all of them."""
    used = counts[counts > 0].astype(np.float64)
    return float((used * (logs(np.array([used.sum()])) - logs(used))).sum() / _LN2) if used.size else 0.0


def _choices_bits(n: int, k: int) -> float:
    """log2 of the ways to choose k of n."""
    return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / _LN2 if k > 0 else 0.0

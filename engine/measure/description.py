"""Description length: the bits to encode a text and the vocabulary that it is written with.

A two-part code (Rissanen 1978; for vocabularies de Marcken 1996 and Morfessor Baseline, Creutz and Lagus 2007): first
every token's spelling and count, then the text as tokens. A larger vocabulary makes the text shorter and the
vocabulary longer; the sum has a minimum between single characters and the whole text.
"""

from math import lgamma
from typing import NamedTuple

import numpy as np

from engine.exact_math import logs

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
    """The two parts, given how often a text uses each token.

    The text takes −log2 of its tokens' own shares, the optimum of a unigram code. The vocabulary consists only of
    tokens that the text uses: their bytes and an end mark each, coded by the shares of these bytes and marks, and their
    counts, one of C(N − 1, M − 1) ways to distribute N tokens over M types.

    Parameters
    ----------
    counts : int64[n_tokens], uses in the text.
    spellings : bytes of each token.

    >>> length = description_length(np.array([2, 2]), [b"a", b"b"])
    >>> length.text, round(length.vocabulary, 3)
    (4.0, 7.585)
    """
    used = np.flatnonzero(counts)
    spelled = b"".join(spellings[i] for i in used.tolist())
    n, kinds = int(counts.sum()), used.size
    marks = np.append(np.bincount(np.frombuffer(spelled, dtype=np.uint8), minlength=256), kinds)
    return DescriptionLength(_code_bits(counts), _code_bits(marks) + _choices_bits(n - 1, kinds - 1))


def _code_bits(counts: np.ndarray) -> float:
    """Bits of a sequence with these symbol counts, coded by the symbols' own shares."""
    used = counts[counts > 0].astype(np.float64)
    return float((used * (logs(np.array([used.sum()])) - logs(used))).sum() / _LN2) if used.size else 0.0


def _choices_bits(n: int, k: int) -> float:
    """log2 of the ways to choose k of n."""
    return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / _LN2 if k > 0 else 0.0

"""Measures of a token frequency distribution: entropies, efficiencies, utilisation.

Efficiencies divide by the logarithm of a vocabulary size; whether that is the observed or the full vocabulary changes
the result and is part of the definition.
"""

import numpy as np

from engine.measure.encoded import EncodedLines
from engine.measure.result import Measure, ratio

ALPHA = 2.5  # order at which Renyi efficiency predicted translation quality best (Zouhar et al. 2023)


def shannon_entropy(counts: np.ndarray) -> float:
    """H = -sum p log2 p of the relative frequencies, bits per token (Shannon 1948); NaN without counts."""
    p = _probabilities(counts)
    return float(-(p * np.log2(p)).sum()) + 0.0 if p.size else float("nan")


def renyi_entropy(counts: np.ndarray, alpha: float = ALPHA) -> float:
    """H_alpha = log2(sum p^alpha) / (1 - alpha), bits per token (Renyi 1961; Zouhar et al. 2023, eq. 6).

    For alpha 1 it is the limit, Shannon's entropy.
    """
    p = _probabilities(counts)
    if alpha == 1:
        return shannon_entropy(counts)
    return float(np.log2((p**alpha).sum()) / (1 - alpha)) + 0.0 if p.size else float("nan")


def renyi_efficiency(counts: np.ndarray, alpha: float = ALPHA, vocabulary_size: int | None = None) -> float:
    """H_alpha / log2 |V| (Zouhar et al. 2023).

    Parameters
    ----------
    counts : occurrences of every token; zeros are allowed.
    alpha : order; 1 gives Shannon efficiency.
    vocabulary_size : |V|; None for the number of tokens that occur, as in tokenization-scorer.

    Examples
    --------
    >>> renyi_efficiency(np.array([5, 5, 5, 5]))
    1.0
    """
    size = int((np.asarray(counts) > 0).sum()) if vocabulary_size is None else vocabulary_size
    return ratio(renyi_entropy(counts, alpha), np.log2(size)) if size > 1 else float("nan")


def percentile_frequency(counts: np.ndarray, low: float = 0.03, high: float = 0.83) -> float:
    """Probability mass of the types between two percentiles of frequency rank (Gowda and May 2020).

    Ranks are cut as in tokenization-scorer: the last type is always excluded, and at least one type is included.
    """
    p = np.sort(_probabilities(counts))[::-1]
    if p.size < 2:
        return float("nan")
    first, last = (min(int(p.size * share), p.size - 1) for share in (low, high))
    if first == last:
        first = max(0, first - 1)
    if first == last:
        last = min(p.size - 1, last + 1)
    return float(p[first:last].sum())


def naive_bits(counts: np.ndarray) -> float:
    """|T| log2 |U|: size of the text when every observed token costs the same (tokenization-scorer, negated there)."""
    counts = np.asarray(counts)
    used = int((counts > 0).sum())
    return float(counts.sum() * np.log2(used)) if used else float("nan")


def vocabulary_utilisation(encoded: EncodedLines) -> Measure:
    """|U| / |V|: share of the vocabulary that occurs in the text (TokEval). It grows with the length of the text."""
    counts = encoded.counts()
    return Measure("vocabulary_utilisation", ratio((counts > 0).sum(), counts.size), counts.size, "vocabulary tokens")


def distribution_measures(encoded: EncodedLines) -> list[Measure]:
    """Entropy, efficiency (of the tokens that occur), percentile frequency, bits and utilisation of a text."""
    counts = encoded.counts()
    values = {
        "shannon_entropy": shannon_entropy(counts),
        "shannon_efficiency": renyi_efficiency(counts, 1.0),
        "renyi_entropy": renyi_entropy(counts),
        "renyi_efficiency": renyi_efficiency(counts),
        "percentile_frequency": percentile_frequency(counts),
        "naive_bits": naive_bits(counts),
    }
    n = encoded.n_tokens
    return [*(Measure(name, value, n, "tokens") for name, value in values.items()), vocabulary_utilisation(encoded)]


def _probabilities(counts: np.ndarray) -> np.ndarray:
    counts = np.asarray(counts, dtype=np.float64)
    counts = counts[counts > 0]
    return counts / counts.sum() if counts.size else counts

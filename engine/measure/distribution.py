"""Measures of a token frequency distribution: entropies, efficiencies, utilisation.

Efficiencies divide by the logarithm of a vocabulary size; whether that is the observed or the full vocabulary changes
the result and is part of the definition.
"""

from collections.abc import Sequence

import numpy as np

from engine.measure.encoded import EncodedLines, units_per_line
from engine.measure.result import Measure, ratio, ratio_of_lines
from engine.tokenizer import LatticeTokenizer

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


def renyi_efficiency(counts: np.ndarray, alpha: float = ALPHA) -> float:
    """H_alpha / log2 |U| (Zouhar et al. 2023), as in tokenization-scorer.

    Parameters
    ----------
    counts : occurrences of every token; |U| of them are above zero.
    alpha : order; 1 gives Shannon efficiency.

    Examples
    --------
    >>> renyi_efficiency(np.array([5, 5, 5, 5]))
    1.0
    """
    size = int((np.asarray(counts) > 0).sum())
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


def viterbi_bits_per_byte(model: LatticeTokenizer, lines: Sequence[str]) -> Measure:
    """-log2 P(best segmentation) / bytes under the model's own probabilities (Kudo 2018, eq. 3 for P)."""
    nats = np.array([-lattice.best_log_prob for lattice in map(model.lattice, lines)])
    return _per_byte("viterbi_bits_per_byte", nats, lines)


def marginal_bits_per_byte(model: LatticeTokenizer, lines: Sequence[str]) -> Measure:
    """-log2 of the sum of P over all segmentations / bytes; at most the Viterbi figure (Kudo 2018, eq. 4).

    The sum is over the segmentations that the model's pre-tokenization allows.
    """
    nats = np.array([-lattice.log_z for lattice in map(model.lattice, lines)])
    return _per_byte("marginal_bits_per_byte", nats, lines)


def empirical_bits_per_byte(encoded: EncodedLines) -> Measure:
    """H |T| / bytes with the token frequencies of the same text: for tokenizers without probabilities.

    Optimistic on short texts, because the frequencies come from the text itself; not comparable with the other two.
    """
    n = int(units_per_line(encoded.lines, "bytes").sum())
    bits = shannon_entropy(encoded.counts()) * encoded.n_tokens
    return Measure("empirical_bits_per_byte", ratio(bits, n), n, "bytes")


def _per_byte(name: str, nats: np.ndarray, lines: Sequence[str]) -> Measure:
    return ratio_of_lines(name, nats / np.log(2), units_per_line(lines, "bytes"), "bytes")

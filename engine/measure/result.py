"""A measured number with its sample size and definition, and bootstrap intervals for ratios over lines."""

from typing import NamedTuple

import numpy as np

from engine.errors import require_between

LEVEL = 0.95
RESAMPLES = 1000
_CHUNK = 2_000_000  # random numbers in memory at once


class Interval(NamedTuple):
    """A bootstrap percentile interval at LEVEL."""

    low: float
    high: float


class Measure(NamedTuple):
    """A number that is never shown alone; the catalogue defines it, under `fertility.define`.

    Attributes
    ----------
    name : identifier of the measure.
    value : the number; NaN if there is nothing to measure.
    n : number of `n_of` in the sample.
    n_of : what n counts: "words", "tokens", "lines", ...
    interval : bootstrap interval over lines, where the number is a mean; else None.
    """

    name: str
    value: float
    n: int
    n_of: str
    interval: Interval | None = None


def ratio(numerator: float, denominator: float) -> float:
    """numerator / denominator, NaN where the denominator is 0."""
    return float(numerator) / float(denominator) if denominator else float("nan")


def ratio_of_lines(name: str, numerator: np.ndarray, denominator: np.ndarray, n_of: str, seed: int = 0) -> Measure:
    """sum(numerator) / sum(denominator), [n_lines] each, with its interval; the denominator counts `n_of`."""
    total = denominator.sum()
    interval = bootstrap_ratio(numerator, denominator, seed)
    return Measure(name, ratio(numerator.sum(), total), int(total), n_of, interval)


def bootstrap_ratio(
    numerator: np.ndarray, denominator: np.ndarray, seed: int = 0, resamples: int = RESAMPLES
) -> Interval | None:
    """Interval of sum(numerator) / sum(denominator) when lines are resampled with replacement.

    The percentile bootstrap of Efron and Tibshirani (1993, chapter 13) with lines as units.

    Parameters
    ----------
    numerator, denominator : [n_lines], what each line adds to the sums.
    seed : of the bootstrap.
    resamples : number of draws.

    Returns
    -------
    interval : None for fewer than two lines, or if a draw has an empty denominator.
    """
    n = numerator.size
    if n < 2:
        return None
    # Lines with the same two numbers are interchangeable: draw the count of each kind.
    kinds, counts = _distinct_pairs(numerator, denominator)
    random = generator(seed)
    sums = np.empty((resamples, 2))
    step = max(1, _CHUNK // counts.size)
    for at in range(0, resamples, step):
        size = min(step, resamples - at)
        sums[at : at + size] = random.multinomial(n, counts / n, size=size) @ kinds
    if (sums[:, 1] == 0).any():
        return None
    return percentiles(sums[:, 0] / sums[:, 1])


def _distinct_pairs(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct pairs (float64[n_pairs, 2], in lexicographic order) and how many there are of each."""
    pairs = np.column_stack([first, second])
    if pairs.dtype.kind == "i" and pairs.min() >= 0 and int(pairs.max()) < 1 << 31:  # one number sorts much faster
        numbers, counts = np.unique(pairs[:, 0].astype(np.int64) << 31 | pairs[:, 1], return_counts=True)
        return np.column_stack([numbers >> 31, numbers & (1 << 31) - 1]).astype(np.float64), counts
    return np.unique(pairs.astype(np.float64), axis=0, return_counts=True)


def generator(seed: int) -> np.random.Generator:
    """What draws; InputError for a seed out of range."""
    require_between("seed", seed, 0, 2**31 - 1)
    return np.random.default_rng(seed)


def bootstrap_median(values: np.ndarray, seed: int = 0, resamples: int = RESAMPLES) -> Interval | None:
    """Interval of the median of `values` (float64[n_lines]); None for fewer than two."""
    if values.size < 2:
        return None
    random = generator(seed)
    medians = np.empty(resamples)
    step = max(1, _CHUNK // values.size)
    for at in range(0, resamples, step):
        index = random.integers(0, values.size, size=(min(step, resamples - at), values.size), dtype=np.int32)
        medians[at : at + index.shape[0]] = np.median(values.take(index), axis=1)
    return percentiles(medians)


def percentiles(values: np.ndarray) -> Interval:
    """The central LEVEL of the values."""
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))

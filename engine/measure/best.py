"""Which of several tokenizers are best, as far as a text can distinguish them: paired comparisons by line."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.measure.result import RESAMPLES, Interval, percentiles, ratio


class FromBest(NamedTuple):
    """A ratio compared with the best of several.

    Attributes
    ----------
    difference : from the best, whose own is 0; NaN if either is unknown.
    interval : of the paired difference; None for fewer than two lines, or if a draw has an empty denominator.
    """

    difference: float
    interval: Interval | None

    @property
    def is_best(self) -> bool:
        """Whether the text cannot distinguish it from the best: the interval contains 0."""
        return self.interval is not None and self.interval.low <= 0 <= self.interval.high

    def fields(self) -> dict[str, float | None]:
        """As in the commands' output and the stored figures; None for unknown values."""
        low, high = self.interval or (None, None)
        difference = None if np.isnan(self.difference) else self.difference
        return {"from_best": difference, "from_best_low": low, "from_best_high": high, "best": self.is_best}


def from_best(sums: Sequence[np.ndarray], is_lowest: bool = False, seed: int = 0) -> list[FromBest]:
    """Differences of ratios, each sum(numerator) / sum(denominator), from the highest or the lowest of them.

    Lines are resampled with replacement, with the same draws for all (Efron and Tibshirani 1993, chapter 8), so that
    variation common to both sides of a pair cancels. A pair's interval does not depend on the others.

    Parameters
    ----------
    sums : int[n_lines, 2] for each, what every line adds to numerator and denominator; the same lines for all.
    is_lowest : whether lower is better.
    seed : of the bootstrap.
    """
    ratios = np.array([ratio(*own.sum(axis=0)) for own in sums])
    if np.isnan(ratios).all():
        return [FromBest(float("nan"), None)] * len(sums)
    best = int(np.nanargmin(ratios) if is_lowest else np.nanargmax(ratios))
    drawn = _drawn(np.hstack(sums), seed).reshape(-1, len(sums), 2)
    return [FromBest(float(ratios[k] - ratios[best]), _interval(drawn[:, k], drawn[:, best])) for k in range(len(sums))]


def _drawn(columns: np.ndarray, seed: int) -> np.ndarray:
    """float64[n_resamples, n_columns]: column sums over resampled lines; no rows for fewer than two lines."""
    n = len(columns)
    if n < 2:
        return np.empty((0, columns.shape[1]))
    random = np.random.default_rng(seed)
    values = columns.astype(np.float64)
    counts = (np.bincount(random.integers(0, n, n), minlength=n) for _ in range(RESAMPLES))
    return np.array([count @ values for count in counts])


def _interval(own: np.ndarray, best: np.ndarray) -> Interval | None:
    """Interval of the differences over all draws; each argument is float64[n_resamples, 2], numerator, denominator."""
    if not own.size or not (own[:, 1].all() and best[:, 1].all()):
        return None
    return percentiles(own[:, 0] / own[:, 1] - best[:, 0] / best[:, 1])

"""Which of several tokenizers tie with the best of a table, as far as the texts can distinguish them."""

from collections.abc import Sequence
from math import erfc, inf, log1p, sqrt
from typing import NamedTuple

import numpy as np

from engine.measure.result import LEVEL, RESAMPLES, Interval, generator, percentiles, ratio

_NEVER_EMPTY = 60  # lines with a denominator, at which a draw without any of them has a probability below 1e-26


class FromBest(NamedTuple):
    """A ratio compared with the best of its text.

    Attributes
    ----------
    difference : from the best, whose own is 0; NaN if either is unknown.
    interval : of the paired difference, extended to 0 where p does not exclude it; None for fewer than two lines, or
        if a draw has an empty denominator.
    p : that they are equal, after Holm's correction over the table; None without an interval.
    """

    difference: float
    interval: Interval | None
    p: float | None = None

    @property
    def is_best(self) -> bool:
        """Whether the table cannot distinguish it from the best."""
        return self.p is not None and self.p > 1 - LEVEL

    def fields(self) -> dict[str, float | None]:
        """As in the commands' output and the stored figures; None for unknown values."""
        low, high = self.interval or (None, None)
        difference = None if np.isnan(self.difference) else self.difference
        return {
            "from_best": difference,
            "from_best_low": low,
            "from_best_high": high,
            "from_best_p": self.p,
            "best": self.is_best,
        }


def ties_with_best(
    table: Sequence[Sequence[np.ndarray]], is_lowest: bool = False, seed: int = 0
) -> list[list[FromBest]]:
    """Compare the ratios of each text, each sum(numerator) / sum(denominator), with the highest or the lowest of them.

    Lines are resampled with replacement, with the same draws for all (Efron and Tibshirani 1993, chapter 8), so that
    variation common to both sides of a pair cancels. A pair's p-value is corrected for all comparisons of the table
    (Holm 1979). Its interval depends on the others only where it would exclude 0 and the p-value does not.

    Parameters
    ----------
    table : by text, and within it by tokenizer: float[n_lines, 2], what every line adds to numerator and denominator;
        the same lines for all tokenizers of a text.
    is_lowest : whether lower is better.
    seed : of the bootstrap.
    """
    found = [_compared(sums, is_lowest, seed) for sums in table]
    places = [
        (i, k) for i, (best, own) in enumerate(found) for k, one in enumerate(own) if k != best and one.p is not None
    ]
    adjusted = holm([found[i][1][k].p or 0.0 for i, k in places])
    for (i, k), p in zip(places, adjusted, strict=True):
        low, high = found[i][1][k].interval or (0.0, 0.0)
        interval = Interval(min(low, 0.0), max(high, 0.0)) if p > 1 - LEVEL else Interval(low, high)
        found[i][1][k] = found[i][1][k]._replace(interval=interval, p=p)
    return [own for _, own in found]


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values of Holm (1979): the i-th smallest of m times m - i + 1, never below a smaller one's."""
    p = np.array(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1.0)
    return adjusted.tolist()


def _compared(sums: Sequence[np.ndarray], is_lowest: bool, seed: int) -> tuple[int, list[FromBest]]:
    """The place of the best of one text (-1: none), and each against it, p uncorrected."""
    ratios = np.array([ratio(*own.sum(axis=0)) for own in sums])
    if np.isnan(ratios).all():
        return -1, [FromBest(float("nan"), None)] * len(sums)
    best = int(np.nanargmin(ratios) if is_lowest else np.nanargmax(ratios))
    n = len(sums[best])
    if len(sums) == 1 and np.count_nonzero(sums[0][:, 1]) >= _NEVER_EMPTY:
        return best, [FromBest(0.0, Interval(0.0, 0.0), 1.0)]  # as the draws would say
    drawn = _drawn(np.hstack(sums), seed).reshape(-1, len(sums), 2)
    found = []
    for k, value in enumerate(ratios):
        difference = float(value - ratios[best])
        draws = _differences(drawn[:, k], drawn[:, best])
        if draws is None:
            found.append(FromBest(difference, None))
            continue
        interval, p = percentiles(draws), _p_value(difference, float(draws.std(ddof=1)), n)
        if interval.low <= 0 <= interval.high:  # then so many draws are on the other side
            p = max(p, 2 * (1 + min((draws <= 0).sum(), (draws >= 0).sum())) / (1 + draws.size))
        found.append(FromBest(difference, interval, min(p, 1.0)))
    return best, found


def _p_value(difference: float, error: float, n_lines: int) -> float:
    """Two-sided p-value of a difference with its bootstrap standard error: Student's t with n_lines - 1 degrees of
    freedom, as a normal deviate (Wallace 1959). Never below that of a sign test on as many lines."""
    if difference == 0:
        return 1.0
    squared, free = (difference / error) ** 2 if error else inf, n_lines - 1
    z = (8 * free + 1) / (8 * free + 3) * sqrt(free * log1p(squared / free))
    return max(erfc(z / sqrt(2)), 2.0 ** (1 - n_lines))


def _drawn(columns: np.ndarray, seed: int) -> np.ndarray:
    """float64[n_resamples, n_columns]: column sums over resampled lines; no rows for fewer than two lines."""
    n = len(columns)
    if n < 2:
        return np.empty((0, columns.shape[1]))
    random = generator(seed)
    values = columns.astype(np.float64)
    counts = (np.bincount(random.integers(0, n, n), minlength=n) for _ in range(RESAMPLES))
    return np.array([count @ values for count in counts])


def _differences(own: np.ndarray, best: np.ndarray) -> np.ndarray | None:
    """Differences over all draws; each argument is float64[n_resamples, 2], numerator and denominator."""
    if not own.size or not (own[:, 1].all() and best[:, 1].all()):
        return None
    return own[:, 0] / own[:, 1] - best[:, 0] / best[:, 1]

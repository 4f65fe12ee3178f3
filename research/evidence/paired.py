"""Ratios over the same lines, and differences between them, with intervals: a paired bootstrap over lines."""

from collections.abc import Iterable, Mapping
from itertools import combinations

import numpy as np

from engine.measure.encoded import EncodedLines
from engine.measure.result import RESAMPLES, percentiles
from engine.measure.words import find_words

Drawn = np.ndarray
"""float64[1 + RESAMPLES]: a number as measured, then under each draw of lines."""


def drawn_ratios(sums: Mapping[str, np.ndarray], seed: int = 0) -> dict[str, Drawn]:
    """By name, sum(numerator) / sum(denominator) of int[n_lines, 2]; the same lines and the same draws for all."""
    columns = np.hstack(list(sums.values())).astype(np.float64)
    n = len(columns)
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), RESAMPLES)
    totals = np.vstack([np.ones(n), draws]) @ columns
    return {name: totals[:, 2 * k] / totals[:, 2 * k + 1] for k, name in enumerate(sums)}


def with_interval(drawn: Drawn, digits: int = 4) -> list[float]:
    """[value, low, high]."""
    return [round(float(value), digits) + 0.0 for value in (drawn[0], *percentiles(drawn[1:]))]  # no -0.0


def differences(drawn: Mapping[str, Drawn], digits: int = 4) -> dict[str, dict[str, list[float]]]:
    """The first minus the second of every two, [value, low, high]; each pair once, in the order of the names."""
    found: dict[str, dict[str, list[float]]] = {}
    for first, second in combinations(drawn, 2):
        found.setdefault(first, {})[second] = with_interval(drawn[first] - drawn[second], digits)
    return found


def change(after: Drawn, before: Drawn) -> list[float]:
    """Change in percent, [value, low, high]."""
    return with_interval(100 * (after / before - 1), 2)


def tokens_and_words(encoded: Iterable[EncodedLines]) -> list[np.ndarray]:
    """int[n_lines, 2] for each: tokens, and words separated by white space."""
    return [np.column_stack([one.per_line, find_words(one.seen).per_line]) for one in encoded]

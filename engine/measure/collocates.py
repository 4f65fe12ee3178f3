"""Collocates: the units that stand near a node more often than chance.

A window is a number of units to the left and to the right of each occurrence of the node, within its line. Every unit
counts once, however many windows it is in; the units of the node itself count nowhere ("surface cooccurrence" of Evert
2008, "Corpora and collocations", in Lüdeling and Kytö, Corpus Linguistics). So each collocate has a 2 × 2 table: O of
its C occurrences are among the R units in the windows, of N units in all. By chance E = R·C/N would be.
"""

from math import erfc, sqrt
from typing import NamedTuple

import numpy as np

from engine.errors import InputError
from engine.measure.best import holm
from engine.measure.layers import Layer, Spans

MAX_WINDOW = 100
MEASURES = ("log_dice", "mi", "mi3", "t", "g2")
# The normal deviate of 95 %.
_Z = 1.959963984540054


class Windows(NamedTuple):
    """The units near a node.

    Attributes
    ----------
    is_node : bool[n_units], whether the unit shares text with an occurrence of the node.
    is_left, is_right : bool[n_units], whether it is in a window, and not of the node.
    """

    is_node: np.ndarray
    is_left: np.ndarray
    is_right: np.ndarray

    @property
    def is_near(self) -> np.ndarray:
        """bool[n_units], in a window on either side."""
        return self.is_left | self.is_right


class Collocates(NamedTuple):
    """Units near a node, by descending logDice. All arrays are [n].

    Attributes
    ----------
    kind : int64, row of the layer's values.
    observed : int64, O, occurrences in the windows.
    left, right : int64, in the windows of one side; one that is in both is counted on each.
    frequency : int64, in the whole text.
    expected : float64, E.
    log_dice, mi, mi3, t, g2 : float64, see the functions of these names.
    p : float64, that O is as by chance: of g2 with one degree of freedom, after Holm's correction over the rows.
    n_nodes, n_near, n_units : occurrences of the node, R, and N.
    """

    kind: np.ndarray
    observed: np.ndarray
    left: np.ndarray
    right: np.ndarray
    frequency: np.ndarray
    expected: np.ndarray
    log_dice: np.ndarray
    mi: np.ndarray
    mi3: np.ndarray
    t: np.ndarray
    g2: np.ndarray
    p: np.ndarray
    n_nodes: int
    n_near: int
    n_units: int

    def rows(self, rows: np.ndarray) -> "Collocates":
        """Some of the rows, or all in another order."""
        columns = {name: one[rows] for name, one in self._asdict().items() if isinstance(one, np.ndarray)}
        return self._replace(**columns)

    def sorted_by(self, name: str) -> "Collocates":
        """By a measure, or `observed`, descending; ties as they are."""
        return self.rows(np.argsort(-getattr(self, name), kind="stable"))

    def interval(self, measure: str) -> tuple[np.ndarray, np.ndarray] | None:
        """The ends of a 95 % interval, float64[n] each: the measure at those of the count. None for g2, which is no
        estimate but a test."""
        if measure == "g2":
            return None
        low, high = count_interval(self.observed)
        if measure == "log_dice":
            return log_dice(low, self.n_nodes, self.frequency), log_dice(high, self.n_nodes, self.frequency)
        function = {"mi": mutual_information, "mi3": cubic_mutual_information, "t": t_score}[measure]
        return function(low, self.expected), function(high, self.expected)


def log_dice(observed: np.ndarray, n_node: int, frequency: np.ndarray) -> np.ndarray:
    """14 + log2(2·O / (f_node + f)), Rychlý 2008, "A lexicographer-friendly association score".

    At most 14 where the two only occur together; one less is half as often. It does not depend on the text's size.

    >>> float(log_dice(np.array([8]), 8, np.array([8]))[0])
    14.0
    """
    return 14 + np.log2(2 * observed / (n_node + frequency))


def mutual_information(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """MI = log2(O / E), Church and Hanks 1990, "Word association norms, mutual information, and lexicography"."""
    return np.log2(observed / expected)


def cubic_mutual_information(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """MI3 = log2(O³ / E), Daille 1994: MI that rare words do not lead."""
    return np.log2(observed**3.0 / expected)


def t_score(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """t = (O - E) / √O, Church, Gale, Hanks and Hindle 1991, "Using statistics in lexical analysis"."""
    return (observed - expected) / np.sqrt(observed)


def log_likelihood(observed: np.ndarray, near: int, frequency: np.ndarray, n_units: int) -> np.ndarray:
    """G² = 2 Σ O_ij ln(O_ij / E_ij) over the 2 × 2 table, Dunning 1993, "Accurate methods for the statistics
    of surprise and coincidence".

    Parameters
    ----------
    observed, frequency : [n], in the windows, and in all.
    near, n_units : units in the windows, and in all.
    """
    rest = n_units - near
    cells = (
        (observed, near * frequency / n_units),
        (near - observed, near * (n_units - frequency) / n_units),
        (frequency - observed, rest * frequency / n_units),
        (rest - frequency + observed, rest * (n_units - frequency) / n_units),
    )
    return 2 * np.sum([_times_log_ratio(one, expected) for one, expected in cells], axis=0)


def _times_log_ratio(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """O ln(O / E), 0 for O = 0."""
    is_some = observed > 0
    return np.where(is_some, observed * np.log(np.where(is_some, observed, 1) / np.where(is_some, expected, 1)), 0.0)


def count_interval(count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The 95 % score interval of the mean of a Poisson count: the means m with (O - m)²/m ≤ z² (Rao 1948)."""
    middle, half = count + _Z**2 / 2, _Z * np.sqrt(count + _Z**2 / 4)
    return middle - half, middle + half


def check_windows(left: int, right: int) -> None:
    """InputError unless the sizes are 0 to MAX_WINDOW, and not both 0."""
    if not (min(left, right) >= 0 and 0 < max(left, right) <= MAX_WINDOW):
        raise InputError("collocates.window", left=left, right=right, most=MAX_WINDOW)


class Sides(NamedTuple):
    """Ranges of units on either side of each occurrence of a node, int64[n_nodes] each, the end exclusive."""

    left: np.ndarray
    left_end: np.ndarray
    right: np.ndarray
    right_end: np.ndarray


def sides_of(layer: Layer, starts: np.ndarray, nodes: Spans, left: int, right: int) -> Sides:
    """The units within so many units of each occurrence, in its line.

    Parameters
    ----------
    starts : int64[n_lines + 1], places of the lines (`SearchedText.starts`).
    nodes : occurrences of the node.
    left, right : size of the windows, in units of the layer.
    """
    begin, end = nodes.begin + starts[nodes.line], nodes.end + starts[nodes.line]
    first, after = np.searchsorted(layer.end, begin, side="right"), np.searchsorted(layer.begin, end)
    low = np.maximum(first - left, layer.line_ptr[nodes.line])
    high = np.minimum(after + right, layer.line_ptr[nodes.line + 1])
    return Sides(low, first, after, high)


def windows_of(sides: Sides, n_units: int) -> Windows:
    """The units near a node."""
    is_node = _covered(sides.left_end, np.maximum(sides.left_end, sides.right), n_units)
    near = (_covered(sides.left, sides.left_end, n_units), _covered(sides.right, sides.right_end, n_units))
    return Windows(is_node, *(side & ~is_node for side in near))


def has_near(layer: Layer, sides: Sides, windows: Windows, kind: int) -> np.ndarray:
    """bool[n_nodes]: whether each occurrence of the node has this collocate in its windows."""
    before = np.concatenate([[0], np.cumsum((layer.kind == kind) & ~windows.is_node)])
    n_left = before[sides.left_end] - before[sides.left]
    return n_left + before[sides.right_end] - before[sides.right] > 0


def _covered(begin: np.ndarray, end: np.ndarray, size: int) -> np.ndarray:
    """bool[size]: whether any of the ranges contains the index."""
    change = np.bincount(begin, minlength=size + 1) - np.bincount(end, minlength=size + 1)
    return np.cumsum(change)[:size] > 0


def collocates(layer: Layer, windows: Windows, n_nodes: int, min_count: int = 3) -> Collocates:
    """The units that occur at least so often in the windows.

    Parameters
    ----------
    n_nodes : occurrences of the node.
    """
    n_kinds, kind = len(layer.labels), layer.kind
    near = np.bincount(kind[windows.is_near], minlength=n_kinds)
    outside = np.bincount(kind[~windows.is_node], minlength=n_kinds)
    rows = np.flatnonzero(near >= max(1, min_count))
    count, frequency = near[rows], outside[rows]
    n_near, n_units = int(windows.is_near.sum()), int((~windows.is_node).sum())
    expected = n_near * frequency / max(1, n_units)
    total = np.bincount(kind, minlength=n_kinds)[rows]
    g2 = log_likelihood(count, n_near, frequency, max(1, n_units))
    p = [erfc(sqrt(max(0.0, one) / 2)) for one in g2.tolist()]  # P(χ² > g2) with one degree of freedom
    left, right = (np.bincount(kind[side], minlength=n_kinds)[rows] for side in (windows.is_left, windows.is_right))
    found = Collocates(
        rows,
        count,
        left,
        right,
        total,
        expected,
        log_dice(count, n_nodes, total),
        mutual_information(count, expected),
        cubic_mutual_information(count, expected),
        t_score(count, expected),
        g2,
        np.array(holm(p)),
        n_nodes,
        n_near,
        n_units,
    )
    return found.rows(np.lexsort((rows, -found.log_dice)))

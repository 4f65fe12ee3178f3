"""Counting pairs of small integers in linear time: the basis of n-grams and their neighbours."""

from typing import NamedTuple

import numpy as np

from engine._jit import kernel, subkernel
from engine.exact_math import log


class Pairs(NamedTuple):
    """The distinct pairs (major, minor) of two columns.

    Attributes
    ----------
    major, minor : int64[n_pairs], in ascending order of (major, minor).
    counts : int64[n_pairs], number of rows with the pair.
    number : int64[n_rows], index of each row's pair.
    """

    major: np.ndarray
    minor: np.ndarray
    counts: np.ndarray
    number: np.ndarray


@subkernel
def _stable_order(values, size, order):
    """`order` sorted stably by `values`: one counting sort."""
    place = np.zeros(size + 1, dtype=np.int64)
    for i in range(values.size):
        place[values[i] + 1] += 1
    for v in range(size):
        place[v + 1] += place[v]
    sorted_order = np.empty_like(order)
    for i in order:
        sorted_order[place[values[i]]] = i
        place[values[i]] += 1
    return sorted_order


@kernel
def _count_pairs(major, minor, n_major, n_minor):
    """Pairs of the columns `major` (below n_major) and `minor` (below n_minor)."""
    order = np.empty(major.size, dtype=np.int64)
    for i in range(major.size):
        order[i] = i
    order = _stable_order(minor, n_minor, order)
    order = _stable_order(major, n_major, order)
    first = np.empty(major.size, dtype=np.int64)
    second = np.empty(major.size, dtype=np.int64)
    counts = np.empty(major.size, dtype=np.int64)
    number = np.empty(major.size, dtype=np.int64)
    k = -1
    for i in order:
        if k < 0 or first[k] != major[i] or second[k] != minor[i]:
            k += 1
            first[k] = major[i]
            second[k] = minor[i]
            counts[k] = 0
        counts[k] += 1
        number[i] = k
    return first[: k + 1].copy(), second[: k + 1].copy(), counts[: k + 1].copy(), number


@kernel
def _entropies(owner, counts, size):
    """Entropy (nats) of the counts of every owner; 0 if it has none."""
    total = np.zeros(size, dtype=np.int64)
    inner = np.zeros(size, dtype=np.float64)
    for k in range(owner.size):
        total[owner[k]] += counts[k]
        inner[owner[k]] += counts[k] * log(np.float64(counts[k]))
    entropy = np.zeros(size, dtype=np.float64)
    for i in range(size):
        if total[i] > 0:
            entropy[i] = max(0.0, log(np.float64(total[i])) - inner[i] / total[i])
    return entropy


def count_pairs(major: np.ndarray, minor: np.ndarray, n_major: int, n_minor: int) -> Pairs:
    """Distinct pairs of two columns (int64[n_rows]) of integers below n_major and n_minor."""
    return Pairs(*_count_pairs(major, minor, n_major, n_minor))


def neighbour_entropy(owner: np.ndarray, neighbour: np.ndarray, n_owners: int, n_neighbours: int) -> np.ndarray:
    """float64[n_owners]: entropy (nats) of each owner's neighbours; 0 if it has none.

    Parameters
    ----------
    owner, neighbour : int64[n_rows], one row per occurrence.
    """
    pairs = count_pairs(owner, neighbour, n_owners, n_neighbours)
    return _entropies(pairs.major, pairs.counts, n_owners)
